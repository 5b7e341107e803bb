CREATE TEMPORAL STREAM a (symbol STRING, KEY (simbol)) USING json OPTIONS (path 'in/a');

-- refused
-- there is no column simbol
--   detail: available: symbol
--   hint: did you mean symbol?
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, KEY (simbol)) USING json OPTIONS (path 'in/a');
--     |                                               ^^^^^^
