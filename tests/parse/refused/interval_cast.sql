SELECT CAST(INTERVAL '1' DAY AS BIGINT) FROM bid

-- refused
-- INTERVAL DAY TO SECOND cannot be cast to BIGINT
--   detail: INTERVAL '1' DAY is INTERVAL DAY TO SECOND
--   1 | SELECT CAST(INTERVAL '1' DAY AS BIGINT) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
