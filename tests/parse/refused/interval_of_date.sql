SELECT day + (ts - ts) FROM item, bid

-- refused
-- a DATE moves by whole days
--   detail: day is DATE
--   hint: CAST the date to TIMESTAMP
--   1 | SELECT day + (ts - ts) FROM item, bid
--     |        ^^^^^^^^^^^^^^
