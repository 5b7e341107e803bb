-- Events that are sent again: each comes out once, and the memory that this takes is proved before the query starts.
--
-- A device sends an event again until somebody confirms it, for 10 minutes at most. So the time of the events closes them, and
-- what is remembered is as old as that. The second query needs not even that: a device and an hour have few values.

CREATE STREAM event (
  device STRING, seq BIGINT, ts TIMESTAMP, reading DOUBLE, hour BIGINT NOT NULL,
  DOMAIN device IN ('D1', 'D2', 'D3'),
  DOMAIN hour BETWEEN 0 AND 23,
  PUNCTUATE (ts ASC) DELAY '10 minutes'
) USING json OPTIONS (path 'in/event');

CREATE SINK once USING json OPTIONS (path 'out/once');
INSERT INTO once
SELECT DISTINCT device, seq, ts, reading FROM event;

CREATE SINK seen USING json OPTIONS (path 'out/seen');
INSERT INTO seen
SELECT DISTINCT device, hour FROM event;
