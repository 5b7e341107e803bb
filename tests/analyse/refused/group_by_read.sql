-- The hour is read, so that punctuations on (k, hour) come to the group-by as they are.
CREATE STREAM a (k BIGINT, h BIGINT, DOMAIN h BETWEEN 0 AND 3, PUNCTUATED ON (k, h)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, MAX(h) AS last FROM a GROUP BY k;

-- checked
-- result: refused
--   group-by of a: never purged, because it lacks a scheme on nothing but k
--   without punctuations not in bounded memory: k of a is grouped by, and its values are without end (C1)
--   none can be forgotten of a(k, h) = (1, 0), (2, 0), (3, 0), …: what comes later, such as a(k, h) = (1, 0), tells which of them came
--   6 | SELECT k, MAX(h) AS last FROM a GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (h) to a
--         or add PUNCTUATED ON (k) to a
--         or write ALLOW UNBOUNDED after the query
