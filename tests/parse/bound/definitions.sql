-- every clause of CREATE STREAM; names and keywords in any case
create stream `Power outage` (
  State VARCHAR(2) not null, hour INT, cost DECIMAL(12, 2), plain NUMERIC, ts TIMESTAMP, local TIMESTAMP_NTZ,
  day DATE, ok BOOLEAN, ratio REAL, note TEXT, n LONG, t TINYINT, domain INT, /* a column may have this name */
  PUNCTUATED ON (state, HOUR), PUNCTUATED ON (ts ASC), punctuated on (hour, ts desc),
  UNIQUE (state, hour), UNIQUE (ts),
  DOMAIN hour BETWEEN 0 AND 23, DOMAIN state IN ('OR', 'ID'), DOMAIN cost BETWEEN 0 AND 99.5,
  DOMAIN day BETWEEN '2026-01-01' AND DATE '2026-12-31'
) USING CSV OPTIONS (path 'in', 'HEADER' true, distinct.hour = '24', maxfilespertrigger 1);
CREATE SINK out USING console;
INSERT INTO OUT SELECT STATE, `Hour` FROM `power OUTAGE` ALLOW UNBOUNDED

-- bound
-- stream Power outage: State STRING {ID,OR}, hour BIGINT [0,23], cost DECIMAL(12,2) [0.00,99.5], plain DECIMAL(10,0), ts TIMESTAMP (,), local TIMESTAMP_NTZ, day DATE [2026-01-01,2026-12-31], ok BOOLEAN, ratio DOUBLE, note STRING, n BIGINT, t BIGINT, domain BIGINT
--   ON (State, hour)
--   ON (ts ASC)
--   ON (hour, ts DESC)
--   ON (ts)
--   unique State, hour
--   unique ts
--   csv {'path': 'in', 'header': 'true', 'distinct.hour': '24', 'maxFilesPerTrigger': '1'}
-- sink out: console {}
-- query out allowed to be unbounded
-- State STRING {ID,OR}, hour BIGINT [0,23]
-- Projection State, hour
--   Source Power outage
