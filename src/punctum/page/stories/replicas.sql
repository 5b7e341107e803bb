CREATE TEMPORAL STREAM replica_a (
  symbol STRING, price DOUBLE, KEY (symbol)
) USING json OPTIONS (path 'in/a');

CREATE TEMPORAL STREAM replica_b (
  symbol STRING, price DOUBLE, KEY (symbol)
) USING json OPTIONS (path 'in/b');

CREATE TEMPORAL STREAM replica_c (
  symbol STRING, price DOUBLE, KEY (symbol)
) USING json OPTIONS (path 'in/c');

CREATE STREAM merged AS LMERGE (replica_a, replica_b, replica_c);

CREATE SINK events USING json OPTIONS (path 'out');

INSERT INTO events SELECT * FROM merged;
