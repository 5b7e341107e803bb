CREATE STREAM a (ts TIMESTAMP, PUNCTUATE (ts ASC)) USING json;

-- refused
-- PUNCTUATE is not supported yet
--   hint: PUNCTUATED ON promises punctuations that the source sends
--   1 | CREATE STREAM a (ts TIMESTAMP, PUNCTUATE (ts ASC)) USING json;
--     |                                ^^^^^^^^^
