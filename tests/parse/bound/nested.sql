SELECT tags, tags[0] AS first, home.city, w.home.parts[1].x, size(tags) AS n, split(home.city, 'o') AS s FROM wide w WHERE array_contains(tags, 'a')

-- bound
-- tags ARRAY<STRING>, first STRING, city STRING, x DOUBLE, n BIGINT, s ARRAY<STRING>
-- Projection tags, tags[0] AS first, home.city AS city, home.parts[1].x AS x, size(tags) AS n, split(home.city, 'o') AS s
--   Filter has element(tags, 'a')
--     Source wide
