CREATE TEMPORAL STREAM a (symbol STRING, _Adjust BOOLEAN) USING json OPTIONS (path 'in/a');

-- refused
-- _Adjust is a column of every temporal stream
--   hint: of its own columns a stream may declare _vs and _ve, in small letters, with their type
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _Adjust BOOLEAN) USING json OPTIONS (path 'in/a');
--     |                                          ^^^^^^^
