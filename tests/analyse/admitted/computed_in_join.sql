-- A column that is computed between two joins; k + 1 carries k's punctuations.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT t.x FROM (SELECT a.k + 1 AS next, b.x FROM a JOIN b ON a.k = b.k) t JOIN c ON t.next = c.k;

-- checked
-- result: admitted
--   join keeps a: purged by c(k), then b(k)
--   join keeps b: purged by a(k), then c(k)
--   join keeps c: purged by a((k + 1)), then b(k)
--   without punctuations, memory is unbounded: x of b is in the result, and the column's domain is unbounded (C1)
