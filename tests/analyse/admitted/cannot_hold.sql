-- No a is above 5 and below 3, so nothing is read.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT b, e FROM s JOIN t ON a = d WHERE a > 5 AND d < 3;

-- checked
-- q: admitted
--   keeps no state
