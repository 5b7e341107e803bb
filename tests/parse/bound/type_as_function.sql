SELECT bigint(price) AS a, smallint(name) AS b, decimal(price) AS c FROM item

-- bound
-- a BIGINT, b BIGINT, c DECIMAL(10,0)
-- Projection CAST(price AS BIGINT) AS a, CAST(name AS BIGINT) AS b, CAST(price AS DECIMAL(10,0)) AS c
--   Source item
