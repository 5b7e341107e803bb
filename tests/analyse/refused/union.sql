-- Both sides must promise.
CREATE STREAM one (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'one');
CREATE STREAM two (sid BIGINT, ts TIMESTAMP, v BIGINT) USING json OPTIONS (path 'two');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT sid, ts FROM one UNION SELECT sid, ts FROM two;

-- checked
-- result: refused
--   union of one, two: never purged, because it lacks a scheme of two on some of sid, ts
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   7 | SELECT sid, ts FROM one UNION SELECT sid, ts FROM two;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to two
--         or add PUNCTUATED ON (ts) to two
--         or write ALLOW UNBOUNDED after the query
