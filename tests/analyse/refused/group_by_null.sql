-- A flag that may be NULL: no punctuation on it is promised, and so k is never closed.
CREATE STREAM a (k BIGINT, flag BOOLEAN, PUNCTUATED ON (k, flag)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, COUNT(*) AS n FROM a GROUP BY k;

-- checked
-- result: refused
--   group-by of a: never purged, because it lacks a scheme on nothing but k
--   without punctuations not in bounded memory: k of a is grouped by, and its values are without end (C1)
--   none can be forgotten of a(k) = (1), (2), (3), …: what comes later, such as a(k) = (1), tells which of them came
--   6 | SELECT k, COUNT(*) AS n FROM a GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a
--         or write ALLOW UNBOUNDED after the query
