-- UNION ALL keeps nothing.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k FROM a UNION ALL SELECT k FROM b WHERE x > 1;

-- checked
-- result: admitted
--   keeps no state
