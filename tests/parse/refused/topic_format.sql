CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', format 'xml');

-- refused
-- format of s is 'xml'
--   hint: json, csv or avro
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', format 'xml');
--     |                                                                         ^^^^^^^^^^^^
