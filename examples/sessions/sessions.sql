-- Sessions that end at a logout, and not after a time: one row a visit, once, when it is over.
--
-- Who closes the window and never logs out is not forgotten silently: after a day the session goes to the quarantine.

CREATE STREAM click (
  session STRING, page STRING, ms BIGINT,
  PUNCTUATE (session) WHEN page = 'logout' EXPECT WITHIN '1 day'
) USING json OPTIONS (path 'in/click');

CREATE SINK visit USING json OPTIONS (path 'out/visit');
INSERT INTO visit
SELECT session, COUNT(*) AS pages, SUM(ms) AS ms, MAX(CASE WHEN page = 'pay' THEN 1 ELSE 0 END) AS bought
FROM click
GROUP BY session;
