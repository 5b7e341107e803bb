CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM q AS SELECT symbol FROM a WHERE _ve > 10;

-- refused
-- _ve is not known before an event is final
--   detail: an event may have several elements, and only the last one has its final end
--   hint: use _vs
--   2 | CREATE TEMPORAL STREAM q AS SELECT symbol FROM a WHERE _ve > 10;
--     |                                                        ^^^
