-- Punctuations on (k, 7) and (k, 8) together close k.
CREATE STREAM a (k BIGINT, h BIGINT, PUNCTUATED ON (k, h)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT k FROM a WHERE h = 7 OR h = 8;

-- checked
-- result: admitted
--   dupelim of a: purged by a(k, h)
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
