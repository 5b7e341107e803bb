CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, INSERT ONLY) USING json OPTIONS (path 'in/a');

-- refused
-- OPEN CLOSE and INSERT ONLY exclude each other
--   detail: a close is an adjust of the event that its open has inserted
--   hint: remove one of them
--   1 | CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE, INSERT ONLY) USING json OPTIONS (path 'in/a');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
