SELECT CAST(INTERVAL '1' DAY AS STRING) FROM bid

-- refused
-- INTERVAL cannot be cast to STRING
--   detail: INTERVAL '1' DAY is INTERVAL
--   1 | SELECT CAST(INTERVAL '1' DAY AS STRING) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
