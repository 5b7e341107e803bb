-- Finitely many partitions of which three rows are kept each.
CREATE STREAM bid (kind BIGINT NOT NULL, price BIGINT, DOMAIN kind BETWEEN 1 AND 9) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT kind, price FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY kind ORDER BY price) <= 3;

-- checked
-- result: admitted
--   top 3 of bid: at most 27 rows, which come out when the streams have ended
--   without punctuations, memory is bounded, as the lines above say
