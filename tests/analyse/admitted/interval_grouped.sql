-- Groups of the hour in which an interval begins are released when both streams have passed them.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT DATE_TRUNC('hour', a.ts) AS hour, SUM(b.y) AS total
FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts - INTERVAL 5 MINUTES AND a.ts + INTERVAL 5 MINUTES
GROUP BY DATE_TRUNC('hour', a.ts);

-- checked
-- q: admitted
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   group-by of a, b: purged by a(ts ASC)
--   without punctuations, memory is unbounded: ts of a is a grouping column, and the column's domain is unbounded (C1)
