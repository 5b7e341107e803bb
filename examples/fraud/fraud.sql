-- Rules over intervals: two payments of one card in different cities within 10 minutes, and many small ones in an hour.
--
-- Nothing but the order of the payments is known, and it is enough: a payment is forgotten when 10 minutes are over.

CREATE STREAM payment (
  payment_id BIGINT, card STRING, city STRING, amount DOUBLE, ts TIMESTAMP,
  PUNCTUATE (ts ASC) DELAY '30 seconds'
) USING json OPTIONS (path 'in/payment');

CREATE SINK apart USING json OPTIONS (path 'out/apart');
INSERT INTO apart
SELECT a.card, a.payment_id AS first, b.payment_id AS second, a.city AS here, b.city AS there
FROM payment a JOIN payment b
  ON a.card = b.card AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 MINUTES AND a.city <> b.city;

CREATE SINK small USING json OPTIONS (path 'out/small');
INSERT INTO small
SELECT card, window.start AS since, COUNT(*) AS payments
FROM payment
WHERE amount < 5
GROUP BY card, window(ts, '1 hour')
HAVING COUNT(*) >= 3;
