-- What stands above a window runs in the join: the window counts all rows.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT x.a, y.e FROM s [ROWS 100] AS x JOIN t [ROWS 10] AS y ON x.a = y.d WHERE x.b > 3;

-- explained
-- q: admitted
--   join keeps s: the last 100 rows
--   join keeps t: the last 10 rows
--   without punctuations, memory is bounded: at most 230 values: s the last 100 rows of (a), t the last 10 rows of (d, e)
--   plan
--     Projection a, e
--       Join a = d
--         Filter (b > 3)
--           Window 100 rows
--             Source s
--         Window 10 rows
--           Source t
--   stages
--     stage 1
--       Projection a, e
--         MultiJoin a = d
--           Window 100 rows of input 0, Filter (b > 3), Projection a
--           Window 10 rows of input 1
--           exchange s into one bucket
--           exchange t into one bucket
