(SELECT hour, 1.5 AS x FROM report) MINUS (SELECT itemid, 2 FROM bid)

-- bound
-- hour BIGINT [0,23], x DECIMAL(21,1) (,)
-- Except
--   Projection hour, CAST(1.5 AS DECIMAL(21,1)) AS x
--     Source report
--   Projection itemid AS hour, CAST(2 AS DECIMAL(21,1)) AS x
--     Source bid
