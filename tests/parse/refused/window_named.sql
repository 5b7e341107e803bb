SELECT RANK() OVER w FROM bid

-- refused
-- a window with a name is not supported
--   hint: write what is in it after OVER, in brackets
--   1 | SELECT RANK() OVER w FROM bid
--     |        ^^^^^^^^^^^^^
