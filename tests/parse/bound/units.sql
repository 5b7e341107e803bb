-- what all have gone past, and units of a column
CREATE TABLE sensors (sid STRING) USING json OPTIONS (path 'sensors.json');
CREATE STREAM reading (
  sid STRING, zone INT, ts TIMESTAMP, at TIMESTAMP_NTZ, day DATE, n BIGINT,
  PUNCTUATE (ts ASC) WHEN ALL sid IN ('a', 'b'),
  PUNCTUATE (zone, at DESC) WHEN ALL sid IN sensors DELAY '10 seconds' EXPECT WITHIN '1 day',
  PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN ALL sid IN sensors,
  PUNCTUATE (CAST(ts AS DATE), zone) WHEN ALL sid IN ('a'),
  PUNCTUATE (zone, date_trunc('DAY', at) ASC) WHEN ALL sid IN ('a', 'b') DELAY INTERVAL '1' HOUR,
  PUNCTUATE (sid, YEAR(day) ASC), PUNCTUATE (n DIV 10 DESC) DELAY 5
) USING json;

-- bound
-- table sensors: sid STRING
--   json {'path': 'sensors.json'}
-- stream reading: sid STRING, zone BIGINT, ts TIMESTAMP (,), at TIMESTAMP_NTZ (,), day DATE (,), n BIGINT (,)
--   ON (ts ASC)
--   ON (zone, at DESC)
--   ON (ts)
--   ON (zone, ts)
--   ON (zone, at ASC)
--   ON (sid, day ASC)
--   ON (n DESC)
--   punctuate ON (ts ASC) when all sid in ('a', 'b')
--   punctuate ON (zone, at DESC) when all sid in sensors.sid delay datetime.timedelta(seconds=10)
--   punctuate ON (ts) when all sid in sensors.sid by date_trunc('HOUR', ts)
--   punctuate ON (zone, ts) when all sid in ('a',) by CAST(ts AS DATE)
--   punctuate ON (zone, at ASC) when all sid in ('a', 'b') delay datetime.timedelta(seconds=3600) by date_trunc('DAY', at)
--   punctuate ON (sid, day ASC) by year(day)
--   punctuate ON (n DESC) delay 5 by (n DIV 10)
--   ON (zone, at DESC) expect 1 day, 0:00:00 lifespan None
--   json {}
