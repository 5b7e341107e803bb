-- A text of a number is not every text: none closes the rows of b with another one.
CREATE STREAM a (k BIGINT, x DOUBLE, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k STRING, y DOUBLE, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a.k, b.y FROM a JOIN b ON CAST(a.k AS STRING) = b.k;

-- checked
-- q: refused
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   not decided: CAST(a.k AS STRING) does not have every value, so punctuations on single values of what it reads are not used
--   without punctuations, memory is unbounded: k of a is in the result, and the column's domain is unbounded (C1)
--   5 | INSERT INTO q SELECT a.k, b.y FROM a JOIN b ON CAST(a.k AS STRING) = b.k;
--     |                                    ^^^^^^^^
--   hint: join every stream by an equality: ON a.x = b.y
--         or write ALLOW UNBOUNDED after the query
