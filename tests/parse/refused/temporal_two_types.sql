CREATE TEMPORAL STREAM a (symbol STRING, _vs BIGINT, _ve DATE) USING json OPTIONS (path 'in/a');

-- refused
-- _vs and _ve have different types
--   hint: use the same type for both
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _vs BIGINT, _ve DATE) USING json OPTIONS (path 'in/a');
--     |                                                      ^^^
