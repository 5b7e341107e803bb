CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', startingOffsets '{"0": -1}');

-- refused
-- startingOffsets of s is '{"0": -1}'
--   hint: earliest, latest, or an offset for each partition, as in {"0": 15, "1": 7}
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (brokers 'b', topic 't', startingOffsets '{"0": -1}');
--     |                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
