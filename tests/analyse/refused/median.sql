-- A median of everything keeps everything, and no scheme can help.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT MEDIAN(x) AS middle FROM a;

-- checked
-- result: refused
--   group-by of a: never purged, because it lacks groups that could be closed
--   without punctuations not in bounded memory: MEDIAN has to know every value of x of a, and these are without end (C1)
--   none can be forgotten of a(x) = (4), (5), (6), …: what comes later, such as a(x) = (7), tells which of them came
--   6 | SELECT MEDIAN(x) AS middle FROM a;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: no scheme would help
--         or write ALLOW UNBOUNDED after the query
