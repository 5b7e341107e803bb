CREATE STREAM s (k BIGINT, PARTITIONED BY (k)) USING json OPTIONS (path 'in');

-- refused
-- PARTITIONED BY is a promise of topics
--   detail: s is not read from a topic
--   hint: leave it out, or read the stream USING kafka
--   1 | CREATE STREAM s (k BIGINT, PARTITIONED BY (k)) USING json OPTIONS (path 'in');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
