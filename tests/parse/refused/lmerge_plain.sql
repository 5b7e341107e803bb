CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE STREAM m AS LMERGE (a, bid);

-- refused
-- bid is not a temporal stream
--   detail: LMERGE merges replicas of one
--   hint: define it with CREATE TEMPORAL STREAM bid …
--   2 | CREATE STREAM m AS LMERGE (a, bid);
--     |                               ^^^
