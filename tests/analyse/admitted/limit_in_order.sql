-- The first ten bids, each final as soon as time has passed it.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result SELECT * FROM bid ORDER BY ts LIMIT 10;

-- checked
-- result: admitted
--   sort of bid: at most 10 rows
--   without punctuations, memory is bounded, as the lines above say
