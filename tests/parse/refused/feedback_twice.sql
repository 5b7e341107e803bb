CREATE TEMPORAL STREAM a (symbol STRING) USING json OPTIONS (path 'in/a');
CREATE STREAM m AS LMERGE (a) OPTIONS (feedback 'm.feedback');
CREATE SINK changes USING json OPTIONS (path 'changes', elements 'true');
CREATE SINK events USING json OPTIONS (path 'events');
INSERT INTO changes SELECT * FROM m;
INSERT INTO events SELECT * FROM m;

-- refused
-- two queries would write to the feedback directory 'm.feedback'
--   detail: changes and events read streams with this feedback
--   hint: let one query read the sink of the other, or define a stream for each
--   6 | INSERT INTO events SELECT * FROM m;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
