CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE SINK o USING json OPTIONS (path 'out', elements 'true');
INSERT INTO o SELECT symbol, COUNT(*) AS n FROM a GROUP BY symbol;

-- refused
-- the result is not a temporal stream
--   hint: elements come from a temporal stream through WHERE and SELECT only; name other parts of a query with CREATE TEMPORAL STREAM … AS SELECT
--   3 | INSERT INTO o SELECT symbol, COUNT(*) AS n FROM a GROUP BY symbol;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
