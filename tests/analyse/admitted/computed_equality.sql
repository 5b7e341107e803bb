-- An equality of computed columns is one of columns that streams get.
CREATE STREAM s (a BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a, d FROM s JOIN t ON a + 1 = d;

-- checked
-- q: admitted
--   join keeps s: purged by t(d)
--   join keeps t: purged by s((a + 1))
--   without punctuations, memory is unbounded: a of s is in the result, and the column's domain is unbounded (C1)
