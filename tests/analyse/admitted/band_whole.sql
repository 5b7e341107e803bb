-- Whole numbers between two that are known are finitely many: each of them is closed by itself.
CREATE STREAM a (k BIGINT, x DOUBLE, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, y DOUBLE, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.k, b.y FROM a JOIN b ON b.k BETWEEN a.k AND a.k + 3;

-- checked
-- q: admitted
--   join keeps a: purged by b(k)
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
