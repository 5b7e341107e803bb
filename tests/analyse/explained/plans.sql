-- Two fast streams that close soon, and a slow one: joined first, the fast ones keep little.
CREATE STREAM click (k BIGINT, j BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (j), PUNCTUATED ON (k, j)) USING json
  OPTIONS (path 'click', rate '1000', punctuation_delay '1 second', distinct.k '100000');
CREATE STREAM view (k BIGINT, PUNCTUATED ON (k)) USING json
  OPTIONS (path 'view', rate '1000', punctuation_delay '1 second');
CREATE STREAM sale (j BIGINT, x BIGINT, PUNCTUATED ON (j), PUNCTUATED ON (x)) USING json
  OPTIONS (path 'sale', rate '1', punctuation_delay '1 hour');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT c.k, s.j, s.x FROM click c JOIN view v ON c.k = v.k JOIN sale s ON c.j = s.j;

-- explained
-- result: admitted
--   join keeps click: purged by sale(j), then view(k)
--   join keeps view: purged by click(k), then sale(j)
--   join keeps sale: purged by click(j), then view(k)
--   without punctuations, memory is unbounded: k of click is in the result, and the column's domain is unbounded (C1)
--   unused punctuation schemes: sale(x)
--   plan
--     Projection c.k AS k, s.j AS j, x
--       Join c.j = s.j
--         Join c.k = v.k
--           Source click
--           Source view
--         Source sale
--   stages
--     stage 1
--       Join k = k #2
--         exchange click by k
--         exchange view by k
--     stage 2
--       Projection k, j #2 AS j, x
--         Join j = j #2
--           exchange stage 1 by j
--           exchange sale by j
--   plans of the join of click, view, sale, the best for memory first
--     ((click, view), sale)  keeps 14.5M rows  285k steps/s
--     (click, view, sale)    keeps 21.6M rows  486k steps/s
--     ((click, sale), view)  keeps 25.2M rows  402k steps/s
--   costs by plan options: which schemes are used, and when state is purged
--     all, eager      keeps 14.5M rows  285k steps/s
--     all, lazy       keeps 14.6M rows  145k steps/s
--     minimal, eager  keeps 10.9M rows  248k steps/s
--     minimal, lazy     keeps 11M rows  143k steps/s
--     minimal: click(k), click(j), view(k), sale(j)
--   which punctuations purge which input of the join of click, view, sale (punctuation graph)
--     click -> view         view(k)
--     click -> sale         sale(j)
--     view -> click         click(k)
--     view + sale -> click  click(k, j)
--     sale -> click         click(j)
--     strongly connected: click, view, sale
