SELECT itemid = 1.5 AS a, increase <=> NULL AS b, day = '2026-11-15' AS c, day BETWEEN '2026-01-01' AND '2026-02-01' AS d,
  itemid IN (1, 2, NULL) AS e, itemid NOT IN (3) AS f, NOT (itemid > 3 OR increase < 4) AS g, fee IS NULL AS h,
  itemid IS NOT NULL AS i, itemid IS DISTINCT FROM bidderid AS j FROM bid

-- bound
-- a BOOLEAN, b BOOLEAN (,), c BOOLEAN, d BOOLEAN, e BOOLEAN, f BOOLEAN, g BOOLEAN, h BOOLEAN (,), i BOOLEAN (,), j BOOLEAN (,)
-- Projection (CAST(itemid AS DECIMAL(21,1)) = 1.5) AS a, (increase <=> NULL) AS b, (day = 2026-11-15) AS c, ((day >= 2026-01-01) AND (day <= 2026-02-01)) AS d, (itemid IN (1, 2, NULL)) AS e, (NOT (itemid IN (3))) AS f, (NOT ((itemid > 3) OR (increase < 4.0))) AS g, (fee IS NULL) AS h, (NOT (itemid IS NULL)) AS i, (NOT (itemid <=> bidderid)) AS j
--   Source bid
