SELECT year(ts), MONTH(ts), day(ts), hour(ts), minute(ts), second(ts), EXTRACT(HOUR FROM ts) AS h, ts + INTERVAL '10' SECOND,
  ts - INTERVAL 2 HOURS, date_trunc('week', ts), CAST(ts AS DATE), ts > '2026-11-15 12:00:00', TIMESTAMP '2026-11-15' AS t FROM item

-- bound
-- year(ts) BIGINT, month(ts) BIGINT, day(ts) BIGINT, hour(ts) BIGINT, minute(ts) BIGINT, second(ts) BIGINT, h BIGINT, (ts + INTERVAL '10' SECOND) TIMESTAMP, (ts - INTERVAL '2' HOUR) TIMESTAMP, date_trunc(WEEK, ts) TIMESTAMP, CAST(ts AS DATE) DATE, (ts > 2026-11-15 12:00:00) BOOLEAN, t TIMESTAMP (,)
-- Projection year(ts), month(ts), day(ts), hour(ts), minute(ts), second(ts), hour(ts) AS h, (ts + INTERVAL '10' SECOND), (ts - INTERVAL '2' HOUR), date_trunc('WEEK', ts) AS date_trunc(WEEK, ts), CAST(ts AS DATE), (ts > 2026-11-15T12:00:00Z) AS (ts > 2026-11-15 12:00:00), 2026-11-15T00:00:00Z AS t
--   Source item
