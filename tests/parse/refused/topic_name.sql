CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 'a topic');

-- refused
-- topic of s is 'a topic'
--   hint: a topic's name: up to 249 of the letters a to z and A to Z, digits, '.', '_' and '-'
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 'a topic');
--     |                                                              ^^^^^^^^^^^^^^^
