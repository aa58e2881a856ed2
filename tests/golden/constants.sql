-- Subqueries that depend on nothing around them are constants: they stay as they are, or are answered by themselves.
--@ schema
CREATE TABLE orders (id INT NOT NULL, cust INT, prio STRING, day DATE, amount INT, score DOUBLE);
CREATE TABLE items (order_id INT NOT NULL, part INT, qty INT, price DECIMAL(10,2));
CREATE TABLE nothing (k INT NOT NULL, v INT);
--@ rows
INSERT INTO orders VALUES (1, 7, 'a', DATE '2024-01-01', 10, 0.0), (2, 7, 'b', DATE '2024-01-02', 20, 1.5), (3, NULL, 'a', DATE '2024-01-02', 30, NULL), (4, 8, NULL, DATE '2024-01-03', NULL, -0.0D), (4, 8, NULL, DATE '2024-01-03', NULL, -0.0D), (5, 9, 'c', DATE '2024-02-01', 50, 2.5);
INSERT INTO items VALUES (1, 1, 5, 1.50), (1, 1, 5, 1.50), (2, 2, NULL, NULL), (3, NULL, 1, 20.00), (4, 3, 2, 0.10), (9, 1, 1, 3.00), (7, 7, 9, 9.99);
INSERT INTO nothing VALUES (-1, NULL);
--@ view by_cust
SELECT cust, prio, sum(amount) AS total, count(*) AS cnt, count(amount) AS known FROM orders GROUP BY cust, prio
--@ view rows
SELECT id, cust, amount, score FROM orders WHERE id > 0
--@ view by_part
SELECT order_id, part, sum(qty) AS qty, max(price) AS dearest, count(*) AS cnt FROM items GROUP BY order_id, part

--@ case: a scalar subquery in WHERE, answered by itself
SELECT prio, sum(amount) FROM orders WHERE cust > (SELECT max(part) FROM items) GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT max(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v) GROUP BY v.`prio`

--@ case: one that no view answers is read at the same moment
SELECT prio, sum(amount) FROM orders WHERE cust > (SELECT min(k) FROM nothing) OR cust = 7 GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE ((v.`cust` > (SELECT min(k) FROM nothing VERSION AS OF 1002)) OR (v.`cust` = 7)) GROUP BY v.`prio`

--@ case: HAVING
SELECT cust, sum(amount) AS s FROM orders GROUP BY cust HAVING sum(amount) > (SELECT sum(amount) * 0.3 FROM orders) ORDER BY s DESC
--@ rewritten using by_cust
SELECT v.`cust` AS cust, sum(v.`total`) AS s FROM lake.demo.by_cust__storage AS v GROUP BY v.`cust` HAVING sum(v.`total`) > (SELECT sum(v.`total`) * 0.3 FROM lake.demo.by_cust__storage AS v) ORDER BY 2 DESC NULLS LAST

--@ case: an output
SELECT prio, sum(amount) - (SELECT count(*) FROM items) AS less, (SELECT max(qty) FROM items) AS most FROM orders GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, sum(v.`total`) - (SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v) AS less, (SELECT max(qty) FROM items VERSION AS OF 1001) AS most FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v GROUP BY v.`prio`

--@ case: IN of groups
SELECT prio, count(*) FROM orders WHERE cust IN (SELECT part + 6 FROM items GROUP BY part HAVING count(*) > 1) GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE (v.`cust` IN (SELECT v.`part` + 6 FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v GROUP BY v.`part` HAVING coalesce(sum(v.`cnt`), 0) > 1)) GROUP BY v.`prio`

--@ case: NOT IN where NULL may be within keeps its meaning
SELECT prio, count(*) FROM orders WHERE cust NOT IN (SELECT part FROM items) GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE NOT (v.`cust` IN (SELECT v.`part` AS part FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v)) GROUP BY v.`prio`

--@ case: NOT IN where the column around may be NULL
SELECT prio, count(*) FROM orders WHERE cust NOT IN (SELECT order_id FROM items) GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE NOT (v.`cust` IN (SELECT v.`order_id` AS order_id FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v)) GROUP BY v.`prio`

--@ case: NOT IN of nothing keeps NULL
SELECT prio, count(*) FROM orders WHERE cust NOT IN (SELECT k FROM nothing WHERE k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE NOT (v.`cust` IN (SELECT k FROM nothing VERSION AS OF 1002 WHERE k > 0)) GROUP BY v.`prio`

--@ case: EXISTS of something, and of nothing, under OR
SELECT prio, count(*) FROM orders WHERE cust = 7 OR EXISTS (SELECT 1 FROM nothing WHERE v > 1) OR NOT EXISTS (SELECT 1 FROM items WHERE qty > 100) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE (((v.`cust` = 7) OR (EXISTS (SELECT 1 FROM nothing VERSION AS OF 1002 WHERE v > 1))) OR (NOT (EXISTS (SELECT 1 FROM items VERSION AS OF 1001 WHERE qty > 100)))) GROUP BY v.`prio`

--@ case: EXISTS of an aggregate is always true
SELECT prio, count(*) FROM orders WHERE EXISTS (SELECT max(v) FROM nothing WHERE k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE (EXISTS (SELECT max(v) FROM nothing VERSION AS OF 1002 WHERE k > 0)) GROUP BY v.`prio`

--@ case: a scalar subquery of nothing is NULL
SELECT prio, count(*) FROM orders WHERE cust > (SELECT max(v) FROM nothing WHERE k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT max(v) FROM nothing VERSION AS OF 1002 WHERE k > 0) GROUP BY v.`prio`

--@ case: the table around, at the same moment
SELECT id FROM orders WHERE id > 1 AND amount > (SELECT avg(amount) FROM orders)
--@ rewritten using rows, by_cust
SELECT v.`id` AS id FROM lake.demo.rows__storage VERSION AS OF 2001 AS v WHERE v.`id` > 1 AND v.`amount` > (SELECT CAST(sum(v.`total`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`known`), 0), 0) AS DOUBLE) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v)

--@ case: a constant within a constant
SELECT id FROM orders WHERE id > 1 AND amount > (SELECT min(qty) FROM items WHERE order_id < (SELECT max(order_id) FROM items WHERE part = 1))
--@ rewritten using rows, by_part
SELECT v.`id` AS id FROM lake.demo.rows__storage VERSION AS OF 2001 AS v WHERE v.`id` > 1 AND v.`amount` > (SELECT min(qty) FROM items VERSION AS OF 1001 WHERE order_id < (SELECT max(v.`order_id`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v WHERE v.`part` = 1))

--@ case: the same constant twice
SELECT cust, (SELECT max(qty) FROM items) AS m FROM orders WHERE cust > (SELECT max(qty) FROM items) GROUP BY cust
--@ rewritten using by_cust
SELECT v.`cust` AS cust, (SELECT max(qty) FROM items VERSION AS OF 1001) AS m FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT max(qty) FROM items VERSION AS OF 1001) GROUP BY v.`cust`

--@ case: in a derived table
SELECT prio, count(*) FROM (SELECT prio FROM orders WHERE cust > (SELECT min(part) FROM items)) AS o GROUP BY prio
--@ rewritten using by_cust, by_part
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT min(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v) GROUP BY v.`prio`

--@ case: a subquery over a common table expression
WITH i AS (SELECT part FROM items WHERE order_id < 4) SELECT prio, count(*) FROM orders WHERE cust > (SELECT max(part) FROM i) GROUP BY prio
--@ rewritten using by_cust, by_part
WITH i AS (SELECT part FROM items VERSION AS OF 1001 WHERE order_id < 4) SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT max(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v WHERE v.`order_id` < 4) GROUP BY v.`prio`

--@ case: a view holds no rows by another's subquery
SELECT id FROM orders WHERE id > (SELECT min(k) FROM nothing)
--@ kept: by_cust COLUMN_NOT_IN_VIEW id; rows VIEW_FILTERS_MORE id > 0

--@ case: times within are spelled for Spark
SELECT id FROM orders WHERE id > 0 AND cust > (SELECT count(*) FROM orders WHERE timeseries(day, 'month') = DATE '2024-01-01')
--@ rewritten using rows
SELECT v.`id` AS id FROM lake.demo.rows__storage VERSION AS OF 2001 AS v WHERE v.`cust` > (SELECT count(*) FROM orders VERSION AS OF 1000 WHERE trunc(day, 'MONTH') = DATE '2024-01-01')

--@ case: LIMIT within
SELECT prio, count(*) FROM orders WHERE cust = (SELECT part + 6 FROM items LIMIT 1) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the subquery on items has LIMIT, which is not supported in a subquery: remove LIMIT, if the subquery's rows do not depend on LIMIT; by_part UNSUPPORTED the subquery on items has LIMIT, which is not supported in a subquery: remove LIMIT, if the subquery's rows do not depend on LIMIT; rows UNSUPPORTED the subquery on items has LIMIT, which is not supported in a subquery: remove LIMIT, if the subquery's rows do not depend on LIMIT; by_part GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a volatile function within
SELECT prio, count(*) FROM orders WHERE cust > (SELECT max(part) * rand() FROM items) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; by_part UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; rows UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery

--@ case: a set operation within
SELECT prio, count(*) FROM orders WHERE cust IN (SELECT part FROM items UNION SELECT k FROM nothing) GROUP BY prio
--@ rewritten using by_part
SELECT prio, count(*) FROM orders VERSION AS OF 1000 WHERE cust IN (SELECT v.`part` AS part FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v UNION SELECT k FROM nothing VERSION AS OF 1002) GROUP BY prio

--@ case: a scalar subquery that names a column around it
SELECT prio, count(*) FROM orders WHERE cust > (SELECT max(part) FROM items WHERE order_id = id) GROUP BY prio
--@ rewritten using by_part
SELECT prio, count(*) FROM orders VERSION AS OF 1000 WHERE cust > (SELECT max(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v WHERE v.`order_id` = orders.id) GROUP BY prio

--@ case: grouped by a subquery
SELECT cust + (SELECT max(qty) FROM items) AS k, count(*) FROM orders GROUP BY cust + (SELECT max(qty) FROM items)
--@ kept: by_cust UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; by_part UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; rows UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; by_part AGGREGATE_NOT_IN_VIEW max(qty)

--@ case: DISTINCT of a sum with a subquery
SELECT DISTINCT cust + (SELECT max(qty) FROM items) AS k FROM orders
--@ kept: by_cust UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; by_part UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; rows UNSUPPORTED a subquery in GROUP BY is not supported: write the subquery as a derived table in FROM; by_part AGGREGATE_NOT_IN_VIEW max(qty)

--@ case: within an aggregate
SELECT prio, sum(amount * (SELECT max(qty) FROM items)) FROM orders GROUP BY prio
--@ kept: by_cust UNSUPPORTED SUM(amount * (SELECT MAX(qty) FROM items)) contains a subquery in its arguments, which is not supported: compute the argument in a derived table; by_part UNSUPPORTED SUM(amount * (SELECT MAX(qty) FROM items)) contains a subquery in its arguments, which is not supported: compute the argument in a derived table; rows UNSUPPORTED SUM(amount * (SELECT MAX(qty) FROM items)) contains a subquery in its arguments, which is not supported: compute the argument in a derived table; by_part AGGREGATE_NOT_IN_VIEW max(qty)

--@ case: floating-point numbers and what may be zero
SELECT id FROM orders WHERE id > 0 AND score >= (SELECT min(v) FROM nothing)
--@ kept: by_cust COLUMN_NOT_IN_VIEW id; rows FLOAT_COMPARED score >= (SELECT min(v) FROM nothing)

--@ case: ORDER BY
SELECT cust, sum(amount) AS s FROM orders WHERE cust > (SELECT min(part) FROM items) GROUP BY cust ORDER BY sum(amount) - (SELECT max(qty) FROM items), 1
--@ rewritten using by_cust, by_part
SELECT v.`cust` AS cust, sum(v.`total`) AS s FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT min(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v) GROUP BY v.`cust` ORDER BY sum(v.`total`) - (SELECT max(qty) FROM items VERSION AS OF 1001) ASC NULLS FIRST, 1 ASC NULLS FIRST

--@ case: part from the view and the rest from the table
SELECT count(*), sum(amount) FROM orders WHERE cust > (SELECT min(part) FROM items)
--@ rewritten using by_cust, by_part
SELECT coalesce(sum(v.`cnt`), 0), sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > (SELECT min(v.`part`) FROM lake.demo.by_part__storage VERSION AS OF 2002 AS v)

--@ case: subqueries that differ only in the case of a text are two
SELECT prio, count(*) FROM orders WHERE (cust >= (SELECT min(cust) FROM orders WHERE prio = 'a') AND prio = 'a') OR (cust >= (SELECT min(cust) FROM orders WHERE prio = 'A') AND prio = 'b') GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage AS v WHERE (((v.`cust` >= (SELECT min(v.`cust`) FROM lake.demo.by_cust__storage AS v WHERE v.`prio` = 'a')) AND (v.`prio` = 'a')) OR ((v.`cust` >= (SELECT min(v.`cust`) FROM lake.demo.by_cust__storage AS v WHERE v.`prio` = 'A')) AND (v.`prio` = 'b'))) GROUP BY v.`prio`
