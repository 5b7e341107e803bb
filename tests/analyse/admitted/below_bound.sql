-- The prefix that ends with hour 9 closes b for good.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, h BIGINT, PUNCTUATED ON (h ASC)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, h FROM a JOIN b ON a.k = b.k WHERE b.h < 10;

-- checked
-- result: admitted
--   join keeps a: purged by the end of b
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
