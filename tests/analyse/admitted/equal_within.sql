-- Columns of one stream that must be equal: punctuations on x speak of k.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (x)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k WHERE a.x = a.k;

-- checked
-- result: admitted
--   join keeps a: purged by b(k)
--   join keeps b: purged by a(x)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
