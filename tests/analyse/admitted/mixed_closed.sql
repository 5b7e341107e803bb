-- The part on synopses says what all its streams have said: s ends with a = 10, and t closes each d.
CREATE STREAM s (a BIGINT, b BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT d, MAX(e) AS most FROM s JOIN t ON b < e WHERE a = 10 AND d IN (1, 2) GROUP BY d;

-- checked
-- q: admitted
--   synopsis of s: at most 1 value: a row of (b)
--   synopsis of t: at most 4 values: a row of (d, e) for each of 2 buckets by d
--   synopsis of the answer: at most 4 values
--   without punctuations, memory is bounded: at most 9 values: s a row of (b), t a row of (d, e) for each of 2 buckets by d, the answer 4
