SELECT itemid, ts, current_timestamp() AS came, current_date() AS day FROM item WHERE itemid > 5

-- bound
-- itemid BIGINT, ts TIMESTAMP, came TIMESTAMP (,), day DATE (,)
-- Projection itemid, ts, current_timestamp AS came, CAST(current_timestamp AS DATE) AS day
--   Stamp current_timestamp with the batch's time
--     Filter (itemid > 5)
--       Source item
