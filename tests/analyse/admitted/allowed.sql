-- A query that says it may be unbounded.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k ALLOW UNBOUNDED;

-- checked
-- result: admitted with unbounded state (ALLOW UNBOUNDED)
--   join keeps a: state grows without bound: b promises no punctuation on the join key
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of a(k) = (1), (2), (3), … must be kept, because later rows such as b(k) = (1) would tell them apart
--   7 | SELECT a.k FROM a JOIN b ON a.k = b.k ALLOW UNBOUNDED;
--     |                 ^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a and PUNCTUATED ON (k) to b
