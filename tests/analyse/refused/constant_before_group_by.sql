-- Punctuations on (k, h) close a group of k when h is 8; a subquery without h says so.
CREATE STREAM a (k BIGINT, h BIGINT, PUNCTUATED ON (k, h)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, COUNT(*) AS n FROM a WHERE h = 8 GROUP BY k;

-- checked
-- result: refused
--   group-by of a: never purged, because it lacks a scheme on nothing but k
--   without punctuations not in bounded memory: k of a is grouped by, and its values are without end (C1)
--   none can be forgotten of a(k, h) = (1, 8), (2, 8), (3, 8), …: what comes later, such as a(k, h) = (1, 8), tells which of them came
--   6 | SELECT k, COUNT(*) AS n FROM a WHERE h = 8 GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (h) to a
--         or add PUNCTUATED ON (k) to a
--         or take the columns that are compared with constants out before GROUP BY, in a subquery
--         or write ALLOW UNBOUNDED after the query
