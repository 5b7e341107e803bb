CREATE TEMPORAL STREAM a (symbol STRING, _vs DOUBLE) USING json OPTIONS (path 'in/a');

-- refused
-- _vs cannot be DOUBLE
--   hint: supported: BIGINT, DATE, TIMESTAMP, TIMESTAMP_NTZ
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _vs DOUBLE) USING json OPTIONS (path 'in/a');
--     |                                          ^^^
