CREATE STREAM a (k BIGINT, v BIGINT, tags ARRAY<STRING>, at STRUCT<x: DOUBLE>, PUNCTUATE (v ASC)) USING json OPTIONS (path 'in/a');
CREATE STREAM b (k BIGINT, w BIGINT, PUNCTUATE (w ASC)) USING json OPTIONS (path 'in/b');
CREATE SINK out USING json OPTIONS (path 'out');
INSERT INTO out
SELECT a.*, b.w FROM a JOIN b ON a.k = b.k AND a.k = 8;

-- checked
-- out: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   without punctuations, memory is unbounded: v of a is in the result, and the column's domain is unbounded (C1)
--   5 | SELECT a.*, b.w FROM a JOIN b ON a.k = b.k AND a.k = 8;
--     |                      ^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a and PUNCTUATED ON (k) to b
--         or write ALLOW UNBOUNDED after the query
