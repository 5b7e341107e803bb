CREATE STREAM a (itemid INT,
  PUNCTUATED ON (itemd)) USING json;

-- refused
-- there is no column itemd
--   detail: available: itemid
--   hint: did you mean itemid?
--   2 |   PUNCTUATED ON (itemd)) USING json;
--     |                  ^^^^^
