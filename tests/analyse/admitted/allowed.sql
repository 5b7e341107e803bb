-- A query that says it may be unbounded.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k ALLOW UNBOUNDED;

-- checked
-- result: unbounded, and allowed to be
--   join keeps a: never purged, because no scheme reaches b
--   join keeps b: never purged, because no scheme reaches a
--   without punctuations not in bounded memory: k of a is in the result, and its values are without end (C1)
--   none can be forgotten of a(k) = (1), (2), (3), …: what comes later, such as b(k) = (1), tells which of them came
--   7 | SELECT a.k FROM a JOIN b ON a.k = b.k ALLOW UNBOUNDED;
--     |                 ^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a and PUNCTUATED ON (k) to b
