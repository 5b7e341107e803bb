-- Sensors that report when they like: an hour is over when each sensor of the list has gone past it.
--
-- No watermark has to be guessed: a sensor that is slow holds its hour open, and only as long as it is slow.

CREATE TABLE sensor (sid STRING, room STRING) USING json OPTIONS (path 'sensor.json');

CREATE STREAM report (
  sid STRING, ts TIMESTAMP, temp DOUBLE,
  PUNCTUATE (DATE_TRUNC('hour', ts) ASC) WHEN ALL sid IN sensor
) USING json OPTIONS (path 'in/report');

CREATE SINK hourly USING json OPTIONS (path 'out/hourly');
INSERT INTO hourly
SELECT DATE_TRUNC('hour', ts) AS hour, COUNT(*) AS reports, MAX(temp) AS highest, AVG(temp) AS mean
FROM report
GROUP BY DATE_TRUNC('hour', ts);

CREATE SINK warm USING json OPTIONS (path 'out/warm');
INSERT INTO warm
SELECT s.room, r.ts, r.temp FROM report r JOIN sensor s ON r.sid = s.sid WHERE r.temp > 25;
