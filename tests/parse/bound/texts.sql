SELECT lower(name), UPPER(name), length(name), trim(name), substring(name, 2, 3), substr(name, -2), name || 'x' || name,
  concat('a', name), name LIKE 'a\\_%', name NOT LIKE 'b' FROM item

-- bound
-- lower(name) STRING, upper(name) STRING, length(name) BIGINT, trim(name) STRING, substring(name, 2, 3) STRING, substring(name, -2) STRING, concat(concat(name, x), name) STRING, concat(a, name) STRING, name LIKE a\_% BOOLEAN, (NOT name LIKE b) BOOLEAN
-- Projection lower(name), upper(name), length(name), trim(name), substring(name, 2, 3), substring(name, -2), concat(concat(name, 'x'), name) AS concat(concat(name, x), name), concat('a', name) AS concat(a, name), name LIKE 'a\_%' AS name LIKE a\_%, (NOT name LIKE 'b') AS (NOT name LIKE b)
--   Source item
