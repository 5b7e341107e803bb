CREATE STREAM s1 (
  a BIGINT, b BIGINT,
  PUNCTUATED ON (b)
) USING json OPTIONS (path 'in/s1');

CREATE STREAM s2 (
  b BIGINT, c BIGINT,
  PUNCTUATED ON (b),
  PUNCTUATED ON (c)
) USING json OPTIONS (path 'in/s2');

CREATE STREAM s3 (
  c BIGINT, a BIGINT,
  PUNCTUATED ON (c)
) USING json OPTIONS (path 'in/s3');

CREATE SINK joined USING json OPTIONS (path 'out');

INSERT INTO joined
SELECT s1.a, s1.b, s3.c
FROM s1, s2, s3
WHERE s1.b = s2.b AND s2.c = s3.c;
