CREATE STREAM a (hour INT, DOMAIN hour BETWEEN 23 AND 0) USING json;

-- refused
-- the DOMAIN of hour is empty
--   hint: the lower end comes first
--   1 | CREATE STREAM a (hour INT, DOMAIN hour BETWEEN 23 AND 0) USING json;
--     |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
