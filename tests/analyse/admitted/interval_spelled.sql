-- Spelling does not matter: each of these conditions bounds b.ts by a.ts, and a.ts by b.ts, or days.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, d DATE, PUNCTUATED ON (ts ASC), PUNCTUATED ON (d)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, d DATE, PUNCTUATED ON (ts ASC), PUNCTUATED ON (d)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id FROM a JOIN b ON NOT (b.ts < a.ts OR b.ts > a.ts + INTERVAL 1 HOUR)
UNION ALL SELECT a.id FROM a JOIN b ON COALESCE(b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR, FALSE)
UNION ALL SELECT a.id FROM a JOIN b ON ABS(unix_timestamp(a.ts) - unix_timestamp(b.ts)) <= 60 * 60
UNION ALL SELECT a.id FROM a JOIN b ON datediff(b.d, a.d) BETWEEN 0 AND 3
UNION ALL SELECT a.id FROM a JOIN b ON b.d = date_add(a.d, 1)
UNION ALL SELECT a.id FROM a JOIN b ON datediff(a.d, b.d) IN (0, 7)
UNION ALL SELECT a.id FROM a LEFT JOIN b ON a.id = b.id WHERE b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;

-- checked
-- q: admitted
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   join keeps a: purged by b((unix_micros(ts) DIV 1000000) ASC)
--   join keeps b: purged by a((unix_micros(ts) DIV 1000000) ASC)
--   join keeps a: purged by b(d)
--   join keeps b: purged by a(d)
--   join keeps a: purged by b(d)
--   join keeps b: purged by a(date_add(d, 1))
--   join keeps a: purged by b(d)
--   join keeps b: purged by a(d)
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
