CREATE STREAM s (k BIGINT, PARTITIONED BY (k ASC)) USING kafka OPTIONS (brokers 'b', topic 't');

-- refused
-- expected ) in PARTITIONED BY
--   detail: found ASC
--   1 | CREATE STREAM s (k BIGINT, PARTITIONED BY (k ASC)) USING kafka OPTIONS (brokers 'b', topic 't');
--     |                                              ^^^
