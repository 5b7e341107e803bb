-- Both branches demand the equality.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, y BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, x, y FROM a JOIN b ON (a.k = b.k AND x > 9) OR (y > x AND a.k = b.k);

-- checked
-- result: admitted
--   join keeps a: purged by b(k)
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
