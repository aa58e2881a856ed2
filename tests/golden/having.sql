-- Views with HAVING hold some of their groups: those that it keeps, which queries read as rows.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, item INT, amount INT, price DECIMAL(10,2), weight DOUBLE, ts TIMESTAMP);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1, 10, 1.50, 0.1, TIMESTAMP '2024-01-01 10:00:00'), (2, 'eu', 2, NULL, 2.25, 0.2, TIMESTAMP '2024-01-02 10:00:00'), (3, NULL, 2, 7, NULL, 0.3, TIMESTAMP '2024-01-01 23:00:00'), (4, 'us', 1, 3, 9.99, NULL, NULL), (4, 'us', 1, 3, 9.99, 1.5, NULL), (5, 'as', NULL, 0, 0.00, 2.5, TIMESTAMP '2024-02-01 10:00:00'), (6, 'as', 3, 40, 0.50, -1, TIMESTAMP '2024-02-01 10:00:00'), (7, 'eu', 2, 4, 1.00, 7, TIMESTAMP '2024-02-01 10:00:00');
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('us', 'USA'), (NULL, 'none')
--@ view busy
SELECT region, item, sum(amount) AS total, avg(price) AS price FROM sales GROUP BY region, item HAVING count(*) > 1
--@ view heavy
SELECT region, sum(weight) AS load FROM sales GROUP BY region HAVING sum(weight) > 1
--@ view daily
SELECT date_trunc('DAY', ts) AS day, count(*) AS n FROM sales WHERE ts IS NOT NULL GROUP BY date_trunc('DAY', ts) HAVING max(amount) >= 10 AND count(*) >= 1

--@ case: the same groups
SELECT region, item, sum(amount) FROM sales GROUP BY region, item HAVING count(*) > 1
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, v.`total` FROM lake.demo.busy__storage AS v

--@ case: fewer of them, told by what was not asked for
SELECT item, region, avg(price) FROM sales GROUP BY item, region HAVING count(*) >= 3
--@ rewritten using busy
SELECT v.`item` AS item, v.`region` AS region, v.`price` FROM lake.demo.busy__storage AS v WHERE v.`viewgate_rows_0` >= 3

--@ case: fewer of them by another figure
SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item HAVING count(*) > 1 AND sum(amount) > 3 ORDER BY total DESC LIMIT 2
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, v.`total` AS total FROM lake.demo.busy__storage AS v WHERE v.`total` > 3 ORDER BY 3 DESC NULLS LAST LIMIT 2

--@ case: fewer of them by a key
SELECT region, item, sum(amount) FROM sales WHERE region = 'eu' GROUP BY region, item HAVING count(*) = 2
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, v.`total` FROM lake.demo.busy__storage AS v WHERE v.`viewgate_rows_0` = 2 AND v.`region` = 'eu'

--@ case: a key that is pinned
SELECT item, sum(amount) FROM sales WHERE region = 'eu' GROUP BY item HAVING count(*) > 1
--@ rewritten using busy
SELECT v.`item` AS item, v.`total` FROM lake.demo.busy__storage AS v WHERE v.`region` = 'eu'

--@ case: ranks among them
SELECT region, item, rank() OVER (PARTITION BY region ORDER BY sum(amount)) AS place FROM sales GROUP BY region, item HAVING count(*) > 1
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, rank() OVER (PARTITION BY v.`region` ORDER BY v.`total` ASC) AS place FROM lake.demo.busy__storage AS v

--@ case: the function before OVER counts the groups that are left, not their rows
SELECT region, item, count(*), count(*) OVER () AS groups, count(*) OVER (PARTITION BY region) AS here FROM sales GROUP BY region, item HAVING count(*) > 1
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, v.`viewgate_rows_0`, count(*) OVER () AS groups, count(*) OVER (PARTITION BY v.`region`) AS here FROM lake.demo.busy__storage AS v

--@ case: beside an aggregate under the window, and a sum of a key that is also a sum of rows
SELECT item, sum(count(*)) OVER () AS rows, count(item) OVER () AS items, max(item) OVER (PARTITION BY region) AS most FROM sales GROUP BY region, item HAVING count(*) > 1
--@ rewritten using busy
SELECT v.`item` AS item, sum(v.`viewgate_rows_0`) OVER () AS rows, count(v.`item`) OVER () AS items, max(v.`item`) OVER (PARTITION BY v.`region`) AS most FROM lake.demo.busy__storage AS v

--@ case: a join, a filter or groups around it would change which groups it counts, so that it stays within its derived table
SELECT n.label, g.groups FROM (SELECT region, item, count(*) OVER () AS groups FROM sales GROUP BY region, item HAVING count(*) > 1) AS g JOIN names AS n ON n.region = g.region
--@ rewritten using busy
SELECT n.label, g.groups FROM (SELECT v.`region` AS region, v.`item` AS item, count(*) OVER () AS groups FROM lake.demo.busy__storage VERSION AS OF 2000 AS v) AS g JOIN names VERSION AS OF 1001 AS n ON n.region = g.region

--@ case: the same with a filter around it
SELECT g.total FROM (SELECT region, item, sum(count(*)) OVER () AS total FROM sales GROUP BY region, item HAVING count(*) > 1) AS g WHERE g.region = 'eu'
--@ rewritten using busy
SELECT g.total FROM (SELECT v.`region` AS region, v.`item` AS item, sum(v.`viewgate_rows_0`) OVER () AS total FROM lake.demo.busy__storage AS v) AS g WHERE g.region = 'eu'

--@ case: with groups around it
SELECT g.total, count(*) FROM (SELECT region, item, sum(count(*)) OVER () AS total FROM sales GROUP BY region, item HAVING count(*) > 1) AS g GROUP BY g.total
--@ rewritten using busy
SELECT g.total, count(*) FROM (SELECT v.`region` AS region, v.`item` AS item, sum(v.`viewgate_rows_0`) OVER () AS total FROM lake.demo.busy__storage AS v) AS g GROUP BY g.total

--@ case: with a semi join around a CTE
WITH g AS (SELECT region, item, rank() OVER (ORDER BY count(*)) AS place FROM sales GROUP BY region, item HAVING count(*) > 1) SELECT place FROM g WHERE EXISTS (SELECT 1 FROM names AS n WHERE n.region = g.region)
--@ rewritten using busy
WITH g AS (SELECT v.`region` AS region, v.`item` AS item, rank() OVER (ORDER BY v.`viewgate_rows_0` ASC) AS place FROM lake.demo.busy__storage VERSION AS OF 2000 AS v) SELECT place FROM g WHERE EXISTS (SELECT 1 FROM names VERSION AS OF 1001 AS n WHERE n.region = g.region)

--@ case: but the columns beside it may be joined
SELECT n.label, g.item FROM (SELECT region, item, sum(count(*)) OVER () AS total FROM sales GROUP BY region, item HAVING count(*) > 1) AS g JOIN names AS n ON n.region = g.region
--@ rewritten using busy (not proved: the rewritten query reads other tables than the query)
SELECT names_0.label AS label, v.`item` AS item FROM lake.demo.busy__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = v.`region`

--@ case: different figures
SELECT DISTINCT sum(amount) FROM sales GROUP BY region, item HAVING count(*) > 1
--@ rewritten using busy
SELECT DISTINCT v.`total` FROM lake.demo.busy__storage AS v

--@ case: as the filter around a derived table
SELECT g.region, g.total FROM (SELECT region, item, sum(amount) AS total, count(*) AS n FROM sales GROUP BY region, item) AS g WHERE g.n > 1 AND g.total < 10
--@ rewritten using busy
SELECT v.`region` AS region, v.`total` AS total FROM lake.demo.busy__storage AS v WHERE v.`total` < 10

--@ case: a common table expression beside a table
WITH g AS (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item HAVING count(*) > 1) SELECT n.label, g.total FROM g JOIN names AS n ON n.region = g.region
--@ rewritten using busy
WITH g AS (SELECT v.`region` AS region, v.`item` AS item, v.`total` AS total FROM lake.demo.busy__storage VERSION AS OF 2000 AS v) SELECT names_0.label AS label, v.`total` AS total FROM lake.demo.busy__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = v.`region`

--@ case: grouped once more
SELECT region, sum(total), count(*) FROM (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item HAVING count(*) > 1) AS g GROUP BY region
--@ rewritten using busy
SELECT v.`region` AS region, sum(v.`total`), count(*) FROM lake.demo.busy__storage AS v GROUP BY v.`region`

--@ case: by day
SELECT date_trunc('DAY', ts) AS day, count(*) FROM sales WHERE ts IS NOT NULL GROUP BY date_trunc('DAY', ts) HAVING max(amount) > 12 AND count(*) > 1
--@ rewritten using daily
SELECT v.`day` AS day, v.`n` FROM lake.demo.daily__storage AS v WHERE v.`viewgate_having_0` > 12 AND v.`n` > 1

--@ case: a filter on days
SELECT date_trunc('DAY', ts) AS day, count(*) FROM sales WHERE ts >= TIMESTAMP '2024-02-01 00:00:00' GROUP BY date_trunc('DAY', ts) HAVING max(amount) >= 20 AND count(*) >= 2
--@ rewritten using daily
SELECT v.`day` AS day, v.`n` FROM lake.demo.daily__storage AS v WHERE v.`viewgate_having_0` >= 20 AND v.`n` >= 2 AND v.`day` >= CAST('2024-02-01 00:00:00' AS TIMESTAMP)

--@ case: more groups than the view keeps
SELECT region, item, sum(amount) FROM sales GROUP BY region, item HAVING count(*) > 0
--@ kept: busy VIEW_FILTERS_MORE `count(*)` > 1; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: all groups
SELECT region, item, sum(amount) FROM sales GROUP BY region, item
--@ kept: busy VIEW_FILTERS_MORE `count(*)` > 1; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: HAVING by something else
SELECT region, item, sum(amount) FROM sales GROUP BY region, item HAVING sum(amount) > 5
--@ kept: busy VIEW_FILTERS_MORE `count(*)` > 1; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: coarser groups are made of all finer ones
SELECT region, sum(amount) FROM sales GROUP BY region HAVING count(*) > 1
--@ kept: busy SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: the same condition for coarser groups
SELECT sum(amount) FROM sales HAVING count(*) > 1
--@ kept: busy SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: finer groups
SELECT region, item, id, sum(amount) FROM sales GROUP BY region, item, id HAVING count(*) > 1
--@ kept: busy GROUPING_TOO_COARSE id; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: fewer rows in the groups
SELECT region, item, sum(amount) FROM sales WHERE amount > 3 GROUP BY region, item HAVING count(*) > 1
--@ kept: busy COLUMN_NOT_IN_VIEW amount; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: a sum of floating-point numbers decides
SELECT region, sum(weight) FROM sales GROUP BY region HAVING sum(weight) > 1
--@ kept: busy AGGREGATE_NOT_IN_VIEW sum(weight); daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: the other branch of OR
SELECT region, item, sum(amount) FROM sales GROUP BY region, item HAVING count(*) > 1 OR sum(amount) > 5
--@ kept: busy VIEW_FILTERS_MORE `count(*)` > 1; daily VIEW_FILTERS_MORE NOT ts IS NULL; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: a condition that may be unknown
SELECT region, item, sum(amount) FROM sales GROUP BY region, item HAVING count(*) > 1 AND NOT sum(amount) > 5
--@ rewritten using busy
SELECT v.`region` AS region, v.`item` AS item, v.`total` FROM lake.demo.busy__storage AS v WHERE NOT (v.`total` > 5)

--@ case: grouping sets have other groups, too
SELECT region, item, sum(amount) FROM sales GROUP BY ROLLUP (region, item) HAVING count(*) > 1
--@ kept: busy SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; daily SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: by day, the other condition is missing
SELECT date_trunc('DAY', ts) AS day, count(*) FROM sales WHERE ts IS NOT NULL GROUP BY date_trunc('DAY', ts) HAVING count(*) > 1
--@ kept: busy COLUMN_NOT_IN_VIEW ts; daily VIEW_FILTERS_MORE `max(amount)` >= 10; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`

--@ case: a range that cuts days
SELECT date_trunc('DAY', ts) AS day, count(*) FROM sales WHERE ts >= TIMESTAMP '2024-01-01 12:00:00' GROUP BY date_trunc('DAY', ts) HAVING max(amount) >= 10 AND count(*) >= 1
--@ kept: busy COLUMN_NOT_IN_VIEW ts; daily SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; heavy FLOAT_SUM_DECIDES_ROWS `sum(weight)`
