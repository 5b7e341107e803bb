-- Payments reconciled across three systems: what the shop sold, what the payment provider took, what the bank booked.
--
-- An order comes once. The provider may pay in parts, and says when it is done; the bank sends a punctuation for an order
-- when it expects no more. An order is compared when both are done, and not by a timeout.

CREATE STREAM shop (
  order_id BIGINT, amount DECIMAL(10, 2),
  UNIQUE (order_id)
) USING json OPTIONS (path 'in/shop');

CREATE STREAM provider (
  order_id BIGINT, paid DECIMAL(10, 2), state STRING,
  PUNCTUATE (order_id) WHEN state = 'done'
) USING json OPTIONS (path 'in/provider');

CREATE STREAM bank (
  order_id BIGINT, booked DECIMAL(10, 2),
  PUNCTUATED ON (order_id)
) USING json OPTIONS (path 'in/bank');

CREATE STREAM taken AS SELECT order_id, SUM(paid) AS paid FROM provider GROUP BY order_id;
CREATE STREAM entered AS SELECT order_id, SUM(booked) AS booked FROM bank GROUP BY order_id;

CREATE SINK reconciled USING json OPTIONS (path 'out/reconciled');
INSERT INTO reconciled
SELECT s.order_id, s.amount, t.paid, e.booked, s.amount - e.booked AS missing
FROM shop s
JOIN taken t ON s.order_id = t.order_id
JOIN entered e ON t.order_id = e.order_id;

CREATE SINK unbooked USING json OPTIONS (path 'out/unbooked');
INSERT INTO unbooked
SELECT order_id, amount FROM shop
WHERE NOT EXISTS (SELECT 1 FROM bank WHERE bank.order_id = shop.order_id);
