SELECT RANK() OVER w FROM bid

-- refused
-- there is no window w
--   hint: define it behind the SELECT: WINDOW w AS (…)
--   1 | SELECT RANK() OVER w FROM bid
--     |        ^^^^^^^^^^^^^
