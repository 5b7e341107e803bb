-- A stream of changes joined with another stream: each order with the customer's city as it was when the order was placed.
--
-- The database sends a row for each version of a customer when it is replaced, with the time from which and up to which it
-- held. Versions come at most 2 hours behind each other, orders a minute: so each is forgotten when the other has gone past it.

CREATE STREAM customer (
  id BIGINT, city STRING, since TIMESTAMP, until TIMESTAMP,
  PUNCTUATE (since ASC) DELAY '2 hours'
) USING json OPTIONS (path 'in/customer');

CREATE STREAM placed (
  order_id BIGINT, id BIGINT, amount DECIMAL(10, 2), ts TIMESTAMP,
  PUNCTUATE (ts ASC) DELAY '1 minute'
) USING json OPTIONS (path 'in/placed');

CREATE SINK shipped USING json OPTIONS (path 'out/shipped');
INSERT INTO shipped
SELECT o.order_id, o.amount, c.city
FROM placed o JOIN customer c ON o.id = c.id AND o.ts >= c.since AND o.ts < c.until;
