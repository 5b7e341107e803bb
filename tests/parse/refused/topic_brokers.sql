CREATE STREAM s (k BIGINT) USING kafka OPTIONS (topic 't');

-- refused
-- the stream s has no brokers
--   hint: OPTIONS (brokers '…')
--   1 | CREATE STREAM s (k BIGINT) USING kafka OPTIONS (topic 't');
--     |                                  ^^^^^
