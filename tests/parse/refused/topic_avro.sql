CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', format 'avro');

-- refused
-- the stream s has no avroSchema
--   hint: OPTIONS (avroSchema '{…}')
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', format 'avro');
--     |                                  ^^^^^
