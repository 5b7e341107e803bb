-- Every row meets every other.
CREATE STREAM s (a BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a, d FROM s CROSS JOIN t;

-- checked
-- q: refused
--   join keeps s: never purged, because no scheme reaches t
--   join keeps t: never purged, because no scheme reaches s
--   without punctuations not in bounded memory: a of s is in the result, and its values are without end (C1)
--   none can be forgotten of s(a) = (1), (2), (3), …: what comes later, such as t(d) = (1), tells which of them came
--   5 | INSERT INTO q SELECT a, d FROM s CROSS JOIN t;
--     |                                ^^^^^^^^^^^^^^
--   hint: join every stream by an equality: ON one.x = other.y, of plain columns
--         or write ALLOW UNBOUNDED after the query
