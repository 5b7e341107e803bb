SELECT count(*), count(1) AS n, count(day), count(DISTINCT itemid), sum(fee), min(day), max(increase), avg(fee),
  mean(increase), median(increase), sum(itemid * 2) FROM bid

-- bound
-- count(1) BIGINT (,), n BIGINT (,), count(day) BIGINT (,), count(DISTINCT itemid) BIGINT (,), sum(fee) DECIMAL(38,18), min(day) DATE, max(increase) DOUBLE, avg(fee) DOUBLE, avg(increase) DOUBLE, median(increase) DOUBLE, sum((itemid * 2)) BIGINT
-- Projection count(1), count(1) AS n, count(day), count(DISTINCT itemid), sum(fee), min(day), max(increase), avg(fee), avg(increase), median(increase), sum((itemid * 2))
--   Aggregate COUNT(*) AS count(1), COUNT(day) AS count(day), COUNT(DISTINCT itemid) AS count(DISTINCT itemid), SUM(fee) AS sum(fee), MIN(day) AS min(day), MAX(increase) AS max(increase), AVG(fee) AS avg(fee), AVG(increase) AS avg(increase), MEDIAN(increase) AS median(increase), SUM((itemid * 2)) AS sum((itemid * 2))
--     Projection day, itemid, fee, increase, (itemid * 2)
--       Source bid
