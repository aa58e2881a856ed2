-- PIVOT: the groups under it are read from a view, and pivoted by Spark.
--@ schema
CREATE TABLE sales (region STRING, quarter INT, item STRING, amount INT, price DECIMAL(10,2), weight DOUBLE, sold BOOLEAN);
CREATE TABLE narrow (region STRING, quarter INT, amount INT)
--@ rows
INSERT INTO sales VALUES ('eu', 1, 'a', 10, 1.50, 0.5, true), ('eu', 1, 'b', NULL, 2.25, 1.5, false), ('eu', 3, 'a', 5, NULL, NULL, NULL), ('us', 2, 'b', 7, 9.99, 2.5, true), (NULL, 1, 'a', 1, 0.01, 0.25, false), (NULL, NULL, 'c', 2, 0.02, 0.25, true), ('as', 4, NULL, NULL, NULL, NULL, NULL), ('as', 4, NULL, NULL, NULL, NULL, NULL);
INSERT INTO narrow VALUES ('eu', 1, 10), ('eu', 1, 11), ('eu', 2, NULL), (NULL, 1, 5), ('us', 4, 6)
--@ view by_item
SELECT region, quarter, item, sum(amount) AS total, count(*) AS n, count(amount) AS known, sum(price) AS price, max(item) AS top, max(price) AS dear, avg(price) AS mean, sum(weight) AS weight, bool_or(sold) AS sold FROM sales GROUP BY region, quarter, item
--@ view by_quarter
SELECT region, quarter, sum(amount) AS total, count(*) AS n FROM narrow GROUP BY region, quarter

--@ case: a derived table
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount) FOR quarter IN (1, 2, 3))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, sum(v.`total`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) FOR quarter IN (1, 2, 3))

--@ case: what is not there counts as NULL
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (count(*) AS n, count(amount) AS known FOR quarter IN (1 AS q1, 2 AS q2))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, coalesce(sum(v.`n`), 0) AS viewgate_pivot_0, coalesce(sum(v.`known`), 0) AS viewgate_pivot_1 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) AS n, max(viewgate_pivot_1) AS known FOR quarter IN (1 AS q1, 2 AS q2))

--@ case: aggregates without an alias have Spark's names
SELECT * FROM (SELECT region, quarter, amount, price FROM sales) PIVOT (sum(amount), count(amount), max(price) FOR quarter IN (1 AS q1, 2 AS q2))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, sum(v.`total`) AS viewgate_pivot_0, coalesce(sum(v.`known`), 0) AS viewgate_pivot_1, max(v.`dear`) AS viewgate_pivot_2 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) AS `sum(amount)`, max(viewgate_pivot_1) AS `count(amount)`, max(viewgate_pivot_2) AS `max(price)` FOR quarter IN (1 AS q1, 2 AS q2))

--@ case: a table, of which all other columns are keys
SELECT * FROM narrow PIVOT (sum(amount) AS s FOR quarter IN (1, 2))
--@ rewritten using by_quarter
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, v.`total` AS viewgate_pivot_0 FROM lake.demo.by_quarter__storage AS v) AS narrow PIVOT (max(viewgate_pivot_0) FOR quarter IN (1, 2))

--@ case: a table with an alias, by which its columns are named
SELECT n.region, q1 FROM narrow AS n PIVOT (sum(n.amount) AS s FOR quarter IN (1 AS q1, 2)) WHERE q1 > 3 ORDER BY n.region
--@ rewritten using by_quarter
SELECT n.region, q1 FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, v.`total` AS viewgate_pivot_0 FROM lake.demo.by_quarter__storage AS v) AS n PIVOT (max(viewgate_pivot_0) FOR quarter IN (1 AS q1, 2)) WHERE q1 > 3 ORDER BY n.region

--@ case: two columns
SELECT * FROM (SELECT region, quarter, item, amount FROM sales) PIVOT (sum(amount) FOR (quarter, item) IN ((1, 'a') AS a1, (2, 'b') AS b2))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, v.`item` AS item, v.`total` AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v) PIVOT (max(viewgate_pivot_0) FOR (quarter, item) IN ((1, 'a') AS a1, (2, 'b') AS b2))

--@ case: decimals and averages keep their types
SELECT * FROM (SELECT region, quarter, price FROM sales) PIVOT (sum(price) AS s, avg(price) AS a FOR quarter IN (1 AS q1, 3 AS q3))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, CAST(sum(v.`price`) AS DECIMAL(20, 2)) AS viewgate_pivot_0, CAST((CAST(CAST(sum(v.`price`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_0`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS viewgate_pivot_1 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) AS s, max(viewgate_pivot_1) AS a FOR quarter IN (1 AS q1, 3 AS q3))

--@ case: a filter within, and groups around
SELECT count(q1) AS c FROM (SELECT region, quarter, amount FROM sales WHERE item <> 'c') PIVOT (sum(amount) FOR quarter IN (1 AS q1, 2 AS q2))
--@ rewritten using by_item
SELECT count(q1) AS c FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, sum(v.`total`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v WHERE v.`item` <> 'c' GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) FOR quarter IN (1 AS q1, 2 AS q2))

--@ case: no keys are one row
SELECT * FROM (SELECT quarter, amount FROM sales) PIVOT (sum(amount) FOR quarter IN (1 AS q1, 2 AS q2))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`quarter` AS quarter, sum(v.`total`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v GROUP BY v.`quarter`) PIVOT (max(viewgate_pivot_0) FOR quarter IN (1 AS q1, 2 AS q2))

--@ case: what aggregates make together
SELECT * FROM (SELECT region, quarter, price, amount FROM sales) PIVOT (sum(price) / count(amount) AS each FOR quarter IN (1, 2))
--@ kept: UNSUPPORTED line 1, column 84: `/` was found where `FOR` is expected; GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a common table expression
WITH s AS (SELECT region, quarter, amount FROM sales) SELECT * FROM s PIVOT (sum(amount) FOR quarter IN (1, 2)) ORDER BY region
--@ rewritten using by_item
WITH s AS (SELECT region, quarter, amount FROM sales VERSION AS OF 1000) SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, sum(v.`total`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage VERSION AS OF 2000 AS v GROUP BY v.`region`, v.`quarter`) AS s PIVOT (max(viewgate_pivot_0) FOR quarter IN (1, 2)) ORDER BY region

--@ case: maxima of texts alone
SELECT * FROM (SELECT region, quarter, item FROM sales) PIVOT (max(item) FOR quarter IN (1, 2))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, max(v.`top`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) FOR quarter IN (1, 2))

--@ case: beside a text, a count that is absent is 0
SELECT * FROM (SELECT region, quarter, item FROM sales) PIVOT (max(item) AS top, count(*) AS n FOR quarter IN (1, 2))
--@ kept: UNSUPPORTED (SELECT region, quarter, item FROM sales) PIVOT(MAX(item) AS top, COUNT(*) AS n … in FROM has PIVOT or UNPIVOT, which is not supported: name a table or a subquery without PIVOT or UNPIVOT; GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: an aggregate that the view lacks
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (min(amount) FOR quarter IN (1, 2))
--@ kept: AGGREGATE_NOT_IN_VIEW min(amount); GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a key that the view lacks: all columns of the table
SELECT * FROM sales PIVOT (sum(amount) FOR quarter IN (1, 2))
--@ kept: GROUPING_TOO_COARSE price

--@ case: a floating-point sum decides about rows
SELECT region FROM (SELECT region, quarter, weight FROM sales) PIVOT (sum(weight) FOR quarter IN (1 AS q1)) WHERE q1 > 1
--@ kept: FLOAT_SUM_DECIDES_ROWS sum(weight); GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: and is handed on
SELECT region, q1 FROM (SELECT region, quarter, weight FROM sales) PIVOT (sum(weight) FOR quarter IN (1 AS q1))
--@ rewritten using by_item
SELECT region, q1 FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, sum(v.`weight`) AS viewgate_pivot_0 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) FOR quarter IN (1 AS q1))

--@ case: a list of aggregates of which each value is there
SELECT * FROM (SELECT region, quarter, sold, amount FROM sales) PIVOT (bool_or(sold) AS any, sum(amount) AS s FOR quarter IN (1, 4))
--@ rewritten using by_item
SELECT * FROM (SELECT v.`region` AS region, v.`quarter` AS quarter, bool_or(v.`sold`) AS viewgate_pivot_0, sum(v.`total`) AS viewgate_pivot_1 FROM lake.demo.by_item__storage AS v GROUP BY v.`region`, v.`quarter`) PIVOT (max(viewgate_pivot_0) AS `any`, max(viewgate_pivot_1) AS s FOR quarter IN (1, 4))

--@ case: median does not come of finer groups
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (median(amount) FOR quarter IN (1, 2))
--@ kept: AGGREGATE_NOT_IN_VIEW median(amount); GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: UNPIVOT is not read
SELECT * FROM narrow UNPIVOT (v FOR k IN (quarter, amount))
--@ kept: UNSUPPORTED narrow UNPIVOT(v FOR k IN (quarter, amount)) in FROM has PIVOT or UNPIVOT, which is not supported: name a table or a subquery without PIVOT or UNPIVOT
