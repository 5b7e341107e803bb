CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (_vs TIMESTAMP, open STRING NOT NULL, close BIGINT, OPEN CLOSE, ORDERED, KEY (open))
ON VIOLATION FAIL USING parquet OPTIONS (path 'in/b');
CREATE TEMPORAL STREAM c (name STRING, KEY (name)) USING json OPTIONS (path 'in/c');
CREATE STREAM m AS LMERGE (a, c);
CREATE SINK changes USING json OPTIONS (path 'out/changes', elements 'true');
CREATE SINK events USING json OPTIONS (path 'out/events');
INSERT INTO changes SELECT close FROM b WHERE open > 'x';
INSERT INTO events SELECT * FROM m;

-- bound
-- stream a: name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=True)
-- Opened
--   Source a
-- stream b: open STRING (,), close BIGINT, _vs TIMESTAMP (,), _ve TIMESTAMP, _vold TIMESTAMP, _adjust BOOLEAN (,), _from TIMESTAMP
--   Temporal(ordered=True, strictly=False, insert_only=False, ties=False, key=('open',), open_close=True)
-- Opened
--   Source b
-- stream c: name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   ON (_from ASC)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=('name',), open_close=False)
--   json {'path': 'in/c'}
-- stream m: name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- LMerge a, c
--   Opened named a
--     Source a
--   Source c
-- sink changes: json {'path': 'out/changes', 'elements': 'true'}
-- sink events: json {'path': 'out/events'}
-- query changes
-- close BIGINT, _vs TIMESTAMP (,), _ve TIMESTAMP, _vold TIMESTAMP, _adjust BOOLEAN (,), _from TIMESTAMP
-- Projection close, _vs, _ve, _vold, _adjust, _from
--   Filter (open > 'x')
--     Opened named b
--       Source b
-- query events
-- name STRING, _vs BIGINT (,), _ve BIGINT
-- Final
--   LMerge a, c named m
--     Opened named a
--       Source a
--     Source c
