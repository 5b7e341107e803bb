-- High availability: three replicas of one query, each a query of its own, and their merge.
--
-- Sensors report temperatures; a minute is over when the stream says so. The replicas read the same reports and may be
-- anywhere; what they write is an element for each minute, and how far they are. The merge gives each minute once, as soon
-- as one replica has it, whichever of them live.

CREATE STREAM report (
  sensor BIGINT, minute BIGINT, temperature DOUBLE,
  PUNCTUATED ON (minute ASC)
) USING json OPTIONS (path 'in');

CREATE TEMPORAL STREAM warmest AS
SELECT MAX(temperature) AS temperature, minute AS _vs FROM report GROUP BY minute;

CREATE SINK a USING json OPTIONS (path 'replicas/a', elements 'true');
CREATE SINK b USING json OPTIONS (path 'replicas/b', elements 'true');
CREATE SINK c USING json OPTIONS (path 'replicas/c', elements 'true');
INSERT INTO a SELECT * FROM warmest;
INSERT INTO b SELECT * FROM warmest;
INSERT INTO c SELECT * FROM warmest;

CREATE TEMPORAL STREAM replica_a (temperature DOUBLE, KEY (temperature)) USING json OPTIONS (path 'replicas/a');
CREATE TEMPORAL STREAM replica_b (temperature DOUBLE, KEY (temperature)) USING json OPTIONS (path 'replicas/b');
CREATE TEMPORAL STREAM replica_c (temperature DOUBLE, KEY (temperature)) USING json OPTIONS (path 'replicas/c');
CREATE STREAM m AS LMERGE (replica_a, replica_b, replica_c) OPTIONS (control 'control');

CREATE SINK merged USING json OPTIONS (path 'out', elements 'true');
INSERT INTO merged SELECT * FROM m;
