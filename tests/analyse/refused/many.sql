-- Many smallest sets: one scheme on any of three columns for each of two streams.
CREATE STREAM a (x BIGINT, y BIGINT, z BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (x BIGINT, y BIGINT, z BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.x FROM a, b WHERE a.x = b.x AND a.y = b.y AND a.z = b.z;

-- checked
-- result: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   without punctuations, memory is unbounded: x of a is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of a(x, y, z) = (1, 1, 1), (2, 1, 1), (3, 1, 1), … must be kept, because later rows such as b(x, y, z) = (1, 1, 1) would tell them apart
--   7 | SELECT a.x FROM a, b WHERE a.x = b.x AND a.y = b.y AND a.z = b.z;
--     |                 ^^^^
--   hint: add PUNCTUATED ON (x) to a and PUNCTUATED ON (x) to b
--         or add PUNCTUATED ON (x) to a and PUNCTUATED ON (y) to b
--         or add PUNCTUATED ON (x) to a and PUNCTUATED ON (z) to b
--         or add PUNCTUATED ON (y) to a and PUNCTUATED ON (x) to b
--         or add PUNCTUATED ON (y) to a and PUNCTUATED ON (y) to b
--         or add PUNCTUATED ON (y) to a and PUNCTUATED ON (z) to b
--         or add PUNCTUATED ON (z) to a and PUNCTUATED ON (x) to b
--         or add PUNCTUATED ON (z) to a and PUNCTUATED ON (y) to b
--         or add PUNCTUATED ON (z) to a and PUNCTUATED ON (z) to b
--         or write ALLOW UNBOUNDED after the query
