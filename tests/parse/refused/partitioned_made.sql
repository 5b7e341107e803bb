CREATE STREAM s (k BIGINT) USING json OPTIONS (path 'in'); CREATE STREAM t (PARTITIONED BY (k)) AS SELECT k FROM s;

-- refused
-- PARTITIONED BY does not stand before AS SELECT
--   detail: t is made of other streams
--   hint: write it where the topic is read
--   1 | CREATE STREAM s (k BIGINT) USING json OPTIONS (path 'in'); CREATE STREAM t (PARTITIONED BY (k)) AS SELECT k FROM s;
--     |                                                                             ^^^^^^^^^^^^^^
