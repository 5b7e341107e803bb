CREATE STREAM a (n BIGINT) USING json OPTIONS (path 'in/a');
CREATE STREAM b AS CLEANSE (a);

-- refused
-- a is not a temporal stream
--   detail: CLEANSE puts the events of one in order
--   hint: define it with CREATE TEMPORAL STREAM a …
--   2 | CREATE STREAM b AS CLEANSE (a);
--     |                             ^
