-- One punctuation on kind 8 closes b for good, whoever asks.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, kind BIGINT, PUNCTUATED ON (kind)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.kind = 8;

-- checked
-- result: admitted
--   join keeps a: purged by b(kind)
--   join keeps b: purged by a(k)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
