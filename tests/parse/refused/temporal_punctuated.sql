CREATE TEMPORAL STREAM a (symbol STRING, PUNCTUATED ON (symbol)) USING json OPTIONS (path 'in/a');

-- refused
-- PUNCTUATED is not allowed in a temporal stream
--   detail: the punctuations of a temporal stream are its stables
--   hint: supported: ORDERED, STRICTLY ORDERED, INSERT ONLY, KEY (…), DETERMINISTIC TIES, OPEN CLOSE
--   1 | CREATE TEMPORAL STREAM a (symbol STRING, PUNCTUATED ON (symbol)) USING json OPTIONS (path 'in/a');
--     |                                          ^^^^^^^^^^
