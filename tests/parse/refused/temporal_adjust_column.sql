CREATE TEMPORAL STREAM a (symbol STRING, _Adjust BOOLEAN) USING json OPTIONS (path 'in/a');

-- refused
-- _Adjust is a column of every temporal stream
--   hint: only _vs and _ve may be declared, in lower case, with their type
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _Adjust BOOLEAN) USING json OPTIONS (path 'in/a');
--     |                                          ^^^^^^^
