SELECT fee * increase FROM bid

-- refused
-- * does not take these types
--   detail: fee is DECIMAL(38,18), increase is DOUBLE
--   hint: it takes numbers (BIGINT, DOUBLE, DECIMAL)
--   1 | SELECT fee * increase FROM bid
--     |        ^^^^^^^^^^^^^^
