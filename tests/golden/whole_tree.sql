-- Whole-tree match: a view that is no block answers its own text, whatever it contains.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 10), (2, 'eu', NULL), (3, NULL, 7), (4, 'us', 3), (4, 'us', 3), (5, 'us', 5);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('xx', NULL)
--@ view ranked
SELECT id, region, rank() OVER (PARTITION BY region ORDER BY amount) AS place FROM sales WHERE amount IS NOT NULL
--@ view both
SELECT region, amount AS n FROM sales UNION ALL SELECT label, 0 FROM names ORDER BY n
--@ view top
SELECT id, amount AS n FROM sales ORDER BY n DESC NULLS LAST, id LIMIT 3
--@ view known
SELECT region, sum(amount) AS total FROM sales WHERE region IN (SELECT region FROM names) GROUP BY region

--@ case: windows, in other words of the same text
select id, REGION, Rank() over (partition by region order by amount) as place -- by amount
from sales where amount is not null
--@ rewritten using ranked
SELECT v.`id`, v.`region`, v.`place` FROM lake.demo.ranked__storage AS v

--@ case: ordered and cut, by outputs
SELECT id, region, rank() OVER (PARTITION BY region ORDER BY amount) AS place FROM sales WHERE amount IS NOT NULL ORDER BY place DESC, id LIMIT 2
--@ rewritten using ranked
SELECT v.`id`, v.`region`, v.`place` FROM lake.demo.ranked__storage AS v ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: ordered by something that the storage has not
SELECT id, region, rank() OVER (PARTITION BY region ORDER BY amount) AS place FROM sales WHERE amount IS NOT NULL ORDER BY amount
--@ kept: ranked SHAPE ORDER BY amount cannot be applied to the view's rows: order by outputs of the query, and write LIMIT and OFFSET as integers; both VIEW_UNSUPPORTED the query is not a single SELECT; known JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; top SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query

--@ case: a union in another order
SELECT region, amount AS n FROM sales UNION ALL SELECT label, 0 FROM names ORDER BY 2 DESC, 1
--@ rewritten using both
SELECT v.`region`, v.`n` FROM lake.demo.both__storage AS v ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST

--@ case: a union within a query
SELECT count(*) FROM (SELECT region, amount AS n FROM sales UNION ALL SELECT label, 0 FROM names) AS u WHERE n = 0
--@ rewritten using both
SELECT count(*) FROM (SELECT v.`region`, v.`n` FROM lake.demo.both__storage AS v) AS u WHERE n = 0

--@ case: some rows, with the same limit
SELECT id, amount AS n FROM sales ORDER BY n DESC NULLS LAST, id LIMIT 3
--@ rewritten using top
SELECT v.`id`, v.`n` FROM lake.demo.top__storage AS v ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST

--@ case: some rows are not all
SELECT id, amount AS n FROM sales
--@ kept: both VIEW_UNSUPPORTED the query is not a single SELECT; known JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; top SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query

--@ case: another limit
SELECT id, amount AS n FROM sales ORDER BY n DESC NULLS LAST, id LIMIT 2
--@ kept: both VIEW_UNSUPPORTED the query is not a single SELECT; known JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; top SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query

--@ case: a subquery
SELECT region, sum(amount) AS total FROM sales WHERE region IN (SELECT region FROM names) GROUP BY region ORDER BY total
--@ rewritten using known
SELECT v.`region` AS region, v.`total` AS total FROM lake.demo.known__storage AS v ORDER BY 2 ASC NULLS FIRST

--@ case: another literal
SELECT region, amount AS n FROM sales UNION ALL SELECT label, 1 FROM names
--@ kept: both VIEW_UNSUPPORTED the query is not a single SELECT; known JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; top SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query; known JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: in a common table expression
WITH u AS (SELECT region, amount AS n FROM sales UNION ALL SELECT label, 0 FROM names) SELECT n, count(*) FROM u GROUP BY n
--@ rewritten using both
WITH u AS (SELECT v.`region`, v.`n` FROM lake.demo.both__storage VERSION AS OF 2001 AS v) SELECT n, count(*) FROM u GROUP BY n

--@ case: a name that means something else
WITH names AS (SELECT region, region AS label FROM sales) SELECT region, amount AS n FROM sales UNION ALL SELECT label, 0 FROM names
--@ kept: both VIEW_UNSUPPORTED the query is not a single SELECT; known JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; top SHAPE the view's query has LIMIT, so the view lacks rows that the query may need: remove LIMIT from the view's query
