-- Nothing bounds how late a partner may be.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.ts, b.y FROM a LEFT JOIN b ON a.id = b.id AND b.ts >= a.ts;

-- checked
-- q: refused
--   left join of a: state grows without bound: b promises no punctuations on its join columns alone (id, ts DESC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT a.ts, b.y FROM a LEFT JOIN b ON a.id = b.id AND b.ts >= a.ts;
--     |                       ^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (id) to b
--         or add PUNCTUATED ON (ts DESC) to b
--         or write ALLOW UNBOUNDED after the query
