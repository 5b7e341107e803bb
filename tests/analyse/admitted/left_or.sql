-- Each branch has a bound, in an outer join too.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a LEFT JOIN b
ON a.id = b.id AND (b.ts BETWEEN a.ts AND a.ts + INTERVAL 20 MINUTES OR (b.y > 5 AND b.ts = a.ts - INTERVAL 10 MINUTES));

-- checked
-- q: admitted
--   left join of a: purged by b(ts ASC)
--   left join of b: purged by a(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
