-- Queries with the text of a view's query, however the names of their tables are written.
--@ schema
CREATE TABLE usage (feature STRING, day DATE, seconds INT)
--@ rows
INSERT INTO usage VALUES ('map', DATE '2024-01-01', 10), ('map', DATE '2024-01-02', 25), ('search', DATE '2024-01-02', NULL), (NULL, DATE '2024-01-03', 5), ('chat', NULL, 90), ('chat', DATE '2024-01-01', 7)
--@ view longest
SELECT day, sum(seconds) AS seconds FROM usage GROUP BY day ORDER BY seconds DESC NULLS LAST LIMIT 2
--@ view ranked
SELECT feature, seconds, rank() OVER (PARTITION BY feature ORDER BY seconds DESC) AS place FROM usage

--@ case: the own name of the table
SELECT day, sum(seconds) AS seconds FROM usage GROUP BY day ORDER BY seconds DESC NULLS LAST LIMIT 2
--@ rewritten using longest
SELECT v.`day`, v.`seconds` FROM lake.demo.longest__storage AS v ORDER BY 2 DESC NULLS LAST

--@ case: a quoted name, and other letters
select day, sum(seconds) as seconds from `usage` group by day order by seconds desc nulls last limit 2
--@ rewritten using longest
SELECT v.`day`, v.`seconds` FROM lake.demo.longest__storage AS v ORDER BY 2 DESC NULLS LAST

--@ case: an order of its own, and a quoted name
SELECT feature, seconds, rank() OVER (PARTITION BY feature ORDER BY seconds DESC) AS place FROM `usage` ORDER BY place, feature
--@ rewritten using ranked
SELECT v.`feature`, v.`seconds`, v.`place` FROM lake.demo.ranked__storage AS v ORDER BY 3 ASC NULLS FIRST, 1 ASC NULLS FIRST

--@ case: a text within another query
SELECT count(*) FROM (SELECT day, sum(seconds) AS seconds FROM usage GROUP BY day ORDER BY seconds DESC NULLS LAST LIMIT 2) AS longest
--@ rewritten using longest
SELECT count(*) FROM (SELECT v.`day`, v.`seconds` FROM lake.demo.longest__storage AS v ORDER BY 2 DESC NULLS LAST) AS longest

--@ case: a CTE of the same name is another table
WITH usage AS (SELECT DATE '2024-01-01' AS day, 1 AS seconds) SELECT day, sum(seconds) AS seconds FROM usage GROUP BY day ORDER BY seconds DESC NULLS LAST LIMIT 2
--@ kept: NO_VIEW

--@ case: a column qualified by another name of the table
SELECT usage.day, sum(seconds) AS seconds FROM usage GROUP BY day ORDER BY seconds DESC NULLS LAST LIMIT 2
--@ kept: longest SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups
