CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE, KEY (symbol)) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE, _vs BIGINT, _ve BIGINT, KEY (symbol)) USING json OPTIONS (path 'in/b');
CREATE TEMPORAL STREAM c AS SELECT symbol, price FROM b WHERE price > 0;
CREATE STREAM m AS LMERGE (a, b, C);
CREATE TEMPORAL STREAM n AS LMERGE (m, b)
OPTIONS (case 'r3-', insert 'share', share 0.25, adjust 'At once', control 'ctl', absent 'b');
CREATE SINK changes USING json OPTIONS (path 'out/changes', elements true);
CREATE SINK counts USING json OPTIONS (path 'out/counts');
INSERT INTO changes SELECT * FROM n;
INSERT INTO counts SELECT _ve, COUNT(*) AS n FROM m GROUP BY _ve;

-- bound
-- stream a: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   ON (_from ASC)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=('symbol',), open_close=False)
--   json {'path': 'in/a'}
-- stream b: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   ON (_from ASC)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=('symbol',), open_close=False)
--   json {'path': 'in/b'}
-- stream c: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- Projection symbol, price, _vs, _ve, _vold, _adjust, _from
--   Filter (price > 0.0)
--     Source b
-- stream m: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- LMerge a, b, c
--   Source a
--   Source b
--   Projection symbol, price, _vs, _ve, _vold, _adjust, _from named c
--     Filter (price > 0.0)
--       Source b
-- stream n: symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- LMerge m, b (case R3-, insert share 0.25, adjust at once)
--   LMerge a, b, c named m
--     Source a
--     Source b
--     Projection symbol, price, _vs, _ve, _vold, _adjust, _from named c
--       Filter (price > 0.0)
--         Source b
--   Source b
--   Source n.control
-- sink changes: json {'path': 'out/changes', 'elements': 'true'}
-- sink counts: json {'path': 'out/counts'}
-- query changes
-- symbol STRING, price DOUBLE, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
-- LMerge m, b (case R3-, insert share 0.25, adjust at once) named n
--   LMerge a, b, c named m
--     Source a
--     Source b
--     Projection symbol, price, _vs, _ve, _vold, _adjust, _from named c
--       Filter (price > 0.0)
--         Source b
--   Source b
--   Source n.control
-- query counts
-- _ve BIGINT, n BIGINT (,)
-- Aggregate COUNT(*) AS n by _ve
--   Final
--     LMerge a, b, c named m
--       Source a
--       Source b
--       Projection symbol, price, _vs, _ve, _vold, _adjust, _from named c
--         Filter (price > 0.0)
--           Source b
