CREATE TEMPORAL STREAM a (name STRING, KEY (name)) USING json OPTIONS (path 'in/a');
CREATE STREAM b AS CLEANSE (a);
CREATE SINK changes USING json OPTIONS (path 'out/changes', elements 'true');
INSERT INTO changes SELECT * FROM b WHERE name > 'x';

-- bound
-- stream a: name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN (,), _from BIGINT
--   ON (_from ASC)
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=('name',), open_close=False)
--   json {'path': 'in/a'}
-- stream b: name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN false, _from BIGINT
--   Temporal(ordered=False, strictly=False, insert_only=False, ties=False, key=None, open_close=False)
-- Cleansed
--   Source a
-- sink changes: json {'path': 'out/changes', 'elements': 'true'}
-- query changes
-- name STRING, _vs BIGINT (,), _ve BIGINT, _vold BIGINT, _adjust BOOLEAN false, _from BIGINT
-- Filter (name > 'x')
--   Cleansed named b
--     Source a
