-- The same, with the windows as columns.
CREATE STREAM person (id BIGINT, name STRING, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'person');
CREATE STREAM auction (id BIGINT, seller BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'auction');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT p.id, p.name, p.window_start
FROM TABLE(TUMBLE(TABLE person, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS p
JOIN TABLE(TUMBLE(TABLE auction, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS a
ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end;

-- checked
-- result: admitted
--   join keeps person: purged by auction(window_end ASC)
--   join keeps auction: purged by person(window_end ASC)
--   without punctuations, memory is unbounded: id of person is in the result, and the column's domain is unbounded (C1)
