CREATE TABLE t (k BIGINT) USING csv OPTIONS (path 't.csv', sep 'tab');

-- refused
-- sep of t is 'tab'
--   hint: one ASCII character, not a quote or the end of a line
--   1 | CREATE TABLE t (k BIGINT) USING csv OPTIONS (path 't.csv', sep 'tab');
--     |                                                            ^^^^^^^^^
