CREATE SINK s USING kafka OPTIONS (brokers '', topic 't');

-- refused
-- the sink s has no brokers
--   hint: OPTIONS (brokers '…')
--   1 | CREATE SINK s USING kafka OPTIONS (brokers '', topic 't');
--     |                     ^^^^^
