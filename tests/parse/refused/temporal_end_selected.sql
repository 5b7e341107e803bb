CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM q AS SELECT symbol FROM a WHERE _ve > 10;

-- refused
-- _ve is not known before an event is final
--   detail: the elements of an event have several ends, of which the last one is its own
--   hint: look at _vs
--   2 | CREATE TEMPORAL STREAM q AS SELECT symbol FROM a WHERE _ve > 10;
--     |                                                        ^^^
