SELECT datediff(HOUR, ts, ts + INTERVAL '1' DAY) AS hours FROM item

-- bound
-- hours BIGINT
-- Projection whole units('HOUR', CAST(ts AS TIMESTAMP_NTZ), CAST((ts + INTERVAL '1' DAY) AS TIMESTAMP_NTZ)) AS hours
--   Source item
