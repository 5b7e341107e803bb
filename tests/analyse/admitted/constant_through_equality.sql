-- a.x is fixed, and b.x with it.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (x)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k AND a.x = b.x WHERE a.x = 8;

-- checked
-- result: admitted
--   join keeps a: purged by b(x)
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
