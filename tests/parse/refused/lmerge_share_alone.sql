CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (share 0.5);

-- refused
-- a share is for insert 'share'
--   hint: remove it, or add insert 'share'
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (share 0.5);
--     |                                           ^^^^^^^^^
