CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE SINK o USING json OPTIONS (path 'out', elements 'yes');
INSERT INTO o SELECT * FROM a;

-- refused
-- elements of o is neither true nor false
--   detail: yes
--   hint: elements 'true'
--   3 | INSERT INTO o SELECT * FROM a;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
