-- The same once each: the least b and the greatest e of each a will do.
CREATE STREAM s (a BIGINT, b BIGINT, DOMAIN a BETWEEN 0 AND 3) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e;

-- checked
-- q: refused
--   join keeps s: never purged, because no scheme reaches t
--   join keeps t: never purged, because no scheme reaches s
--   without punctuations in bounded memory: at most 20 values: s a row of (a, b) for each of 4 buckets by a, t a row of (d, e) for each of 4 buckets by d, the answer 4; this version does not run on that yet
--   5 | INSERT INTO q SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e;
--     |                                      ^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s and PUNCTUATED ON (d) to t
--         or write ALLOW UNBOUNDED after the query
