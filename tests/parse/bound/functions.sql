SELECT
  lpad(CAST(sellerid AS STRING), 8, '0') AS padded,
  split(name, '/')[3] AS part,
  name RLIKE '^a' AND name ILIKE '%b%' AS found,
  nvl(price, 0) + try_divide(price, sellerid) AS price,
  pmod(itemid, 7) & 3 AS bits,
  date_format(ts, 'yyyy-MM-dd') AS day,
  to_timestamp(name, 'yyyy-MM-dd HH:mm:ss') AS read,
  timestampdiff(MINUTE, ts, ts + INTERVAL '1' HOUR) AS minutes,
  date_add(ts, 3) AS later,
  TRIM(LEADING 'x' FROM name) AS trimmed,
  POSITION('a' IN name) AS at,
  decode(itemid, 1, 'one', 'more') AS word
FROM item

-- bound
-- padded STRING, part STRING, found BOOLEAN, price DOUBLE, bits BIGINT, day STRING, read TIMESTAMP, minutes BIGINT, later DATE, trimmed STRING, at BIGINT, word STRING (,)
-- Projection lpad(CAST(sellerid AS STRING), 8, '0') AS padded, split(name, '/')[3] AS part, (rlike(name, '^a') AND ilike(name, '%b%')) AS found, (coalesce(price, 0.0) + try((price / CAST(sellerid AS DOUBLE)))) AS price, (CASE WHEN ((itemid % 7) < 0) THEN (((itemid % 7) + 7) % 7) ELSE (itemid % 7) END & 3) AS bits, write time(ts, 'yyyy-MM-dd') AS day, CAST(read time(name, 'yyyy-MM-dd HH:mm:ss') AS TIMESTAMP) AS read, whole units('MINUTE', CAST(ts AS TIMESTAMP_NTZ), CAST((ts + INTERVAL '1' HOUR) AS TIMESTAMP_NTZ)) AS minutes, date_add(CAST(ts AS DATE), 3) AS later, ltrim(name, 'x') AS trimmed, locate('a', name) AS at, CASE WHEN (itemid <=> 1) THEN 'one' ELSE 'more' END AS word
--   Source item
