CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE, KEY (symbol), ORDERED, INSERT ONLY) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (_vs TIMESTAMP, ordered BIGINT, strictly STRING, STRICTLY ORDERED, DETERMINISTIC TIES)
ON VIOLATION FAIL USING parquet OPTIONS (path 'in/b');
CREATE TEMPORAL STREAM dear AS SELECT _vs, upper(symbol) AS symbol FROM a WHERE price > 4 AND _vs > 10;
CREATE STREAM named AS SELECT symbol, _ve FROM dear;
CREATE STREAM t (ts TIMESTAMP, x BIGINT, day DATE NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'in/t');
CREATE TEMPORAL STREAM counted AS SELECT date_trunc('HOUR', ts) AS _vs, x, COUNT(*) AS n FROM t GROUP BY date_trunc('HOUR', ts), x;
CREATE TEMPORAL STREAM days AS SELECT x, day AS _vs, CAST(ts AS DATE) AS _ve FROM t;
CREATE SINK changes USING json OPTIONS (path 'out/changes', elements 'true');
CREATE SINK events USING json OPTIONS (path 'out/events');
INSERT INTO changes SELECT symbol AS name FROM named;
INSERT INTO events SELECT * FROM a;

-- bound
-- stream a: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN false, _from BIGINT
--   ON (_from ASC)
--   Temporal(ordered=True, strictly=False, insert_only=True, ties=False, key=('symbol',), open_close=False)
--   json {'path': 'in/a'}
-- stream b: ordered BIGINT, strictly STRING, _vs TIMESTAMP (,), _ve TIMESTAMP, _vold TIMESTAMP, _adjust BOOLEAN (,), _from TIMESTAMP
--   ON (_from ASC)
--   Temporal(ordered=False, strictly=True, insert_only=False, ties=True, key=None, open_close=False)
--   fails on a violation
--   parquet {'path': 'in/b'}
-- stream dear: symbol STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN false, _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- Projection upper(symbol) AS symbol, _vs, _ve, _vold, _adjust, _from
--   Filter ((price > 4.0) AND (_vs > 10))
--     Source a
-- stream named: symbol STRING, _ve BIGINT
-- Projection symbol, _ve
--   Final
--     Projection upper(symbol) AS symbol, _vs, _ve, _vold, _adjust, _from named dear
--       Filter ((price > 4.0) AND (_vs > 10))
--         Source a
-- stream t: ts TIMESTAMP (,), x BIGINT, day DATE (,)
--   ON (ts ASC)
--   json {'path': 'in/t'}
-- stream counted: x BIGINT, n BIGINT (,), _vs TIMESTAMP (,), _ve TIMESTAMP (,), _vold TIMESTAMP, _adjust BOOLEAN (,), _from TIMESTAMP (,)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- Projection x, n, _vs, (_vs + INTERVAL '1' MICROSECOND) AS _ve, NULL AS _vold, false AS _adjust, _vs AS _from
--   Aggregate COUNT(*) AS n by date_trunc(HOUR, ts) AS _vs, x
--     Projection date_trunc('HOUR', ts) AS date_trunc(HOUR, ts), x
--       Source t
-- stream days: x BIGINT, _vs DATE (,), _ve DATE (,), _vold DATE, _adjust BOOLEAN (,), _from DATE (,)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- Projection x, _vs, _ve, NULL AS _vold, false AS _adjust, _vs AS _from
--   Projection x, day AS _vs, CAST(ts AS DATE) AS _ve
--     Source t
-- sink changes: json {'path': 'out/changes', 'elements': 'true'}
-- sink events: json {'path': 'out/events'}
-- query changes
-- name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN false, _from BIGINT
-- Projection symbol AS name, _vs, _ve, _vold, _adjust, _from
--   Projection symbol, _vs, _ve, _vold, _adjust, _from
--     Projection upper(symbol) AS symbol, _vs, _ve, _vold, _adjust, _from named dear
--       Filter ((price > 4.0) AND (_vs > 10))
--         Source a
-- query events
-- symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT
-- Final
--   Source a
