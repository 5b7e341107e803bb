SELECT window.start FROM report GROUP BY window(at, '1 hour', '2 hours')

-- refused
-- there is no such window
--   detail: size 1:00:00, slide 2:00:00, offset 0:00:00
--   hint: a slide is at most as long as the window, and an offset shorter than the slide
--   1 | SELECT window.start FROM report GROUP BY window(at, '1 hour', '2 hours')
--     |                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
