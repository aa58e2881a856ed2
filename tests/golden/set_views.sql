-- Views with GROUPING SETS, ROLLUP or CUBE: each of their sets is a view of plain groups.
--@ schema
CREATE TABLE sales (region STRING, sex STRING, n INT, amount INT, price DECIMAL(10,2));
--@ rows
INSERT INTO sales VALUES ('eu', 'm', 1, 10, 1.5), ('eu', 'f', 2, 20, 2.5), ('us', 'm', 3, 30, NULL), ('eu', NULL, 1, 40, 4), (NULL, 'm', 2, 50, 5), (NULL, NULL, NULL, NULL, 6), ('eu', 'm', 1, 10, 1.5)
--@ view rolled
SELECT region, sex, sum(amount) AS total, avg(price) AS mean FROM sales GROUP BY ROLLUP (region, sex)
--@ view sets
SELECT n, upper(region) AS r, count(*) AS cnt, grouping(n) AS gn FROM sales GROUP BY GROUPING SETS ((n, upper(region)), (n), (n), ())
--@ view part
SELECT n, sex, sum(price) AS revenue FROM sales WHERE n >= 2 GROUP BY CUBE (n, sex)

--@ case: the finest set as plain groups
SELECT region, sex, sum(amount) FROM sales GROUP BY region, sex
--@ rewritten using rolled
SELECT v.`region` AS region, v.`sex` AS sex, v.`total` FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 0

--@ case: a coarser set: a NULL among the keys is one
SELECT region, sum(amount), avg(price) FROM sales GROUP BY region
--@ rewritten using rolled
SELECT v.`region` AS region, v.`total`, v.`mean` FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 1

--@ case: a filter of a key that the coarser set has
SELECT sum(amount) FROM sales WHERE region = 'eu'
--@ rewritten using rolled
SELECT sum(v.`total`) FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 1 AND v.`region` = 'eu'

--@ case: a filter of a key that only the finest has
SELECT region, sum(amount) FROM sales WHERE sex IS NULL GROUP BY region
--@ rewritten using rolled
SELECT v.`region` AS region, v.`total` FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 0 AND v.`sex` IS NULL

--@ case: the total is rolled up: its own row is not there without rows
SELECT sum(amount), count(*) FROM sales
--@ rewritten using rolled
SELECT sum(v.`total`), coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 1

--@ case: the same sets
SELECT region, sex, sum(amount) AS total FROM sales GROUP BY ROLLUP (region, sex)
--@ rewritten using rolled
SELECT v.`region` AS region, v.`sex` AS sex, sum(v.`total`) AS total FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 0 GROUP BY GROUPING SETS ((v.`region`, v.`sex`), (v.`region`), ())

--@ case: other sets of the same keys
SELECT region, sex, sum(amount) AS total, grouping(sex) FROM sales GROUP BY CUBE (region, sex)
--@ rewritten using rolled
SELECT v.`region` AS region, v.`sex` AS sex, sum(v.`total`) AS total, grouping(v.`sex`) FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 0 GROUP BY GROUPING SETS ((v.`region`, v.`sex`), (v.`region`), (v.`sex`), ())

--@ case: HAVING and an order
SELECT region, sum(amount) AS total FROM sales GROUP BY region HAVING count(*) > 1 ORDER BY total DESC
--@ rewritten using rolled
SELECT v.`region` AS region, v.`total` AS total FROM lake.demo.rolled__storage AS v WHERE v.`viewgate_set_1` = 1 AND v.`viewgate_rows_0` > 1 ORDER BY 2 DESC NULLS LAST

--@ case: the view's own text
SELECT region, sex, sum(amount) AS total, avg(price) AS mean FROM sales GROUP BY ROLLUP (region, sex)
--@ rewritten using rolled
SELECT v.`region`, v.`sex`, v.`total`, v.`mean` FROM lake.demo.rolled__storage AS v

--@ case: an expression as a key
SELECT n, upper(region), count(*) FROM sales GROUP BY n, upper(region)
--@ rewritten using sets
SELECT v.`n` AS n, v.`r`, v.`cnt` FROM lake.demo.sets__storage AS v WHERE v.`viewgate_set_0` = 0

--@ case: a set that the view has twice, from the finest
SELECT n, count(*) FROM sales GROUP BY n
--@ rewritten using sets
SELECT v.`n` AS n, coalesce(sum(v.`cnt`), 0) FROM lake.demo.sets__storage AS v WHERE v.`viewgate_set_0` = 0 GROUP BY v.`n`

--@ case: a key that no set has
SELECT sex, n, count(*) FROM sales GROUP BY sex, n
--@ rewritten using part
SELECT v.`c0` AS sex, v.`c1` AS n, coalesce(sum(v.`c2`), 0) FROM (SELECT v.`sex` AS c0, v.`n` AS c1, v.`viewgate_rows_0` AS c2 FROM lake.demo.part__storage VERSION AS OF 2002 AS v WHERE v.`viewgate_set_1` = 0 UNION ALL SELECT sales_0.sex AS c0, sales_0.n AS c1, count(*) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((sales_0.n < 2) OR (sales_0.n IS NULL)) GROUP BY sales_0.sex, sales_0.n) AS v GROUP BY v.`c0`, v.`c1`

--@ case: rows
SELECT region, amount FROM sales
--@ kept: part VIEW_FILTERS_MORE n >= 2; rolled GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; sets GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: rows that the view lacks come from the table
SELECT sex, sum(price) FROM sales WHERE n < 5 GROUP BY sex
--@ rewritten using part
SELECT v.`c0` AS sex, CAST(sum(v.`c1`) AS DECIMAL(20, 2)) FROM (SELECT v.`sex` AS c0, CAST(CAST(sum(v.`revenue`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1 FROM lake.demo.part__storage VERSION AS OF 2002 AS v WHERE v.`viewgate_set_1` = 0 AND v.`n` < 5 GROUP BY v.`sex` UNION ALL SELECT sales_0.sex AS c0, sum(sales_0.price) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.n < 2 GROUP BY sales_0.sex) AS v GROUP BY v.`c0`
