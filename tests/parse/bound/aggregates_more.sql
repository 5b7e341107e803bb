SELECT
  sid,
  stddev(temp) AS spread,
  percentile(temp, 0.9) FILTER (WHERE ok) AS most,
  max_by(hour, temp) AS hottest,
  any(ok) AS one,
  every(ok) AS all_ok,
  count_if(temp > 30) FILTER (WHERE ok) AS hot,
  approx_count_distinct(hour) AS hours
FROM report
GROUP BY sid
HAVING variance(temp) > 1

-- bound
-- sid STRING, spread DOUBLE, most DOUBLE, hottest BIGINT, one BOOLEAN, all_ok BOOLEAN, hot BIGINT (,), hours BIGINT (,)
-- Projection sid, spread, most, hottest, one, all_ok, hot, hours
--   Filter (var_samp(temp) > 1.0)
--     Aggregate STDDEV_SAMP(temp) AS spread, PERCENTILE(temp, 0.9) FILTER (WHERE ok) AS most, MAX_BY(hour, temp) AS hottest, MAX(ok) AS one, MIN(ok) AS all_ok, COUNT(*) FILTER (WHERE ((temp > 30) AND ok)) AS hot, COUNT(DISTINCT hour) AS hours, VAR_SAMP(temp) AS var_samp(temp) by sid
--       Projection sid, temp, ok, hour, ((temp > 30.0) AND ok) AS ((temp > 30) AND ok)
--         Source report
