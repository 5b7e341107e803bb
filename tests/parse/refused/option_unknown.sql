CREATE STREAM s (k BIGINT) USING json OPTIONS (path 'in', maxFilePerTrigger 1);

-- refused
-- the stream s has no option maxFilePerTrigger
--   detail: available: path, recursive, missing, maxFilesPerTrigger, settle, forget, feedback, rate, punctuation_delay
--   hint: did you mean maxFilesPerTrigger?
--   1 | CREATE STREAM s (k BIGINT) USING json OPTIONS (path 'in', maxFilePerTrigger 1);
--     |                                                           ^^^^^^^^^^^^^^^^^^^
