-- CTEs with the name of a table: outside the CTE's scope, as in its own definition, the name means the table.
--@ schema
CREATE TABLE orders (id INT, cid INT, region STRING, amount DECIMAL(10,2), d DATE);
CREATE TABLE customers (cid INT, name STRING)
--@ rows
INSERT INTO orders VALUES (1, 1, 'eu', 10, DATE '2024-01-01'), (2, 1, 'us', 0.5, DATE '2024-01-02'), (3, 2, 'eu', 5, NULL), (4, 2, NULL, 7, DATE '2024-01-02'), (5, 3, 'us', NULL, DATE '2024-01-01');
INSERT INTO customers VALUES (1, 'a'), (2, 'b'), (4, NULL)
--@ view by_region
SELECT region, d, cid, sum(amount) AS total, count(*) AS n FROM orders GROUP BY region, d, cid
--@ view names
SELECT name, count(*) AS n FROM customers GROUP BY name
--@ view shadowing
WITH orders AS (SELECT * FROM orders WHERE amount > 1) SELECT region AS region, name AS name, sum(amount) AS total FROM orders JOIN customers ON orders.cid = customers.cid GROUP BY region, name

--@ case: a CTE over its own table
WITH orders AS (SELECT * FROM orders WHERE d > DATE '2024-01-01') SELECT region, sum(amount) AS s FROM orders GROUP BY region
--@ rewritten using by_region
WITH orders AS (SELECT * FROM orders VERSION AS OF 1000 WHERE d > DATE '2024-01-01') SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`d` > CAST('2024-01-01' AS DATE) GROUP BY v.`region`

--@ case: a CTE with groups of its own table
WITH orders AS (SELECT region, sum(amount) AS s FROM orders GROUP BY region) SELECT region, s FROM orders WHERE s > 1
--@ rewritten using by_region
WITH orders AS (SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) SELECT region, s FROM orders WHERE s > 1

--@ case: an earlier CTE reads the table
WITH eu AS (SELECT * FROM orders WHERE region = 'eu'), orders AS (SELECT d, amount FROM eu) SELECT d, sum(amount) AS s FROM orders GROUP BY d
--@ rewritten using by_region
WITH eu AS (SELECT * FROM orders VERSION AS OF 1000 WHERE region = 'eu'), orders AS (SELECT d, amount FROM eu) SELECT v.`d` AS d, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' GROUP BY v.`d`

--@ case: the text of the view, and its table is a source
WITH orders AS (SELECT * FROM orders WHERE amount > 1) SELECT region AS region, name AS name, sum(amount) AS total FROM orders JOIN customers ON orders.cid = customers.cid GROUP BY region, name
--@ rewritten using shadowing
WITH orders AS (SELECT * FROM orders VERSION AS OF 1000 WHERE amount > 1) SELECT v.`region` AS region, v.`name` AS name, v.`total` AS total FROM lake.demo.shadowing__storage VERSION AS OF 2002 AS v

--@ case: a CTE in a subquery hides nothing before it
SELECT region, sum(amount) AS s FROM orders WHERE cid IN (WITH orders AS (SELECT 1 AS cid) SELECT cid FROM orders) GROUP BY region
--@ kept: by_region UNSUPPORTED the CTE orders is defined within a derived table and cannot be merged into the query that reads it: define the CTE in the WITH clause of the outer query; shadowing UNSUPPORTED the CTE orders is defined within a derived table and cannot be merged into the query that reads it: define the CTE in the WITH clause of the outer query

--@ case: a CTE in a derived table hides nothing behind it
SELECT region, sum(amount) AS s FROM (WITH customers AS (SELECT * FROM orders WHERE cid = 1) SELECT * FROM customers) AS q GROUP BY region UNION ALL SELECT name, count(*) FROM customers GROUP BY name
--@ rewritten using by_region, names
SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`cid` = 1 GROUP BY v.`region` UNION ALL SELECT v.`name` AS name, v.`n` FROM lake.demo.names__storage VERSION AS OF 2001 AS v

--@ case: a subquery in the definition cannot move behind it
WITH orders AS (SELECT region, amount, d FROM orders WHERE cid IN (SELECT max(cid) FROM orders)) SELECT region, sum(amount) AS s FROM orders GROUP BY region
--@ rewritten using by_region
WITH orders AS (SELECT region, amount, d FROM orders VERSION AS OF 1000 WHERE cid IN (SELECT max(v.`cid`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v)) SELECT region, sum(amount) AS s FROM orders GROUP BY region

--@ case: a derived table in the definition cannot move behind it
WITH orders AS (SELECT q.region, q.s FROM (SELECT region, sum(amount) AS s FROM orders GROUP BY region LIMIT 10) AS q) SELECT region, sum(s) AS s FROM orders GROUP BY region
--@ rewritten using by_region
WITH orders AS (SELECT q.region, q.s FROM (SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` LIMIT 10) AS q) SELECT region, sum(s) AS s FROM orders GROUP BY region

--@ case: the CTE itself, of another table
WITH orders AS (SELECT cid AS region, 1 AS amount FROM customers) SELECT region, sum(amount) AS s FROM orders GROUP BY region
--@ kept: names GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; shadowing JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; names GROUPING_TOO_COARSE cid

--@ case: the CTE in EXISTS
WITH customers AS (SELECT * FROM customers WHERE name = 'a') SELECT region, sum(amount) AS s FROM orders AS o WHERE EXISTS (SELECT 1 FROM customers AS c WHERE c.cid = o.cid) GROUP BY region
--@ rewritten using by_region
WITH customers AS (SELECT * FROM customers VERSION AS OF 1001 WHERE name = 'a') SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.customers VERSION AS OF 1001 AS customers_0 ON customers_0.name = 'a' AND customers_0.cid = v.`cid` GROUP BY v.`region`

--@ case: the CTE twice
WITH orders AS (SELECT * FROM orders WHERE region = 'eu') SELECT a.region, sum(a.amount) AS s FROM orders AS a JOIN (SELECT DISTINCT region FROM orders) AS b ON a.region = b.region GROUP BY a.region
--@ rewritten using by_region
WITH orders AS (SELECT * FROM orders VERSION AS OF 1000 WHERE region = 'eu') SELECT v.`region` AS region, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT v.`region` AS region FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' GROUP BY v.`region`) AS b_0 WHERE v.`region` = 'eu' AND v.`region` = b_0.region GROUP BY v.`region`

--@ case: a set operation as the definition
WITH orders AS (SELECT region, amount FROM orders WHERE d = DATE '2024-01-01' UNION ALL SELECT region, amount FROM orders WHERE d = DATE '2024-01-02') SELECT region, sum(amount) AS s FROM orders GROUP BY region
--@ rewritten using by_region
WITH orders AS (SELECT region, amount FROM orders VERSION AS OF 1000 WHERE d = DATE '2024-01-01' UNION ALL SELECT region, amount FROM orders VERSION AS OF 1000 WHERE d = DATE '2024-01-02') SELECT v.`c0` AS region, CAST(sum(v.`c1`) AS DECIMAL(20, 2)) AS s FROM (SELECT v.`region` AS c0, CAST(CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`d` = CAST('2024-01-01' AS DATE) GROUP BY v.`region` UNION ALL SELECT v.`region` AS c0, CAST(CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`d` = CAST('2024-01-02' AS DATE) GROUP BY v.`region`) AS v GROUP BY v.`c0`

--@ case: two CTEs of the name
WITH orders AS (SELECT * FROM orders) SELECT region, sum(amount) AS s FROM (WITH orders AS (SELECT * FROM orders WHERE cid = 1) SELECT * FROM orders) AS q GROUP BY region
--@ kept: NO_VIEW

--@ case: a recursive CTE
WITH RECURSIVE orders AS (SELECT 1 AS region, 2 AS amount UNION ALL SELECT region + 1, amount FROM orders WHERE region < 3) SELECT region, sum(amount) AS s FROM orders GROUP BY region
--@ kept: NO_VIEW

--@ case: another case of letters
WITH Orders AS (SELECT * FROM ORDERS WHERE cid = 1) SELECT region, count(*) AS n FROM orders GROUP BY region
--@ kept: NO_VIEW

--@ case: quoted
WITH `orders` AS (SELECT * FROM `orders` WHERE cid = 1) SELECT region, count(*) AS n FROM orders GROUP BY region
--@ rewritten using by_region
WITH `orders` AS (SELECT * FROM `orders` VERSION AS OF 1000 WHERE cid = 1) SELECT v.`region` AS region, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`cid` = 1 GROUP BY v.`region`
