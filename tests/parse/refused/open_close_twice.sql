CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, KEY (name), OPEN CLOSE) USING json OPTIONS (path 'in/a');

-- refused
-- OPEN occurs twice
--   hint: remove one of them
--   1 | CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, KEY (name), OPEN CLOSE) USING json OPTIONS (path 'in/a');
--     |                                                                ^^^^^^^^^^
