-- Punctuations on kinds 7 and 8 together close b for good, whoever asks.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, kind BIGINT, PUNCTUATED ON (kind)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, kind FROM a JOIN b ON a.k = b.k WHERE b.kind IN (7, 8);

-- checked
-- result: admitted
--   join keeps a: purged by the end of b
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
