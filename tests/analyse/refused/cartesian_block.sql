-- A stream that only a constant joins.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a, b, c WHERE a.k = b.k AND b.x = c.x AND c.k = 8;

-- checked
-- result: refused
--   join keeps a: state grows without bound: c promises no punctuation on the join key
--   join keeps b: state grows without bound: c promises no punctuation on the join key
--   join keeps c: state grows without bound: none of a, b promises punctuations on the keys that join it with the other inputs
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of a(k) = (1), (2), (3), … must be kept, because later rows such as b(k, x) = (1, 1) and c(k, x) = (8, 1) would tell them apart
--   8 | SELECT a.k FROM a, b, c WHERE a.k = b.k AND b.x = c.x AND c.k = 8;
--     |                 ^^^^^^^
--   hint: add PUNCTUATED ON (x) to b and PUNCTUATED ON (k) to c
--         or add PUNCTUATED ON (x) to b and PUNCTUATED ON (x) to c
--         or write ALLOW UNBOUNDED after the query
