CREATE TEMPORAL STREAM q AS SELECT sid, hour AS _vs, at AS _ve FROM report;

-- refused
-- _vs and _ve have different types
--   hint: CAST one to the type of the other
--   1 | CREATE TEMPORAL STREAM q AS SELECT sid, hour AS _vs, at AS _ve FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
