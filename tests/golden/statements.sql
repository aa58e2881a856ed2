-- Where in a statement a block may stand; the text around it stays as it is.
--@ schema
CREATE TABLE sales (region STRING, sex STRING, amount INT);
CREATE TABLE other (region STRING, k INT);
--@ rows
INSERT INTO sales VALUES ('eu', 'm', 1), ('eu', 'f', 2), ('us', 'm', 3), (NULL, NULL, NULL), (NULL, NULL, 7);
INSERT INTO other VALUES ('eu', 1), ('us', 5), (NULL, 2)
--@ view by_region
SELECT region, sex, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region, sex

--@ case: a common table expression
WITH t AS (SELECT region, sum(amount) AS s FROM sales GROUP BY region) SELECT /* keep */ region, s FROM t WHERE s > 1 -- end
--@ rewritten using by_region
WITH t AS (SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) SELECT /* keep */ region, s FROM t WHERE s > 1 -- end

--@ case: a derived table
SELECT x.region FROM (SELECT region, count(*) AS c FROM sales GROUP BY region) AS x WHERE x.c > 1
--@ rewritten using by_region
SELECT x.region FROM (SELECT v.`region` AS region, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS x WHERE x.c > 1

--@ case: both branches of a union, whose ORDER BY is not the last branch's
SELECT region FROM sales GROUP BY region UNION ALL SELECT sex FROM sales GROUP BY sex ORDER BY 1
--@ rewritten using by_region
SELECT v.`region` AS region FROM lake.demo.by_region__storage AS v GROUP BY v.`region` UNION ALL SELECT v.`sex` AS sex FROM lake.demo.by_region__storage AS v GROUP BY v.`sex` ORDER BY 1

--@ case: an IN subquery
SELECT k FROM other WHERE region IN (SELECT region FROM sales GROUP BY region HAVING sum(amount) > 2)
--@ rewritten using by_region
SELECT k FROM other VERSION AS OF 1001 WHERE region IN (SELECT v.`region` AS region FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` HAVING sum(v.`total`) > 2)

--@ case: a scalar subquery
SELECT k, (SELECT sum(amount) FROM sales) AS s FROM other
--@ rewritten using by_region
SELECT k, (SELECT sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v) AS s FROM other VERSION AS OF 1001

--@ case: what is read beside the view is read at the same moment
SELECT o.k, t.s FROM other o JOIN (SELECT region, sum(amount) AS s FROM sales GROUP BY region) AS t ON o.region = t.region
--@ rewritten using by_region
SELECT o.k, t.s FROM other VERSION AS OF 1001 o JOIN (SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) AS t ON o.region = t.region

--@ case: what cannot be fixed to that moment keeps the statement as it is
SELECT region, sum(amount) FROM sales GROUP BY region UNION ALL FROM other SELECT region, k
--@ kept: NOT_PINNED a part of the statement that is not supported may read tables at a different snapshot

--@ case: nor can what begins with FROM behind WITH
WITH t AS (SELECT region, sum(amount) AS s FROM sales GROUP BY region) FROM other SELECT region, k
--@ kept: NOT_PINNED a part of the statement that is not supported may read tables at a different snapshot

--@ case: a correlated subquery is left alone
SELECT k FROM other AS o WHERE EXISTS (SELECT 1 FROM sales WHERE sales.region = o.region)
--@ rewritten using by_region
SELECT k FROM other VERSION AS OF 1001 AS o WHERE EXISTS (SELECT 1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = o.region)

--@ case: a name that is a common table expression is not the table
WITH sales AS (SELECT region, k AS amount FROM other) SELECT region, sum(amount) FROM sales GROUP BY region
--@ kept: NO_VIEW

--@ case: a comment, a semicolon
SELECT region, sum(amount) FROM sales GROUP BY region; -- dashboard 7
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage AS v GROUP BY v.`region`; -- dashboard 7

--@ case: aliases, ordinals and ORDER BY of an aggregate
SELECT s.region AS r, sum(s.amount) AS t FROM sales AS s GROUP BY r ORDER BY count(*) DESC, 1 LIMIT 2
--@ rewritten using by_region
SELECT v.`region` AS r, sum(v.`total`) AS t FROM lake.demo.by_region__storage AS v GROUP BY v.`region` ORDER BY coalesce(sum(v.`cnt`), 0) DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: an alias that hides a column is not guessed at
SELECT sex AS region, sum(amount) FROM sales GROUP BY region
--@ kept: UNSUPPORTED the column sex is neither grouped nor aggregated: add sex to GROUP BY, or use sex only in aggregates

--@ case: DISTINCT is grouping
SELECT DISTINCT region FROM sales
--@ rewritten using by_region
SELECT v.`region` AS region FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: DISTINCT over groups
SELECT DISTINCT sum(amount) FROM sales GROUP BY region
--@ rewritten using by_region
SELECT DISTINCT sum(v.`total`) FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: rows where the view holds groups
SELECT region, amount FROM sales
--@ kept: GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: the view by its own name
SELECT region, total FROM by_region WHERE sex = 'm'
--@ rewritten using by_region
SELECT v.`region` AS region, v.`total` AS total FROM lake.demo.by_region__storage AS v WHERE v.`sex` = 'm'

--@ case: HAVING without GROUP BY
SELECT sum(amount) FROM sales HAVING count(*) > 3
--@ rewritten using by_region
SELECT sum(v.`total`) FROM lake.demo.by_region__storage AS v HAVING coalesce(sum(v.`cnt`), 0) > 3

--@ case: ROLLUP
SELECT region, sum(amount) FROM sales GROUP BY ROLLUP (region)
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage AS v GROUP BY GROUPING SETS ((v.`region`), ())

--@ case: a window function
SELECT region, sum(amount) OVER (PARTITION BY region) FROM sales
--@ kept: GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: an outer join
SELECT s.region, sum(s.amount) FROM sales AS s LEFT JOIN other AS o ON s.region = o.region GROUP BY s.region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.other VERSION AS OF 1001 AS other_0 ON v.`region` = other_0.region GROUP BY v.`region`

--@ case: time travel
SELECT region, sum(amount) FROM sales VERSION AS OF 7 GROUP BY region
--@ kept: UNSUPPORTED sales VERSION AS OF 7 in FROM reads an earlier state: views answer time travel only if each table of the statement has VERSION AS OF or TIMESTAMP AS OF with a literal that names a state of the table, the same one wherever the table is named

--@ case: a function that is not known
SELECT region, some_udf(sum(amount)) FROM sales GROUP BY region
--@ kept: UNSUPPORTED the function some_udf() is not supported: read the tables in a subquery, which a view can answer, and call some_udf() only in the SELECT around the subquery

--@ case: variable substitution
SELECT region, sum(amount) FROM sales WHERE region = '${region}' GROUP BY region
--@ kept: NO_VIEW

--@ case: pipe syntax
SELECT region, sum(amount) FROM sales GROUP BY region |> LIMIT 3
--@ kept: NO_VIEW

--@ case: a table without views
SELECT region FROM other
--@ kept: NO_VIEW
