-- The same without the scheme of c.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k, x)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, y BIGINT) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, b.x FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND b.x = c.y;

-- checked
-- result: refused
--   join keeps a: state grows without bound: none of b, c promises punctuations on the keys that join it with the other inputs
--   join keeps b: state grows without bound: c promises no punctuation on the join key
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of a(k) = (1), (2), (3), … must be kept, because later rows such as b(k, x) = (1, 1) and c(k, y) = (1, 1) would tell them apart
--   8 | SELECT a.k, b.x FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND b.x = c.y;
--     |                      ^^^^^^^
--   hint: add PUNCTUATED ON (k) to c
--         or write ALLOW UNBOUNDED after the query
