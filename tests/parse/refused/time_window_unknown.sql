SELECT * FROM TABLE(TUMBL(TABLE item, DESCRIPTOR(ts), INTERVAL '10' SECOND))

-- refused
-- the table function TUMBL is not supported
--   hint: did you mean TUMBLE?
--   1 | SELECT * FROM TABLE(TUMBL(TABLE item, DESCRIPTOR(ts), INTERVAL '10' SECOND))
--     |                     ^^^^^
