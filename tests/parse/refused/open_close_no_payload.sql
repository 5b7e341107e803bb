CREATE TEMPORAL STREAM a (_vs DATE, OPEN CLOSE) USING json OPTIONS (path 'in/a');

-- refused
-- the stream a has no payload
--   hint: add columns besides _vs
--   1 | CREATE TEMPORAL STREAM a (_vs DATE, OPEN CLOSE) USING json OPTIONS (path 'in/a');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
