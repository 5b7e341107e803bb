CREATE TEMPORAL STREAM a (symbol STRING, _vs BIGINT, _ve DATE) USING json OPTIONS (path 'in/a');

-- refused
-- _vs and _ve have two types
--   hint: give both one type
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _vs BIGINT, _ve DATE) USING json OPTIONS (path 'in/a');
--     |                                                      ^^^
