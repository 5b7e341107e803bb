-- The rows of t are in no window, and all of them may be met.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT x.b, e FROM s [ROWS 100] AS x JOIN t ON x.a = d;

-- checked
-- q: refused
--   join keeps t: never purged, because no scheme reaches s
--   without punctuations not in bounded memory: rows of t are in no window, and have no end
--   5 | INSERT INTO q SELECT x.b, e FROM s [ROWS 100] AS x JOIN t ON x.a = d;
--     |                                  ^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s
--         or write ALLOW UNBOUNDED after the query
