SELECT date_format(ts, 'GGGG') FROM item

-- refused
-- the format 'GGGG' is not supported
--   hint: supported: yyyy, yy, M, MM, MMM, MMMM, d, dd, D, DDD, E, EE, EEE, EEEE, H, HH, h, hh, a, m, mm, s, ss, S, SS, SSS, SSSS, SSSSS, SSSSSS, Q, QQ, signs and 'text'
--   1 | SELECT date_format(ts, 'GGGG') FROM item
--     |                        ^^^^^^
