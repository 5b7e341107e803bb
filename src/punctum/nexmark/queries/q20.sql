-- Bids on auctions of a category, with what is sold.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATED ON (auction)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  UNIQUE (id)
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE SINK q20 USING parquet OPTIONS (path 'out');

INSERT INTO q20
SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.dateTime AS bidTime, b.extra,
  a.itemName, a.description, a.initialBid, a.reserve, a.dateTime AS auctionTime, a.expires, a.seller, a.category
FROM bid b JOIN auction a ON b.auction = a.id
WHERE a.category = 10;
