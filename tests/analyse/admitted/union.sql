-- Different promises on both sides: together on both columns.
CREATE STREAM one (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'one');
CREATE STREAM two (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (sid)) USING json OPTIONS (path 'two');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT sid, ts FROM one UNION SELECT sid, ts FROM two;

-- checked
-- result: admitted
--   union of one, two: purged by one(ts ASC) and two(sid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
