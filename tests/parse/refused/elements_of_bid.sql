CREATE SINK o USING json OPTIONS (path 'out', elements 'true');
INSERT INTO o SELECT * FROM bid;

-- refused
-- the result has no elements
--   hint: elements come from a temporal stream under selections and projections; name a part of a query with CREATE TEMPORAL STREAM … AS SELECT
--   2 | INSERT INTO o SELECT * FROM bid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
