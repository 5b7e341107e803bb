-- What b and c have still to send cannot meet once their orders have passed each other; but neither is reached alone.
CREATE STREAM a (id BIGINT, x DOUBLE) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE STREAM c (id BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts DESC)) USING json OPTIONS (path 'c');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a.x FROM a JOIN b ON a.id = b.id JOIN c ON a.id = c.id AND b.ts <= c.ts;

-- checked
-- q: refused
--   join keeps a: state grows without bound: none of b, c promises punctuations on the keys that join it with the other inputs
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   join keeps c: state grows without bound: a promises no punctuation on the join key
--   not decided: some inputs are in ascending order and some in descending order, and what both mean together is not used
--   without punctuations, memory is unbounded: x of a is in the result, and the column's domain is unbounded (C1)
--   6 | INSERT INTO q SELECT a.x FROM a JOIN b ON a.id = b.id JOIN c ON a.id = c.id AND b.ts <= c.ts;
--     |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (id) to a and PUNCTUATED ON (id) to b
--         or add PUNCTUATED ON (id) to a and PUNCTUATED ON (id) to c
--         or write ALLOW UNBOUNDED after the query
