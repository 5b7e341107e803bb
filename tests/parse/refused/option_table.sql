CREATE TABLE t (k BIGINT) USING csv OPTIONS (path 't.csv', sep 'tab');

-- refused
-- sep of t is 'tab'
--   hint: one ASCII character, but no quote or line end
--   1 | CREATE TABLE t (k BIGINT) USING csv OPTIONS (path 't.csv', sep 'tab');
--     |                                                            ^^^^^^^^^
