CREATE SINK o USING json OPTIONS (path 'out', elements 'true');
INSERT INTO o SELECT * FROM bid;

-- refused
-- the result is not a temporal stream
--   hint: elements come from a temporal stream through WHERE and SELECT only; name other parts of a query with CREATE TEMPORAL STREAM … AS SELECT
--   2 | INSERT INTO o SELECT * FROM bid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
