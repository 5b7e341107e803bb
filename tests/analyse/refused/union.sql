-- Both sides must promise.
CREATE STREAM one (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'one');
CREATE STREAM two (sid BIGINT, ts TIMESTAMP, v BIGINT) USING json OPTIONS (path 'two');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT sid, ts FROM one UNION SELECT sid, ts FROM two;

-- checked
-- result: refused
--   union of one, two: state grows without bound: two promises no punctuations on any of its columns (sid, ts)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT sid, ts FROM one UNION SELECT sid, ts FROM two;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to two
--         or add PUNCTUATED ON (ts) to two
--         or write ALLOW UNBOUNDED after the query
