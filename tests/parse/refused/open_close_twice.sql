CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, KEY (name), OPEN CLOSE) USING json OPTIONS (path 'in/a');

-- refused
-- OPEN is there twice
--   hint: leave one out
--   1 | CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, KEY (name), OPEN CLOSE) USING json OPTIONS (path 'in/a');
--     |                                                                ^^^^^^^^^^
