-- Kind is only compared, not fixed.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, kind BIGINT, PUNCTUATED ON (kind)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.kind > 8;

-- checked
-- result: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of a(k) = (1), (2), (3), … must be kept, because later rows such as b(k, kind) = (1, 9) would tell them apart
--   7 | SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.kind > 8;
--     |                 ^^^^^^^^
--   hint: add PUNCTUATED ON (k) to b
--         or add PUNCTUATED ON (kind DESC) to b
--         or write ALLOW UNBOUNDED after the query
