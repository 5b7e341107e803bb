-- Spelling does not matter: the same minute, by functions of both times.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a JOIN b ON a.id = b.id AND DATE_TRUNC('minute', a.ts) = DATE_TRUNC('minute', b.ts);

-- checked
-- q: admitted
--   join keeps a: purged by b(date_trunc('MINUTE', ts) ASC)
--   join keeps b: purged by a(date_trunc('MINUTE', ts) ASC)
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
