CREATE STREAM s (
  a BIGINT, b BIGINT
) USING json OPTIONS (path 'in/s');

CREATE STREAM t (
  d BIGINT, e BIGINT
) USING json OPTIONS (path 'in/t');

CREATE SINK pairs USING json OPTIONS (path 'out/pairs');

INSERT INTO pairs
SELECT a
FROM s JOIN t ON a = d
WHERE a > 10 AND d < 20;
