CREATE TEMPORAL STREAM q AS SELECT sid AS _from, hour AS _vs FROM report;

-- refused
-- _from is a column of every temporal stream
--   hint: rename it with AS
--   1 | CREATE TEMPORAL STREAM q AS SELECT sid AS _from, hour AS _vs FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
