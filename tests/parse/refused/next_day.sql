SELECT next_day(day, 'Someday') FROM bid

-- refused
-- SOMEDAY is not a day of the week
--   hint: it is one of MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY
--   1 | SELECT next_day(day, 'Someday') FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^
