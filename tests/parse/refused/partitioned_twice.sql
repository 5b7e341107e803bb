CREATE STREAM s (k BIGINT, n BIGINT, PARTITIONED BY (k), PARTITIONED BY (n)) USING kafka OPTIONS (brokers 'b', topic 't');

-- refused
-- PARTITIONED BY occurs twice
--   hint: name all columns in one of them
--   1 | CREATE STREAM s (k BIGINT, n BIGINT, PARTITIONED BY (k), PARTITIONED BY (n)) USING kafka OPTIONS (brokers 'b', topic 't');
--     |                                                          ^^^^^^^^^^^^^^
