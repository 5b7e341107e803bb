-- Nobody reads the flag, so that a punctuation for each of its values closes k.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, flag BOOLEAN NOT NULL, PUNCTUATED ON (k, flag)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, x FROM a JOIN b ON a.k = b.k;

-- checked
-- result: admitted
--   join keeps a: purged by b(k)
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
