-- Kind is only compared, not fixed.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, kind BIGINT, PUNCTUATED ON (kind)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.kind > 8;

-- checked
-- result: refused
--   join keeps a: never purged, because no scheme reaches b
--   without punctuations not in bounded memory: k of a is in the result, and its values are without end (C1)
--   none can be forgotten of a(k) = (1), (2), (3), …: what comes later, such as b(k, kind) = (1, 9), tells which of them came
--   7 | SELECT a.k FROM a JOIN b ON a.k = b.k WHERE b.kind > 8;
--     |                 ^^^^^^^^
--   hint: add PUNCTUATED ON (k) to b
--         or add PUNCTUATED ON (kind DESC) to b
--         or write ALLOW UNBOUNDED after the query
