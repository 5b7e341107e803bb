CREATE SINK s USING postgres OPTIONS (table 't', url 7 'postgresql://u:secret@host/d');

-- refused
-- expected ) in OPTIONS
--   detail: found 'postgresql://u:******@host/d'
--   1 | CREATE SINK s USING postgres OPTIONS (table 't', url 7 'postgresql://u:******@host/d');
--     |                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
