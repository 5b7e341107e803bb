-- The same in an outer join, and a function that is neither injective nor monotone.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC), PUNCTUATED ON (id)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a LEFT JOIN b
ON a.id = ABS(b.id) AND (b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR OR b.y > a.x);

-- checked
-- q: refused
--   left join of a: state grows without bound: b promises no punctuations on its join columns alone (abs(id))
--   left join of b: state grows without bound: a promises no punctuations on its join columns alone (id)
--   not decided: (((b.ts >= a.ts) AND (b.ts <= (a.ts + INTERVAL '1' HOUR))) OR (b.y > a.x)) is no equality and no difference of columns, so no more of it is used than follows from each branch
--   not decided: abs(b.id) keeps neither values nor order apart, so punctuations on what it reads are not used
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT a.id, b.y FROM a LEFT JOIN b
--     |                       ^^^^^^^^^^^^^
--   hint: no further PUNCTUATED ON clause would help
--         or write ALLOW UNBOUNDED after the query
