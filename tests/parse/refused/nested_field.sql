SELECT home.town FROM wide

-- refused
-- there is no field town
--   detail: available: city, parts
--   1 | SELECT home.town FROM wide
--     |        ^^^^^^^^^
