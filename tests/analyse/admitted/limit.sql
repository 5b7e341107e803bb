-- The ten highest bids, which are final when the stream has ended.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result SELECT * FROM bid ORDER BY price DESC LIMIT 10;

-- checked
-- result: admitted
--   sort of bid: at most 10 rows, which come out when the streams have ended
--   without punctuations, memory is bounded, as the lines above say
--   unused punctuation schemes: bid(ts ASC)
