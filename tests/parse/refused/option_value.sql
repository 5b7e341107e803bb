CREATE SINK o USING json OPTIONS (path 'out', punctuations 'yes');

-- refused
-- punctuations of o is 'yes'
--   hint: true or false
--   1 | CREATE SINK o USING json OPTIONS (path 'out', punctuations 'yes');
--     |                                               ^^^^^^^^^^^^^^^^^^
