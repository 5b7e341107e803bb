CREATE TEMPORAL STREAM a (symbol STRING, ORDERED, ORDERED) USING json OPTIONS (path 'in/a');

-- refused
-- ORDERED is there twice
--   hint: leave one out
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, ORDERED, ORDERED) USING json OPTIONS (path 'in/a');
--     |                                                   ^^^^^^^
