-- The same with a column that tells k only up to a factor.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT t.x FROM (SELECT a.k div 2 AS half, b.x FROM a JOIN b ON a.k = b.k) t JOIN c ON t.half = c.k;

-- checked
-- result: refused
--   join keeps c: state grows without bound: none of a, b promises punctuations on the keys that join it with the other inputs
--   not decided: (a.k DIV 2) maps several values to one, so punctuations on single values of what it reads are not used
--   without punctuations, memory is unbounded: x of b is in the result, and the column's domain is unbounded (C1)
--   8 | SELECT t.x FROM (SELECT a.k div 2 AS half, b.x FROM a JOIN b ON a.k = b.k) t JOIN c ON t.half = c.k;
--     |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k ASC) to a
--         or add PUNCTUATED ON (k DESC) to a
--         or write ALLOW UNBOUNDED after the query
