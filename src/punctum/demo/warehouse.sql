-- Example 1 of the punctuation paper: the highest temperature of each hour in a warehouse.
--
-- Each sensor has a report for every minute and says when it has sent all reports of an hour. An hour is complete when
-- both have said so; until then the union remembers its reports, to remove duplicates, and the maximum may still rise.

CREATE STREAM sensor1 (
  sid STRING, hour BIGINT, minute BIGINT, currtmp DOUBLE,
  PUNCTUATED ON (hour)
) USING json OPTIONS (path 'in/sensor1');

CREATE STREAM sensor2 (
  sid STRING, hour BIGINT, minute BIGINT, currtmp DOUBLE,
  PUNCTUATED ON (hour)
) USING json OPTIONS (path 'in/sensor2');

CREATE SINK warmest USING json OPTIONS (path 'out');

INSERT INTO warmest
SELECT hour, MAX(currtmp) AS maxtemp
FROM (SELECT hour, currtmp FROM sensor1 UNION SELECT hour, currtmp FROM sensor2)
GROUP BY hour;
