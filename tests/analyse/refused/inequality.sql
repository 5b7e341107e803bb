-- A join on a bounded attribute, and an inequality whose values are without end.
CREATE STREAM s (a BIGINT, b BIGINT, DOMAIN a BETWEEN 0 AND 3) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a FROM s JOIN t ON a = d AND b < e;

-- checked
-- q: refused
--   join keeps s: never purged, because no scheme reaches t
--   join keeps t: never purged, because no scheme reaches s
--   without punctuations not in bounded memory: b of s has to be below e of t, and how many are is without end (C3)
--   none can be forgotten of s(a, b) = (0, 1), (0, 3), (0, 5), …: what comes later, such as t(d, e) = (0, 2), tells which of them came
--   5 | INSERT INTO q SELECT a FROM s JOIN t ON a = d AND b < e;
--     |                             ^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s and PUNCTUATED ON (d) to t
--         or write ALLOW UNBOUNDED after the query
