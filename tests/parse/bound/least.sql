SELECT -9223372036854775808 AS least, -1.5 AS d, -CAST(1 AS BIGINT) AS e FROM bid

-- bound
-- least BIGINT (,), d DECIMAL(2,1) (,), e BIGINT (,)
-- Projection -9223372036854775808 AS least, -1.5 AS d, -1 AS e
--   Source bid
