-- A stream that only a constant joins.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a, b, c WHERE a.k = b.k AND b.x = c.x AND c.k = 8;

-- checked
-- result: refused
--   join keeps a: never purged, because no scheme reaches c
--   join keeps b: never purged, because no scheme reaches c
--   join keeps c: never purged, because no scheme reaches a, b
--   without punctuations not in bounded memory: k of a is in the result, and its values are without end (C1)
--   none can be forgotten of a(k) = (1), (2), (3), …: what comes later, such as b(k, x) = (1, 1) and c(k, x) = (8, 1), tells which of them came
--   8 | SELECT a.k FROM a, b, c WHERE a.k = b.k AND b.x = c.x AND c.k = 8;
--     |                 ^^^^^^^
--   hint: add PUNCTUATED ON (x) to b and PUNCTUATED ON (k) to c
--         or add PUNCTUATED ON (x) to b and PUNCTUATED ON (x) to c
--         or write ALLOW UNBOUNDED after the query
