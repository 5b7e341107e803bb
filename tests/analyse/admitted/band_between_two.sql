-- A chain of days: what is known of two inputs encloses the third, whose scheme also has an order.
CREATE STREAM a (d DATE, x BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 'a');
CREATE STREAM b (d DATE, n BIGINT, PUNCTUATED ON (d, n ASC)) USING json OPTIONS (path 'b');
CREATE STREAM c (d DATE, n BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 'c');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.d, b.n, c.n AS m FROM a, b, c
WHERE a.d <= b.d AND b.d <= c.d AND c.d <= a.d + INTERVAL 7 DAYS AND b.n <= c.n;

-- checked
-- q: admitted
--   join keeps a: purged by c(d), then b(d, n ASC)
--   join keeps b: purged by a(d), then c(d)
--   join keeps c: purged by a(d), then b(d, n ASC)
--   join stores each key that b(d, n ASC) closes, because a, c never closes it
--   without punctuations, memory is unbounded: d of a is in the result, and the column's domain is unbounded (C1)
