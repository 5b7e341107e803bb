SELECT date_trunc('hour', ts) AS h, count(*) FROM item GROUP BY h

-- bound
-- h TIMESTAMP, count(1) BIGINT (,)
-- Aggregate COUNT(*) AS count(1) by date_trunc(HOUR, ts) AS h
--   Projection date_trunc('HOUR', ts) AS date_trunc(HOUR, ts)
--     Source item
