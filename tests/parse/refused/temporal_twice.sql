CREATE TEMPORAL STREAM a (symbol STRING, ORDERED, ORDERED) USING json OPTIONS (path 'in/a');

-- refused
-- ORDERED occurs twice
--   hint: remove one of them
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, ORDERED, ORDERED) USING json OPTIONS (path 'in/a');
--     |                                                   ^^^^^^^
