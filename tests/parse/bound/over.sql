SELECT itemid, LAG(increase) OVER (PARTITION BY itemid ORDER BY day) AS was,
  SUM(increase) OVER (PARTITION BY itemid ORDER BY day ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS recent,
  COUNT(*) OVER (PARTITION BY itemid) AS bids
FROM bid

-- bound
-- itemid BIGINT, was DOUBLE, recent DOUBLE, bids BIGINT (,)
-- Projection itemid, was, recent, bids
--   Over COUNT(*) AS bids of all before and after by itemid
--     Over SUM(increase) AS recent of 9 before by itemid order day
--       Over LAG(increase) AS was of 1 before by itemid order day
--         Projection itemid, increase, day
--           Source bid
