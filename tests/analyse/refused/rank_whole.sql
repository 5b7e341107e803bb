-- One partition, and peers without end.
CREATE STREAM bid (auction BIGINT, price BIGINT, PUNCTUATED ON (auction)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT auction, price FROM bid QUALIFY RANK() OVER (ORDER BY price * 0 DESC) <= 3;

-- checked
-- result: refused
--   top 3 of bid: state grows without bound: it has no PARTITION BY, so no punctuation closes its partition
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT auction, price FROM bid QUALIFY RANK() OVER (ORDER BY price * 0 DESC) <= 3;
--     |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: no further PUNCTUATED ON clause would help
--         or write ALLOW UNBOUNDED after the query
