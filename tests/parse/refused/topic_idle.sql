CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', idle 60);

-- refused
-- idle of s is '60'
--   hint: a duration such as '10 seconds'
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', idle 60);
--     |                                                                         ^^^^^^^
