-- every way to make punctuations from rows, and the schemes that they imply
CREATE TABLE sensors (sid STRING) USING json OPTIONS (path 'sensors.json');
CREATE TABLE zones (zone INT NOT NULL, state STRING) USING parquet OPTIONS (path 'zones');
CREATE STREAM offer (
  itemid BIGINT, status STRING, price DOUBLE, fee DECIMAL(9, 2), ts TIMESTAMP, local TIMESTAMP_NTZ, day DATE, n BIGINT,
  expect BIGINT, lifespan STRING,
  PUNCTUATE (itemid) WHEN status = 'closed',
  PUNCTUATE (itemid, n) WHEN Offer.Price > 1 AND (lifespan = 'x' OR expect IN (1, 2)) LIFESPAN '4 hours',
  punctuate (ts asc) when status is null expect within '1 day',
  PUNCTUATE (ts ASC) DELAY '10 seconds', PUNCTUATE (n DESC), PUNCTUATE (local DESC) DELAY '1 hour 30 minutes',
  PUNCTUATE (day ASC) DELAY INTERVAL '3' DAYS, PUNCTUATE (n ASC) DELAY 5, PUNCTUATE (price ASC) DELAY 5,
  PUNCTUATE (fee ASC) DELAY 0.25, PUNCTUATE (status, itemid, day ASC) DELAY '1 day', PUNCTUATE (itemid, n DESC), UNIQUE (itemid), UNIQUE (n, status),
  DOMAIN n BETWEEN 0 AND 99
) ON VIOLATION QUARANTINE USING json;
CREATE STREAM state (
  sid STRING, hour INT, zone BIGINT, state STRING, at DATE,
  PUNCTUATE (hour) WHEN ALL sid IN ('a', 'b', 'a') EXPECT WITHIN '2 weeks' LIFESPAN '1500 milliseconds',
  PUNCTUATE (hour, zone) WHEN ALL SID IN Sensors, PUNCTUATE (hour) WHEN ALL zone IN zones,
  PUNCTUATE (hour) WHEN ALL at IN ('2026-11-15', DATE '2026-11-16'),
  PUNCTUATED ON (hour) LIFESPAN '1 minute' EXPECT WITHIN '1 week'
) ON VIOLATION FAIL USING json

-- bound
-- table sensors: sid STRING
--   json {'path': 'sensors.json'}
-- table zones: zone BIGINT (,), state STRING
--   parquet {'path': 'zones'}
-- stream offer: itemid BIGINT, status STRING, price DOUBLE (,), fee DECIMAL(9,2) (,), ts TIMESTAMP (,), local TIMESTAMP_NTZ (,), day DATE (,), n BIGINT [0,99], expect BIGINT, lifespan STRING
--   ON (itemid)
--   ON (itemid, n)
--   ON (ts ASC)
--   ON (n DESC)
--   ON (local DESC)
--   ON (day ASC)
--   ON (n ASC)
--   ON (price ASC)
--   ON (fee ASC)
--   ON (status, itemid, day ASC)
--   ON (itemid, n DESC)
--   ON (n, status)
--   unique itemid
--   unique n, status
--   punctuate ON (itemid) when (status = 'closed')
--   punctuate ON (itemid, n) when ((price > 1.0) AND ((lifespan = 'x') OR (expect IN (1, 2))))
--   punctuate ON (ts ASC) when (status IS NULL)
--   punctuate ON (ts ASC) delay datetime.timedelta(seconds=10)
--   punctuate ON (n DESC)
--   punctuate ON (local DESC) delay datetime.timedelta(seconds=5400)
--   punctuate ON (day ASC) delay datetime.timedelta(days=3)
--   punctuate ON (n ASC) delay 5
--   punctuate ON (price ASC) delay 5.0
--   punctuate ON (fee ASC) delay Decimal('0.25')
--   punctuate ON (status, itemid, day ASC) delay datetime.timedelta(days=1)
--   punctuate ON (itemid, n DESC)
--   ON (itemid, n) expect None lifespan 4:00:00
--   ON (ts ASC) expect 1 day, 0:00:00 lifespan None
--   json {}
-- stream state: sid STRING, hour BIGINT, zone BIGINT, state STRING, at DATE
--   ON (hour)
--   ON (hour, zone)
--   punctuate ON (hour) when all sid in ('a', 'b')
--   punctuate ON (hour, zone) when all sid in sensors.sid
--   punctuate ON (hour) when all zone in zones.zone
--   punctuate ON (hour) when all at in (datetime.date(2026, 11, 15), datetime.date(2026, 11, 16))
--   ON (hour) expect 14 days, 0:00:00 lifespan 0:00:01.500000
--   ON (hour) expect 7 days, 0:00:00 lifespan 0:01:00
--   fails on a violation
--   json {}
