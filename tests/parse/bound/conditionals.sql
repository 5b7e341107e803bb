SELECT CASE WHEN price > 1 THEN 'a' WHEN price IS NULL THEN 'b' END, CASE itemid WHEN 1 THEN 2.5 ELSE 3 END,
  IF(price > 1, itemid, NULL), COALESCE(name, 'x'), NULLIF(itemid, 0), CAST(NULL AS DATE) AS d FROM item

-- bound
-- CASE WHEN (price > 1) THEN a WHEN (price IS NULL) THEN b END STRING, CASE WHEN (itemid = 1) THEN 2.5 ELSE 3 END DECIMAL(2,1) (,), (IF((price > 1), itemid, NULL)) BIGINT, coalesce(name, x) STRING (,), nullif(itemid, 0) BIGINT, d DATE
-- Projection CASE WHEN (price > 1.0) THEN 'a' WHEN (price IS NULL) THEN 'b' END AS CASE WHEN (price > 1) THEN a WHEN (price IS NULL) THEN b END, CASE WHEN (itemid = 1) THEN 2.5 ELSE 3.0 END AS CASE WHEN (itemid = 1) THEN 2.5 ELSE 3 END, (IF((price > 1.0), itemid, NULL)) AS (IF((price > 1), itemid, NULL)), coalesce(name, 'x') AS coalesce(name, x), nullif(itemid, 0), NULL AS d
--   Source item
