CREATE STREAM s (k BIGINT, _timestamp BIGINT) USING kafka OPTIONS (brokers 'b', topic 't');

-- refused
-- the column _timestamp of s is BIGINT
--   detail: it is not in the value of a message, but beside it
--   hint: TIMESTAMP
--   1 | CREATE STREAM s (k BIGINT, _timestamp BIGINT) USING kafka OPTIONS (brokers 'b', topic 't');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
