CREATE STREAM s (k BIGINT) USING jsn OPTIONS (path 'in');

-- refused
-- the format jsn of s is not supported
--   detail: available: json, csv, parquet, xml, rate, socket, memory, nexmark, kafka
--   hint: did you mean json?
--   1 | CREATE STREAM s (k BIGINT) USING jsn OPTIONS (path 'in');
--     |                                  ^^^
