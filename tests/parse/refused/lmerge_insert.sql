CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (insert 'half');

-- refused
-- the option insert is 'half'
--   detail: available: first, leading, latest, fullest, half frozen, share
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (insert 'half');
--     |                                           ^^^^^^^^^^^^^
