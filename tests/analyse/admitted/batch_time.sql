-- The time of the batch is in order, so its windows close without any promise.
CREATE STREAM click (user BIGINT) USING json OPTIONS (path 'in/click');
CREATE SINK counts USING json OPTIONS (path 'out/counts');

INSERT INTO counts
SELECT user, window.start AS start, COUNT(*) AS n
FROM (SELECT user, current_timestamp() AS p FROM click)
GROUP BY user, window(p, '10 seconds');

-- checked
-- counts: admitted
--   group-by of click: purged by the time of the batch
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
