SELECT day + 1 AS a, 2 + day AS b, day - bidderid AS c FROM bid

-- bound
-- a DATE, b DATE, c DATE
-- Projection date_add(day, 1) AS a, date_add(day, 2) AS b, date_sub(day, bidderid) AS c
--   Source bid
