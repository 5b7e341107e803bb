SELECT sellerid, first(b.price) AS p, last(name) AS n FROM (SELECT * FROM ordered WHERE price > 1) b GROUP BY sellerid

-- bound
-- sellerid BIGINT, p DOUBLE, n STRING
-- Aggregate MIN_BY(price, ts) AS p, MAX_BY(name, ts) AS n by sellerid
--   Filter (price > 1.0)
--     Source ordered
