SELECT itemid + 1, itemid / 2, itemid DIV 2, itemid % 2, - itemid, increase * 1.5, fee * 2, fee / 3, fee + itemid,
  ABS(fee), CEIL(increase), floor(fee), ROUND(increase, 2), round(fee, 1), 1e3 AS e, 12345678901234567890 AS big FROM bid

-- bound
-- (itemid + 1) BIGINT, (itemid / 2) DOUBLE, (itemid DIV 2) BIGINT, (itemid % 2) BIGINT, (- itemid) BIGINT, (increase * 1.5) DOUBLE, (fee * 2) DECIMAL(38,16), (fee / 3) DECIMAL(38,18), (fee + itemid) DECIMAL(38,17), abs(fee) DECIMAL(38,18), ceil(increase) BIGINT, floor(fee) DECIMAL(21,0), round(increase, 2) DOUBLE, round(fee, 1) DECIMAL(22,1), e DOUBLE (,), big DECIMAL(20,0) (,)
-- Projection (itemid + 1), (CAST(itemid AS DOUBLE) / 2.0) AS (itemid / 2), (itemid DIV 2), (itemid % 2), (- itemid), (increase * 1.5), (fee * 2), (fee / 3), (fee + CAST(itemid AS DECIMAL(20,0))) AS (fee + itemid), abs(fee), ceil(increase), floor(fee), round(increase, 2), round(fee, 1), 1000.0 AS e, 12345678901234567890 AS big
--   Source bid
