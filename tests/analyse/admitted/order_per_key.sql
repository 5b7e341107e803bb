-- rows are in order for each sensor: groups by sensor and hour are released, each when its sensor has gone past it
CREATE STREAM reading (
  sensor STRING, ts TIMESTAMP, temp DOUBLE,
  PUNCTUATE (sensor, ts ASC) DELAY '10 seconds'
) USING json OPTIONS (path 'in/reading');
CREATE STREAM alarm (sensor STRING, ts TIMESTAMP, code BIGINT, PUNCTUATE (sensor, ts ASC))
  USING json OPTIONS (path 'in/alarm');
CREATE SINK hourly USING json OPTIONS (path 'out');
INSERT INTO hourly
SELECT a.sensor, DATE_TRUNC('hour', a.ts) AS hour, COUNT(*) AS n, AVG(r.temp) AS mean
FROM alarm a JOIN reading r ON a.sensor = r.sensor AND r.ts BETWEEN a.ts - INTERVAL 1 MINUTE AND a.ts
GROUP BY a.sensor, DATE_TRUNC('hour', a.ts);

-- checked
-- hourly: admitted
--   join keeps alarm: purged by reading(sensor, ts ASC)
--   join keeps reading: purged by alarm(sensor, ts ASC)
--   group-by of alarm, reading: purged by alarm(sensor, ts ASC)
--   join stores each key that alarm(sensor, ts ASC) closes, because reading never closes it
--   join stores each key that alarm(sensor, date_trunc('HOUR', ts) ASC) closes, because reading never closes it
--   join stores each key that reading(sensor, ts ASC) closes, because alarm never closes it
--   without punctuations, memory is unbounded: sensor of alarm is a grouping column, and the column's domain is unbounded (C1)
