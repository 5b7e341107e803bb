SELECT home.*, home['city'] AS town FROM wide

-- bound
-- city STRING, parts ARRAY<STRUCT<x: DOUBLE>>, town STRING
-- Projection home.city AS city, home.parts AS parts, home.city AS town
--   Source wide
