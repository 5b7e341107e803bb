SELECT COUNT(*) OVER (ORDER BY at RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS n FROM report

-- refused
-- this frame is not supported
--   hint: write RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW
--   1 | SELECT COUNT(*) OVER (ORDER BY at RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS n FROM report
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
