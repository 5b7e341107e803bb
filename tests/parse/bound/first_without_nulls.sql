SELECT itemid, first(name, true) AS a, last(name) IGNORE NULLS AS b, first_value(price) AS c FROM ordered GROUP BY itemid

-- bound
-- itemid BIGINT, a STRING, b STRING, c DOUBLE
-- Aggregate MIN_BY(name, ts) FILTER (WHERE (NOT (name IS NULL))) AS a, MAX_BY(name, ts) FILTER (WHERE (NOT (name IS NULL))) AS b, MIN_BY(price, ts) AS c by itemid
--   Projection itemid, name, (NOT (name IS NULL)), ts, price
--     Source ordered
