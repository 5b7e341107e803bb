-- One punctuation on y ends what c sends to the join.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM c (k BIGINT, y BIGINT, PUNCTUATED ON (y)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, t.k AS l FROM a JOIN (SELECT DISTINCT k FROM c WHERE y = 8) t ON a.k = t.k;

-- checked
-- result: admitted
--   dupelim of c: purged by c(y)
--   join keeps a: purged by the end of c
--   join keeps c: purged by a(k)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
