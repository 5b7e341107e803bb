-- Bids with the id of their channel, of its name or in its address.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q21 USING parquet OPTIONS (path 'out');

INSERT INTO q21
SELECT auction, bidder, price, channel,
  CASE LOWER(channel)
    WHEN 'apple' THEN '0'
    WHEN 'google' THEN '1'
    WHEN 'facebook' THEN '2'
    WHEN 'baidu' THEN '3'
    ELSE REGEXP_EXTRACT(url, '[?&]channel_id=([^&]*)', 1)
  END AS channelId
FROM bid
WHERE LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu') OR url LIKE '%&channel_id=%';
