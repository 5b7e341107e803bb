-- Order alone closes a join of rows in the same window.
CREATE STREAM person (id BIGINT, name STRING, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'person');
CREATE STREAM auction (id BIGINT, seller BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'auction');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT p.id, p.name FROM person p JOIN auction a ON p.id = a.seller AND window(p.ts, '10 seconds') = window(a.ts, '10 seconds');

-- checked
-- result: admitted
--   join keeps person: purged by auction(tumble(ts, INTERVAL '10' SECOND) ASC)
--   join keeps auction: purged by person(tumble(ts, INTERVAL '10' SECOND) ASC)
--   without punctuations, memory is unbounded: id of person is in the result, and the column's domain is unbounded (C1)
