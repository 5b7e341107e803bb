-- clauses of a stream that is made of another: each is an operator over its rows, in their order
CREATE TABLE sensors (sid STRING) USING json OPTIONS (path 'sensors.json');
CREATE STREAM reading (sid STRING, ts TIMESTAMP, temp DOUBLE, seq BIGINT, PUNCTUATED ON (seq)) USING json;
CREATE STREAM hot (
  PUNCTUATE (sid, at ASC) DELAY '10 seconds', PUNCTUATE (seq) WHEN temp > 90 OR hot.sid IS NULL,
  PUNCTUATE (DATE_TRUNC('hour', at) ASC) WHEN ALL sid IN sensors DELAY '1 minute', UNIQUE (seq, sid)
) AS SELECT sid, ts AS at, temp, seq FROM reading WHERE temp > 30;
CREATE SINK hours USING json OPTIONS (path 'out');
INSERT INTO hours SELECT DATE_TRUNC('hour', at) AS hour, COUNT(*) AS n FROM hot GROUP BY DATE_TRUNC('hour', at);

-- bound
-- table sensors: sid STRING
--   json {'path': 'sensors.json'}
-- stream reading: sid STRING, ts TIMESTAMP, temp DOUBLE, seq BIGINT
--   ON (seq)
--   json {}
-- stream hot: sid STRING, at TIMESTAMP (,), temp DOUBLE, seq BIGINT
--   ON (sid, at ASC)
--   ON (seq)
--   ON (at ASC)
--   ON (seq, sid)
--   unique seq, sid
--   punctuate ON (sid, at ASC) delay datetime.timedelta(seconds=10)
--   punctuate ON (seq) when ((temp > 90.0) OR (sid IS NULL))
--   punctuate ON (at ASC) when all sid in sensors.sid delay datetime.timedelta(seconds=60) by date_trunc('HOUR', at)
-- Punctuate (seq, sid), each once
--   Punctuate (date_trunc('HOUR', at) ASC) when all sid have passed it, delayed by 1 minute
--     Punctuate (seq) when ((temp > 90.0) OR (sid IS NULL))
--       Punctuate (sid, at ASC) in order, delayed by 10 seconds
--         Projection sid, ts AS at, temp, seq
--           Filter (temp > 30.0)
--             Source reading
-- sink hours: json {'path': 'out'}
-- query hours
-- hour TIMESTAMP (,), n BIGINT (,)
-- Aggregate COUNT(*) AS n by date_trunc(HOUR, at) AS hour
--   Projection date_trunc('HOUR', at) AS date_trunc(HOUR, at)
--     Punctuate (seq, sid), each once named hot
--       Punctuate (date_trunc('HOUR', at) ASC) when all sid have passed it, delayed by 1 minute
--         Punctuate (seq) when ((temp > 90.0) OR (sid IS NULL))
--           Punctuate (sid, at ASC) in order, delayed by 10 seconds
--             Projection sid, ts AS at, temp, seq
--               Filter (temp > 30.0)
--                 Source reading
