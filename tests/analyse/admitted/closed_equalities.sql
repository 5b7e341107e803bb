-- From a.k = b.k and b.k = c.k follows a.k = c.k: a reaches c first, which alone knows x.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k, x)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, y BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, b.x FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND b.x = c.y;

-- checked
-- result: admitted
--   join keeps a: purged by c(k), then b(k, x)
--   join keeps b: purged by a(k), then c(k)
--   join keeps c: purged by a(k), then b(k, x)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
