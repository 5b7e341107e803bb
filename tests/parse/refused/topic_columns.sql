CREATE STREAM s (_key STRING) USING kafka OPTIONS (brokers 'b', topic 't');

-- refused
-- the stream s has no column of values
--   hint: declare what is in a message
--   1 | CREATE STREAM s (_key STRING) USING kafka OPTIONS (brokers 'b', topic 't');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
