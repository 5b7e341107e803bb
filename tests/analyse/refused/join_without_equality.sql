-- Streams that are joined without an equality: only an end purges, and the rows to be counted are without end.
CREATE STREAM s (a BIGINT, b BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a FROM s JOIN t ON b < e WHERE a IN (1, 2);

-- checked
-- q: refused
--   join keeps s: never purged, because no scheme reaches t
--   without punctuations not in bounded memory: b of s has to be below e of t, and how many are is without end (C3)
--   none can be forgotten of s(a, b) = (1, 1), (1, 3), (1, 5), …: what comes later, such as t(e) = (2), tells which of them came
--   5 | INSERT INTO q SELECT a FROM s JOIN t ON b < e WHERE a IN (1, 2);
--     |                             ^^^^^^^^
--   hint: join every stream by an equality: ON one.x = other.y, of plain columns
--         or write ALLOW UNBOUNDED after the query
