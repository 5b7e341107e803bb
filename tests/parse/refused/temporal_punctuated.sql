CREATE TEMPORAL STREAM a (symbol STRING, PUNCTUATED ON (symbol)) USING json OPTIONS (path 'in/a');

-- refused
-- PUNCTUATED does not stand in a temporal stream
--   detail: its punctuations are its stables
--   hint: it takes ORDERED, STRICTLY ORDERED, INSERT ONLY, KEY (…), DETERMINISTIC TIES, OPEN CLOSE
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, PUNCTUATED ON (symbol)) USING json OPTIONS (path 'in/a');
--     |                                          ^^^^^^^^^^
