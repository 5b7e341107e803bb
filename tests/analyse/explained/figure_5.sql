-- Figures 5 and 7: no tree of binary joins is safe, the 3-way join is.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;

-- explained
-- result: admitted
--   join keeps s1: purged by s3(a), then s2(c)
--   join keeps s2: purged by s1(b), then s3(a)
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
--       Projection a, b, c
--         MultiJoin a = a #2, b = b #2, c = c #2
--           exchange s1 by a, b, *
--           exchange s2 by *, b, c
--           exchange s3 by a, *, c
--     the joins as written are not safe one by one, so they run as one join of many inputs
--   plans of the join of s1, s2, s3, the best for memory first
--     (s1, s2, s3)                keeps 720k rows  19.2k steps/s
--     ((s1, s2), s3), as written         not safe
--   costs by plan options: which schemes are used, and when state is purged
--     all, eager      keeps 720k rows  19.2k steps/s
--     all, lazy       keeps 765k rows  12.3k steps/s
--     minimal, eager  keeps 720k rows  19.2k steps/s
--     minimal, lazy   keeps 765k rows  12.3k steps/s
--     minimal: s1(b), s2(c), s3(a)
--   which punctuations purge which input of the join of s1, s2, s3 (punctuation graph)
--     s1 -> s3  s3(a)
--     s2 -> s1  s1(b)
--     s3 -> s2  s2(c)
--     strongly connected: s1, s2, s3
