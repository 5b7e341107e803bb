CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (insert 'share', share 1.5);

-- refused
-- the option share is '1.5'
--   hint: a number greater than 0 and at most 1
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (insert 'share', share 1.5);
--     |                                                           ^^^^^^^^^
