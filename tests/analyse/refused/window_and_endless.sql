-- The rows of t are in no window, and all of them may be met.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT x.b, e FROM s [ROWS 100] AS x JOIN t ON x.a = d;

-- checked
-- q: refused
--   join keeps t: state grows without bound: s promises no punctuation on the join key
--   without punctuations, memory is unbounded: rows of t are in no window, and their number is unbounded
--   5 | INSERT INTO q SELECT x.b, e FROM s [ROWS 100] AS x JOIN t ON x.a = d;
--     |                                  ^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s
--         or write ALLOW UNBOUNDED after the query
