-- So few rows that all can be kept.
CREATE STREAM report (hour BIGINT, ok BOOLEAN NOT NULL, v BIGINT, DOMAIN hour BETWEEN 0 AND 23, DOMAIN ok IN (TRUE, FALSE)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT hour, ok FROM report;

-- checked
-- result: admitted
--   dupelim of report: at most 48 rows
--   without punctuations, memory is bounded: at most 96 values: the answer 96
