CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE SINK o USING json OPTIONS (path 'out', elements 'yes');
INSERT INTO o SELECT * FROM a;

-- refused
-- elements of o is 'yes'
--   hint: true or false
--   2 | CREATE SINK o USING json OPTIONS (path 'out', elements 'yes');
--     |                                               ^^^^^^^^^^^^^^
