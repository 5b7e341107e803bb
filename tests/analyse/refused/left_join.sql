-- No scheme of seller says that no row for a name will come.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.itemid, s.city FROM item i LEFT JOIN seller s ON i.name = s.name;

-- checked
-- result: refused
--   left join of item: state grows without bound: seller promises no punctuations on its join columns alone (name)
--   left join of seller: state grows without bound: item promises no punctuations on its join columns alone (name)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | SELECT i.itemid, s.city FROM item i LEFT JOIN seller s ON i.name = s.name;
--     |                              ^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (name) to item and PUNCTUATED ON (name) to seller
--         or write ALLOW UNBOUNDED after the query
