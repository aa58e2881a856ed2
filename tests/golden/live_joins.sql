-- Live answers over joins of which several tables have grown.
--@ schema
CREATE TABLE orders (id INT NOT NULL, customer INT, parent INT, amount INT);
CREATE TABLE customers (id INT NOT NULL, country STRING);
CREATE TABLE countries (code STRING, name STRING)
--@ rows
INSERT INTO orders VALUES (1, 1, NULL, 10), (2, 1, 1, 20), (3, 2, 1, NULL), (4, 9, 2, 5), (4, 9, 2, 5);
INSERT INTO customers VALUES (1, 'de'), (2, 'fr'), (3, NULL);
INSERT INTO countries VALUES ('de', 'Germany'), ('fr', 'France')
--@ appended
INSERT INTO orders VALUES (5, 3, 4, 7), (6, 2, 5, 1), (7, 1, 2, NULL), (8, 9, NULL, 3);
INSERT INTO customers VALUES (9, 'es'), (4, 'de')
--@ view by_country
SELECT c.country, sum(o.amount) AS total, count(*) AS cnt FROM orders AS o JOIN customers AS c ON c.id = o.customer GROUP BY c.country
--@ view joined
SELECT o.id, o.amount, c.country FROM orders AS o JOIN customers AS c ON c.id = o.customer WHERE o.amount > 2
--@ view parents
SELECT p.customer, count(*) AS children, max(c.amount) AS top FROM orders AS c JOIN orders AS p ON c.parent = p.id GROUP BY p.customer
--@ view all_orders
SELECT o.customer, c.country, sum(o.amount) AS total FROM orders AS o LEFT JOIN customers AS c ON c.id = o.customer GROUP BY o.customer, c.country

--@ case: both sides of a join
SELECT c.country, sum(o.amount), count(*) FROM orders AS o JOIN customers AS c ON c.id = o.customer GROUP BY c.country
--@ rewritten using by_country
SELECT v.`c0` AS country, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`country` AS c0, v.`total` AS c1, v.`cnt` AS c2 FROM lake.demo.by_country__storage VERSION AS OF 2000 AS v UNION ALL SELECT customers_0.country AS c0, sum(orders_0.amount) AS c1, count(*) AS c2 FROM lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_0, lake.demo.customers VERSION AS OF 5501 AS customers_0 WHERE customers_0.id = orders_0.customer GROUP BY customers_0.country UNION ALL SELECT customers_0.country AS c0, sum(orders_0.amount) AS c1, count(*) AS c2 FROM lake.demo.orders VERSION AS OF 500 AS orders_0, lake.demo.customers WITH ('start-snapshot-id' = '501', 'end-snapshot-id' = '5501') AS customers_0 WHERE customers_0.id = orders_0.customer GROUP BY customers_0.country) AS v GROUP BY v.`c0`

--@ case: both sides, and a table beside
SELECT n.name, sum(o.amount) FROM orders AS o JOIN customers AS c ON c.id = o.customer JOIN countries AS n ON n.code = c.country GROUP BY n.name
--@ rewritten using all_orders
SELECT v.`c0` AS name, sum(v.`c1`) FROM (SELECT CAST(countries_0.name AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.all_orders__storage VERSION AS OF 2003 AS v, lake.demo.countries VERSION AS OF 1002 AS countries_0 WHERE countries_0.code = v.`country` GROUP BY countries_0.name UNION ALL SELECT countries_0.name AS c0, sum(orders_0.amount) AS c1 FROM lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_0, lake.demo.customers VERSION AS OF 5501 AS customers_0, lake.demo.countries VERSION AS OF 1002 AS countries_0 WHERE customers_0.id = orders_0.customer AND countries_0.code = customers_0.country GROUP BY countries_0.name UNION ALL SELECT countries_0.name AS c0, sum(orders_0.amount) AS c1 FROM lake.demo.orders VERSION AS OF 500 AS orders_0, lake.demo.customers WITH ('start-snapshot-id' = '501', 'end-snapshot-id' = '5501') AS customers_0, lake.demo.countries VERSION AS OF 1002 AS countries_0 WHERE customers_0.id = orders_0.customer AND countries_0.code = customers_0.country GROUP BY countries_0.name) AS v GROUP BY v.`c0`

--@ case: rows of both sides
SELECT o.id, c.country FROM orders AS o JOIN customers AS c ON c.id = o.customer WHERE o.amount > 4
--@ rewritten using joined
SELECT v.`c0` AS id, v.`c1` AS country FROM (SELECT v.`id` AS c0, v.`country` AS c1 FROM lake.demo.joined__storage VERSION AS OF 2001 AS v WHERE v.`amount` > 4 UNION ALL SELECT orders_0.id AS c0, customers_0.country AS c1 FROM lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_0, lake.demo.customers VERSION AS OF 5501 AS customers_0 WHERE customers_0.id = orders_0.customer AND orders_0.amount > 4 UNION ALL SELECT orders_0.id AS c0, customers_0.country AS c1 FROM lake.demo.orders VERSION AS OF 500 AS orders_0, lake.demo.customers WITH ('start-snapshot-id' = '501', 'end-snapshot-id' = '5501') AS customers_0 WHERE customers_0.id = orders_0.customer AND orders_0.amount > 4) AS v

--@ case: a table joined to itself
SELECT p.customer, count(*) AS n, max(c.amount) FROM orders AS c JOIN orders AS p ON c.parent = p.id GROUP BY p.customer
--@ rewritten using parents
SELECT v.`c0` AS customer, coalesce(sum(v.`c1`), 0) AS n, max(v.`c2`) FROM (SELECT v.`customer` AS c0, v.`children` AS c1, v.`top` AS c2 FROM lake.demo.parents__storage VERSION AS OF 2002 AS v UNION ALL SELECT orders_1.customer AS c0, count(*) AS c1, max(orders_0.amount) AS c2 FROM lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_0, lake.demo.orders VERSION AS OF 5500 AS orders_1 WHERE orders_0.parent = orders_1.id GROUP BY orders_1.customer UNION ALL SELECT orders_1.customer AS c0, count(*) AS c1, max(orders_0.amount) AS c2 FROM lake.demo.orders VERSION AS OF 500 AS orders_0, lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_1 WHERE orders_0.parent = orders_1.id GROUP BY orders_1.customer) AS v GROUP BY v.`c0`

--@ case: a table joined to itself, and once more beside the view
SELECT p.customer, count(*) AS n FROM orders AS p JOIN orders AS c ON c.parent = p.id JOIN orders AS g ON p.customer < g.id GROUP BY p.customer
--@ rewritten using parents
SELECT v.`c0` AS customer, coalesce(sum(v.`c1`), 0) AS n FROM (SELECT v.`customer` AS c0, CAST(coalesce(sum(v.`children`), 0) AS bigint) AS c1 FROM lake.demo.parents__storage VERSION AS OF 2002 AS v, lake.demo.orders VERSION AS OF 5500 AS orders_2 WHERE v.`customer` < orders_2.id GROUP BY v.`customer` UNION ALL SELECT orders_0.customer AS c0, count(*) AS c1 FROM lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_0, lake.demo.orders VERSION AS OF 5500 AS orders_1, lake.demo.orders VERSION AS OF 5500 AS orders_2 WHERE orders_1.parent = orders_0.id AND orders_0.customer < orders_2.id GROUP BY orders_0.customer UNION ALL SELECT orders_0.customer AS c0, count(*) AS c1 FROM lake.demo.orders VERSION AS OF 500 AS orders_0, lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_1, lake.demo.orders VERSION AS OF 5500 AS orders_2 WHERE orders_1.parent = orders_0.id AND orders_0.customer < orders_2.id GROUP BY orders_0.customer) AS v GROUP BY v.`c0`

--@ case: the same, with an equality of a key of the view
SELECT p.customer, count(*) AS n FROM orders AS g JOIN orders AS p ON p.customer = g.id JOIN orders AS c ON c.parent = p.id GROUP BY p.customer
--@ rewritten using parents
SELECT v.`c0` AS customer, coalesce(sum(v.`c1`), 0) AS n FROM (SELECT v.`customer` AS c0, CAST(coalesce(sum(v.`children`), 0) AS bigint) AS c1 FROM lake.demo.parents__storage VERSION AS OF 2002 AS v, lake.demo.orders VERSION AS OF 5500 AS orders_0 WHERE v.`customer` = orders_0.id GROUP BY v.`customer` UNION ALL SELECT orders_1.customer AS c0, count(*) AS c1 FROM lake.demo.orders VERSION AS OF 5500 AS orders_0, lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_1, lake.demo.orders VERSION AS OF 5500 AS orders_2 WHERE orders_1.customer = orders_0.id AND orders_2.parent = orders_1.id GROUP BY orders_1.customer UNION ALL SELECT orders_1.customer AS c0, count(*) AS c1 FROM lake.demo.orders VERSION AS OF 5500 AS orders_0, lake.demo.orders VERSION AS OF 500 AS orders_1, lake.demo.orders WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS orders_2 WHERE orders_1.customer = orders_0.id AND orders_2.parent = orders_1.id GROUP BY orders_1.customer) AS v GROUP BY v.`c0`

--@ case: rows that a LEFT join has filled up may be joined now
SELECT o.customer, c.country, sum(o.amount) FROM orders AS o LEFT JOIN customers AS c ON c.id = o.customer GROUP BY o.customer, c.country
--@ kept: all_orders STALE lake.demo.orders has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.customers, on the right side of a LEFT join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view; by_country JOIN_DIFFERS the query has a LEFT join of c ON id = customer, where the view has an inner join: create a view with the join of the query; joined JOIN_DIFFERS the query has a LEFT join of c ON id = customer, where the view has an inner join: create a view with the join of the query; parents JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: of a LEFT join's rows those that are joined only grow
SELECT o.customer, c.country, sum(o.amount) FROM orders AS o JOIN customers AS c ON c.id = o.customer GROUP BY o.customer, c.country
--@ kept: all_orders COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_country GROUPING_TOO_COARSE id; joined VIEW_FILTERS_MORE amount > 2; parents JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables
