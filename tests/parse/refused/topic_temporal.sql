CREATE TEMPORAL STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't');

-- refused
-- the temporal stream s cannot be read from a topic
--   hint: read it from files: a temporal stream is one sequence, and a topic is several
--   1 | CREATE TEMPORAL STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
