-- Q3 of the memory paper: bounded without punctuations, and refused as long as no operator runs on synopses.
CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q3 USING json OPTIONS (path 'q3');
INSERT INTO q3 SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20;

-- checked
-- q3: refused
--   join keeps s: never purged, because no scheme reaches t
--   join keeps t: never purged, because no scheme reaches s
--   without punctuations in bounded memory: at most 36 values: s a count for each of 9 buckets by a, t a count for each of 9 buckets by d; this version does not run on that yet
--   5 | INSERT INTO q3 SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20;
--     |                              ^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s and PUNCTUATED ON (d) to t
--         or write ALLOW UNBOUNDED after the query
