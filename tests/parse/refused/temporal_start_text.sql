CREATE TEMPORAL STREAM q AS SELECT sid AS _vs, hour FROM report;

-- refused
-- _vs cannot be STRING
--   hint: supported: BIGINT, DATE, TIMESTAMP, TIMESTAMP_NTZ
--   1 | CREATE TEMPORAL STREAM q AS SELECT sid AS _vs, hour FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
