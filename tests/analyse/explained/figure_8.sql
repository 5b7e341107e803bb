-- Figures 8 to 10: a scheme on two attributes, which two streams know together.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (b), PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a, c)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;

-- explained
-- result: admitted
--   join keeps s1: purged by s2(b), then s3(a, c)
--   join keeps s2: purged by s1(b), then s3(a, c)
--   join keeps s3: purged by s2(c), then s1(b)
--   without punctuations, memory is unbounded: a of s1 is in the result, and the column's domain is unbounded (C1)
--   plan
--     Projection s1.a AS a, s1.b AS b, s2.c AS c
--       Join s2.c = s3.c, s1.a = s3.a
--         Join s1.b = s2.b
--           Source s1
--           Source s2
--         Source s3
--   stages
--     stage 1
--       Join b = b #2
--         exchange s1 by b
--         exchange s2 by b
--     stage 2
--       Projection a, b, c
--         Join c = c #2, a = a #2
--           exchange stage 1 by c, a
--           exchange s3 by c, a
--   plans of the join of s1, s2, s3, the best for memory first
--     (s1, s2, s3)     keeps 840k rows  21.4k steps/s
--     ((s1, s2), s3)  keeps 1.32M rows  31.2k steps/s
--     runs as written: ((s1, s2), s3); --objective memory runs the first plan
--   costs by plan options: which schemes are used, and when state is purged
--     all, eager      keeps 840k rows  21.4k steps/s
--     all, lazy       keeps 885k rows  13.3k steps/s
--     minimal, eager  keeps 840k rows  21.4k steps/s
--     minimal, lazy   keeps 885k rows  13.3k steps/s
--     minimal: s1(b), s2(b), s2(c), s3(a, c)
--   which punctuations purge which input of the join of s1, s2, s3 (punctuation graph)
--     s1 -> s2       s2(b)
--     s1 + s2 -> s3  s3(a, c)
--     s2 -> s1       s1(b)
--     s3 -> s2       s2(c)
--     strongly connected: s1, s2, s3
