-- What each order has been paid: a row comes out when its last payment is there, and then nothing of it is kept.

CREATE STREAM orders (
  orderid BIGINT, customer STRING, amount DOUBLE,
  UNIQUE (orderid)                        -- each order comes once
) USING json OPTIONS (path 'in/orders');

CREATE STREAM payment (
  orderid BIGINT, paid DOUBLE, kind STRING,
  PUNCTUATE (orderid) WHEN kind = 'last'  -- behind it comes no payment of the order
) USING json OPTIONS (path 'in/payment');

CREATE SINK settled USING json OPTIONS (path 'out/settled');

INSERT INTO settled
SELECT o.orderid, o.customer, o.amount, SUM(p.paid) AS paid
FROM orders o JOIN payment p ON o.orderid = p.orderid
GROUP BY o.orderid, o.customer, o.amount;
