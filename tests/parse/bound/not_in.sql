CREATE STREAM a (k BIGINT NOT NULL, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT NOT NULL, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK out USING json OPTIONS (path 'out');
INSERT INTO out SELECT v FROM a WHERE k NOT IN (SELECT k FROM b WHERE b.v = a.v)

-- bound
-- stream a: k BIGINT (,), v BIGINT
--   ON (k)
--   json {'path': 'a'}
-- stream b: k BIGINT (,), v BIGINT
--   ON (k)
--   json {'path': 'b'}
-- sink out: json {'path': 'out'}
-- query out
-- v BIGINT
-- Projection v
--   AntiJoin v = v_2, k = k_2
--     Source a
--     Source b
