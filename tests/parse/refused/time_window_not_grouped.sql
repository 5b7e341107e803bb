SELECT window.start, window(at, '2 hours').end FROM report GROUP BY window(at, '1 hour')

-- refused
-- the column at is neither grouped nor aggregated
--   detail: it is grouped by tumble(at, INTERVAL '1' HOUR)
--   hint: add at to GROUP BY, or use MIN(at)
--   1 | SELECT window.start, window(at, '2 hours').end FROM report GROUP BY window(at, '1 hour')
--     |                             ^^
