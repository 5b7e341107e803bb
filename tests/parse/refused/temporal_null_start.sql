CREATE TEMPORAL STREAM q AS SELECT itemid AS _vs, increase FROM bid;

-- refused
-- _vs may be NULL
--   hint: declare its column NOT NULL, or PUNCTUATED ON (… ASC)
--   1 | CREATE TEMPORAL STREAM q AS SELECT itemid AS _vs, increase FROM bid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
