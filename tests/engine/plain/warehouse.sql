-- Example 1 of the punctuation paper, from rows alone. Sensors report in the order of time, and have limits.
CREATE STREAM sensor1 (
  sid STRING, hour BIGINT, minute BIGINT, currtmp BIGINT,
  PUNCTUATE (hour ASC), DOMAIN currtmp BETWEEN 20 AND 95
) USING json OPTIONS (path 'in/sensor1', maxFilesPerTrigger 1);

CREATE STREAM sensor2 (
  sid STRING, hour BIGINT, minute BIGINT, currtmp BIGINT,
  PUNCTUATE (hour ASC), DOMAIN currtmp BETWEEN 20 AND 95
) USING json OPTIONS (path 'in/sensor2', maxFilesPerTrigger 1);

CREATE SINK warmest USING json OPTIONS (path 'out/warmest');

INSERT INTO warmest
SELECT hour, MAX(currtmp) AS maxtemp
FROM (SELECT hour, currtmp FROM sensor1 UNION SELECT hour, currtmp FROM sensor2)
GROUP BY hour;

-- slice: a temperature that no sensor can measure
-- sensor1: {"sid": "S1", "hour": 7, "minute": 0, "currtmp": 61}
-- late sensor1: {"sid": "S1", "hour": 7, "minute": 30, "currtmp": 400}
-- sensor2: {"sid": "S2", "hour": 7, "minute": 0, "currtmp": 61}
-- slice
-- sensor1: {"sid": "S1", "hour": 8, "minute": 0, "currtmp": 64}
-- sensor2: {"sid": "S2", "hour": 7, "minute": 30, "currtmp": 66}
-- slice
-- sensor1: {"sid": "S1", "hour": 8, "minute": 30, "currtmp": 64}
-- sensor2: {"sid": "S2", "hour": 8, "minute": 0, "currtmp": 65}
-- => {"hour": 7, "maxtemp": 66}
-- slice: one of the sensors goes back in time
-- sensor1: {"sid": "S1", "hour": 10, "minute": 0, "currtmp": 40}
-- late sensor1: {"sid": "S1", "hour": 7, "minute": 59, "currtmp": 90}
-- sensor2: {"sid": "S2", "hour": 9, "minute": 0, "currtmp": 41}
-- => {"hour": 8, "maxtemp": 65}
