-- The electric company of the punctuation paper's earlier text: power outages that nobody has called about.
--
-- Two monitors, whose zones overlap, report zones without power, and customers call the phone bank. Monitors say
-- when an hour is over; the phone bank says an hour later that it has no more calls up to then. A zone is released as
-- soon as no call about it can come any more.

CREATE STREAM monitor1 (
  zoneid BIGINT, hour BIGINT,
  PUNCTUATED ON (hour)
) USING json OPTIONS (path 'in/monitor1');

CREATE STREAM monitor2 (
  zoneid BIGINT, hour BIGINT,
  PUNCTUATED ON (hour)
) USING json OPTIONS (path 'in/monitor2');

CREATE STREAM phone (
  zoneid BIGINT, hour BIGINT,
  PUNCTUATED ON (hour ASC)
) USING json OPTIONS (path 'in/phone');

CREATE SINK unnoticed USING json OPTIONS (path 'out');

INSERT INTO unnoticed
SELECT zoneid, hour FROM monitor1 UNION SELECT zoneid, hour FROM monitor2
EXCEPT
SELECT zoneid, hour FROM phone;
