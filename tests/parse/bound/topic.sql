CREATE STREAM bid (
  itemid BIGINT, increase DOUBLE, _key STRING, _headers ARRAY<STRUCT<key: STRING, value: STRING>>, _timestamp TIMESTAMP,
  PUNCTUATED ON (itemid), PUNCTUATE (_timestamp ASC) DELAY '1 minute', PARTITIONED BY (itemid)
) USING Kafka OPTIONS (
  brokers 'a:9092,b:9092', topic 'bid', format 'avro', STARTINGOFFSETS '{"0": 15}', maxOffsetsPerTrigger 1000, idle '1 minute',
  avroSchema '{}', kafka.security.protocol 'SSL', 'kafka.fetch.min.bytes' 10
);
CREATE SINK out USING console;
INSERT INTO out SELECT itemid, _key FROM bid;

-- bound
-- stream bid: itemid BIGINT, increase DOUBLE, _key STRING, _headers ARRAY<STRUCT<key: STRING, value: STRING>>, _timestamp TIMESTAMP (,)
--   ON (itemid)
--   ON (_timestamp ASC)
--   punctuate ON (_timestamp ASC) delay datetime.timedelta(seconds=60)
--   partitioned itemid
--   kafka {'brokers': 'a:9092,b:9092', 'topic': 'bid', 'format': 'avro', 'startingOffsets': '{"0": 15}', 'maxOffsetsPerTrigger': '1000', 'idle': '1 minute', 'avroSchema': '{}', 'kafka.security.protocol': 'SSL', 'kafka.fetch.min.bytes': '10'}
-- sink out: console {}
-- query out
-- itemid BIGINT, _key STRING
-- Projection itemid, _key
--   Source bid
