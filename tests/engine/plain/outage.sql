-- The power outage of the paper's earlier text, from rows alone. A list says which monitors there are; an hour is over
-- when each has reported, with a zone or, when all is well, without one. Calls come at most an hour late.
CREATE TABLE monitors (sid STRING) USING json OPTIONS (path 'monitors.json');

CREATE STREAM report (
  sid STRING, zoneid BIGINT, hour BIGINT,
  PUNCTUATE (hour) WHEN ALL sid IN monitors
) USING json OPTIONS (path 'in/report', maxFilesPerTrigger 1);

CREATE STREAM phone (
  caller STRING, zoneid BIGINT, hour BIGINT,
  PUNCTUATE (hour ASC) DELAY 1
) USING json OPTIONS (path 'in/phone', maxFilesPerTrigger 1);

CREATE SINK unnoticed USING json OPTIONS (path 'out/unnoticed');

INSERT INTO unnoticed
SELECT hour, COUNT(*) AS zones
FROM (
  SELECT zoneid, hour FROM report WHERE zoneid IS NOT NULL
  EXCEPT
  SELECT zoneid, hour FROM phone
)
GROUP BY hour;

-- table
-- monitors: {"sid": "M1"}
-- monitors: {"sid": "M2"}
-- monitors: {"sid": "M3"}
-- slice
-- report: {"sid": "M1", "zoneid": 1, "hour": 3}
-- report: {"sid": "M1", "zoneid": 6, "hour": 3}
-- report: {"sid": "M2", "zoneid": 6, "hour": 3}
-- phone: {"caller": "Ann", "zoneid": 1, "hour": 3}
-- slice
-- report: {"sid": "M1", "zoneid": 4, "hour": 4}
-- phone: {"caller": "Bob", "zoneid": 4, "hour": 4}
-- slice: the last monitor reports an hour without outages, and calls have gone on
-- report: {"sid": "M3", "zoneid": null, "hour": 3}
-- report: {"sid": "M2", "zoneid": 5, "hour": 4}
-- phone: {"caller": "Cid", "zoneid": 9, "hour": 5}
-- => {"hour": 3, "zones": 1}
-- slice: a report that comes too late
-- late report: {"sid": "M1", "zoneid": 8, "hour": 3}
-- report: {"sid": "M3", "zoneid": 7, "hour": 4}
-- phone: {"caller": "Dan", "zoneid": 7, "hour": 4}
-- slice
-- phone: {"caller": "Eve", "zoneid": 2, "hour": 6}
-- => {"hour": 4, "zones": 1}
