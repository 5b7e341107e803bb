-- Items without a bid have NULL in the right column, which no punctuation closes.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT b.itemid, COUNT(*) AS n FROM item i LEFT JOIN bid b ON i.itemid = b.itemid GROUP BY b.itemid;

-- checked
-- result: refused
--   group-by of item, bid: state grows without bound: no input promises punctuations on the grouping columns (itemid): rows without a partner have NULL there, which nothing closes
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | SELECT b.itemid, COUNT(*) AS n FROM item i LEFT JOIN bid b ON i.itemid = b.itemid GROUP BY b.itemid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: no further PUNCTUATED ON clause would help
--         or write ALLOW UNBOUNDED after the query
