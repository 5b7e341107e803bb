CREATE TEMPORAL STREAM a (symbol STRING, _vs DATE, KEY (symbol, _vs)) USING json OPTIONS (path 'in/a');

-- refused
-- _vs is not allowed in KEY
--   hint: the start is part of every key: list columns of the payload
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, _vs DATE, KEY (symbol, _vs)) USING json OPTIONS (path 'in/a');
--     |                                                        ^
