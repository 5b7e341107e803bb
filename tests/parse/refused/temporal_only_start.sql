CREATE TEMPORAL STREAM q AS SELECT hour AS _vs FROM report;

-- refused
-- the result has no payload
--   hint: select more columns than _vs
--   1 | CREATE TEMPORAL STREAM q AS SELECT hour AS _vs FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
