-- Distinct counts of primary keys, which are counts of rows where each row of the key's table occurs once.
--@ schema
CREATE TABLE orders (id INT NOT NULL, customer INT, region STRING, status STRING, amount INT);
CREATE TABLE customers (id INT NOT NULL, country STRING);
CREATE TABLE items (order_id INT NOT NULL, line INT NOT NULL, qty INT, note INT);
CREATE TABLE loose (id INT NOT NULL, kind STRING);
CREATE TABLE parts (id INT, kind STRING, color STRING);
ALTER TABLE orders SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE customers SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE items SET TBLPROPERTIES ('viewgate.primary-key' = 'order_id, line', 'viewgate.trust-constraints' = 'true');
ALTER TABLE parts SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO orders VALUES (1, 1, 'eu', 'paid', 10), (2, 1, 'eu', 'open', 20), (3, 2, 'us', NULL, NULL), (4, NULL, NULL, 'paid', 5), (5, 9, 'us', 'paid', 7);
INSERT INTO customers VALUES (1, 'de'), (2, NULL), (3, 'fr'), (4, 'de');
INSERT INTO items VALUES (1, 1, 5, NULL), (1, 2, 5, 7), (2, 1, NULL, 7), (3, 1, 6, 7), (5, 1, 5, NULL), (5, 2, 6, NULL);
INSERT INTO loose VALUES (1, 'x'), (1, 'x'), (2, 'y');
INSERT INTO parts VALUES (1, 'x', 'red'), (2, 'x', NULL), (3, NULL, 'red'), (4, 'x', 'red')
--@ view by_region
SELECT region, status, count(*) AS n, sum(amount) AS total FROM orders GROUP BY region, status
--@ view by_country
SELECT c.country, o.status, count(*) AS n FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id GROUP BY c.country, o.status
--@ view of_customers
SELECT c.country, o.region, count(*) AS n, count(o.id) AS orders FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id GROUP BY c.country, o.region
--@ view of_items
SELECT o.region, i.qty, count(*) AS n, count(i.note) AS notes FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region, i.qty
--@ view loosely
SELECT kind, count(*) AS n FROM loose GROUP BY kind
--@ view of_parts
SELECT kind, count(*) AS n, count(id) AS ids FROM parts GROUP BY kind
--@ view colored
SELECT kind, color, count(DISTINCT id) AS parts FROM parts GROUP BY kind, color
--@ view of_both
SELECT o.region, count(*) AS n, count(o.id) AS orders FROM orders AS o FULL JOIN customers AS c ON o.customer = c.id GROUP BY o.region
--@ view counted
SELECT o.region, o.customer, c.country, count(DISTINCT o.id) AS orders, count(DISTINCT o.status) AS statuses FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id GROUP BY o.region, o.customer, c.country

--@ case: the distinct values of a primary key are the rows
SELECT region, count(DISTINCT id) AS orders FROM orders GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, coalesce(sum(v.`n`), 0) AS orders FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: under a condition in the argument
SELECT region, count(DISTINCT CASE WHEN status = 'paid' THEN id END) AS paid, count(DISTINCT id) FROM orders GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, coalesce(sum(CASE WHEN v.`status` = 'paid' THEN v.`n` ELSE 0 END), 0) AS paid, coalesce(sum(v.`n`), 0) FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: with NULL written out
SELECT region, count(DISTINCT if(status = 'paid', id, NULL)) AS paid FROM orders GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, coalesce(sum(CASE WHEN v.`status` = 'paid' THEN v.`n` ELSE 0 END), 0) AS paid FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: under FILTER
SELECT region, count(DISTINCT id) FILTER (WHERE status = 'paid') AS paid FROM orders GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, coalesce(sum(v.`n`) FILTER(WHERE v.`status` = 'paid'), 0) AS paid FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: at the groups of the view
SELECT region, status, count(DISTINCT id) AS orders FROM orders GROUP BY region, status
--@ rewritten using by_region
SELECT v.`region` AS region, v.`status` AS status, v.`n` AS orders FROM lake.demo.by_region__storage AS v

--@ case: of all rows
SELECT count(DISTINCT id) AS orders, sum(amount) FROM orders WHERE region = 'eu'
--@ rewritten using by_region
SELECT coalesce(sum(v.`n`), 0) AS orders, sum(v.`total`) FROM lake.demo.by_region__storage AS v WHERE v.`region` = 'eu'

--@ case: in HAVING and ORDER BY
SELECT region, sum(amount) AS total FROM orders GROUP BY region HAVING count(DISTINCT id) > 1 ORDER BY region LIMIT 5
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) AS total FROM lake.demo.by_region__storage AS v GROUP BY v.`region` HAVING coalesce(sum(v.`n`), 0) > 1 ORDER BY 1 ASC NULLS FIRST LIMIT 5

--@ case: in grouping sets
SELECT region, status, count(DISTINCT id) AS orders FROM orders GROUP BY region, status WITH ROLLUP
--@ rewritten using by_region
SELECT v.`region` AS region, v.`status` AS status, coalesce(sum(v.`n`), 0) AS orders FROM lake.demo.by_region__storage AS v GROUP BY GROUPING SETS ((v.`region`, v.`status`), (v.`region`), ())

--@ case: beside a table that is joined by its primary key
SELECT c.country, count(DISTINCT o.id) AS orders FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id GROUP BY c.country
--@ rewritten using by_country
SELECT v.`country` AS country, coalesce(sum(v.`n`), 0) AS orders FROM lake.demo.by_country__storage AS v GROUP BY v.`country`

--@ case: an outer join that fills the key with NULLs
SELECT c.country, count(DISTINCT o.id) AS orders FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id GROUP BY c.country
--@ rewritten using of_customers
SELECT v.`country` AS country, coalesce(sum(v.`orders`), 0) AS orders FROM lake.demo.of_customers__storage AS v GROUP BY v.`country`

--@ case: a condition of its own in the argument
SELECT c.country, count(DISTINCT CASE WHEN o.region = 'eu' THEN o.id END) AS orders FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id GROUP BY c.country
--@ rewritten using of_customers
SELECT v.`country` AS country, coalesce(sum(CASE WHEN v.`region` = 'eu' THEN v.`orders` ELSE 0 END), 0) AS orders FROM lake.demo.of_customers__storage AS v GROUP BY v.`country`

--@ case: a primary key of two columns
SELECT o.region, count(DISTINCT i.order_id, i.line) AS items FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region
--@ rewritten using of_items
SELECT v.`region` AS region, coalesce(sum(v.`n`), 0) AS items FROM lake.demo.of_items__storage AS v GROUP BY v.`region`

--@ case: a primary key that may be NULL
SELECT kind, count(DISTINCT id) AS parts FROM parts GROUP BY kind
--@ rewritten using of_parts
SELECT v.`kind` AS kind, v.`ids` AS parts FROM lake.demo.of_parts__storage AS v

--@ case: the rows of a table that is asked by EXISTS
SELECT region, count(DISTINCT id) AS orders FROM orders AS o WHERE region IN (SELECT kind FROM loose) GROUP BY region
--@ rewritten using by_region, loosely
SELECT v.`region` AS region, coalesce(sum(v.`n`), 0) AS orders FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.loosely__storage VERSION AS OF 2004 AS t0 ON v.region = t0.`kind` GROUP BY v.`region`

--@ case: each order has several items
SELECT o.region, count(DISTINCT o.id) AS orders FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region
--@ kept: by_country COLUMN_NOT_IN_VIEW id; by_region COLUMN_NOT_IN_VIEW id; counted COLUMN_NOT_IN_VIEW id; of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items AGGREGATE_NOT_IN_VIEW count(DISTINCT order_id)

--@ case: a customer has several orders
SELECT c.country, count(DISTINCT c.id) AS customers FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id GROUP BY c.country
--@ kept: by_country JOIN_DIFFERS the view has a LEFT join of customers ON customer = id, which the query lacks: create a view without the join; by_region COLUMN_NOT_IN_VIEW customer; counted JOIN_DIFFERS the view has a LEFT join of customers ON customer = id, which the query lacks: create a view without the join; of_both COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; of_customers AGGREGATE_NOT_IN_VIEW count(DISTINCT id); of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a part of a primary key
SELECT o.region, count(DISTINCT i.line) AS items FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region
--@ kept: by_country COLUMN_NOT_IN_VIEW id; by_region COLUMN_NOT_IN_VIEW id; counted COLUMN_NOT_IN_VIEW id; of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items AGGREGATE_NOT_IN_VIEW count(DISTINCT line)

--@ case: a primary key with a column that may be NULL
SELECT o.region, count(DISTINCT i.order_id, i.line, i.note) AS items FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region
--@ kept: by_country COLUMN_NOT_IN_VIEW id; by_region COLUMN_NOT_IN_VIEW id; counted COLUMN_NOT_IN_VIEW id; of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items AGGREGATE_NOT_IN_VIEW count(DISTINCT order_id, line, note)

--@ case: a condition on one column of two
SELECT o.region, count(DISTINCT i.order_id, CASE WHEN i.qty = 5 THEN i.line END) AS items FROM items AS i JOIN orders AS o ON i.order_id = o.id GROUP BY o.region
--@ kept: by_country COLUMN_NOT_IN_VIEW id; by_region COLUMN_NOT_IN_VIEW id; counted COLUMN_NOT_IN_VIEW id; of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items AGGREGATE_NOT_IN_VIEW count(DISTINCT order_id, CASE WHEN qty = 5 THEN line END)

--@ case: a value beside the key
SELECT region, count(DISTINCT CASE WHEN status = 'paid' THEN id ELSE 0 END) AS paid FROM orders GROUP BY region
--@ kept: by_country GROUPING_TOO_COARSE region; by_region AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN status = 'paid' THEN id ELSE 0 END); counted AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN status = 'paid' THEN id ELSE 0 END); of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: two keys in turn
SELECT c.country, count(DISTINCT CASE WHEN o.status = 'paid' THEN o.id ELSE c.id END) AS paid FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id GROUP BY c.country
--@ kept: by_country AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN status = 'paid' THEN orders.id ELSE customers.id END); by_region COLUMN_NOT_IN_VIEW customer; counted AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN status = 'paid' THEN orders.id ELSE customers.id END); of_both COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; of_customers JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a column without a key
SELECT kind, count(DISTINCT id) AS n FROM loose GROUP BY kind
--@ kept: AGGREGATE_NOT_IN_VIEW count(DISTINCT id)

--@ case: a FULL join
SELECT o.region, count(DISTINCT o.id) AS orders FROM orders AS o FULL JOIN customers AS c ON o.customer = c.id GROUP BY o.region
--@ kept: by_country JOIN_DIFFERS the view has a LEFT join of customers ON customer = id, which the query lacks: create a view without the join; by_region JOIN_DIFFERS the query has a FULL join of o and c ON customer = id, which the view lacks: add the join to the view; counted JOIN_DIFFERS the view has a LEFT join of customers ON customer = id, which the query lacks: create a view without the join; of_both AGGREGATE_NOT_IN_VIEW count(DISTINCT id); of_customers JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a sum of distinct keys
SELECT region, sum(DISTINCT id) AS ids FROM orders GROUP BY region
--@ kept: by_country GROUPING_TOO_COARSE region; by_region AGGREGATE_NOT_IN_VIEW sum(DISTINCT id); counted AGGREGATE_NOT_IN_VIEW sum(DISTINCT id); of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: distinct counts of finer groups
SELECT c.country, count(DISTINCT o.id) AS orders FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id WHERE o.customer > 0 GROUP BY c.country
--@ rewritten using counted
SELECT v.`country` AS country, coalesce(sum(v.`viewgate_rows_0`), 0) AS orders FROM lake.demo.counted__storage AS v WHERE v.`customer` > 0 GROUP BY v.`country`

--@ case: distinct counts as numbers of rows
SELECT customer, count(*) AS n FROM orders GROUP BY customer
--@ rewritten using counted
SELECT v.`customer` AS customer, coalesce(sum(v.`viewgate_rows_0`), 0) AS n FROM lake.demo.counted__storage AS v GROUP BY v.`customer`

--@ case: distinct counts of other columns do not add up
SELECT customer, count(DISTINCT status) AS statuses FROM orders GROUP BY customer HAVING customer > 1
--@ kept: by_country GROUPING_TOO_COARSE customer; by_region GROUPING_TOO_COARSE customer; counted AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT status); of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: distinct counts of finer groups, of a key that may be NULL
SELECT color, count(DISTINCT id) AS parts FROM parts GROUP BY color
--@ rewritten using colored
SELECT v.`color` AS color, coalesce(sum(v.`parts`), 0) AS parts FROM lake.demo.colored__storage AS v GROUP BY v.`color`

--@ case: a distinct count of a CASE that is the key for all rows
SELECT customer, count(DISTINCT CASE WHEN status = 'open' THEN id ELSE id END) AS n FROM orders GROUP BY customer
--@ kept: by_country GROUPING_TOO_COARSE customer; by_region GROUPING_TOO_COARSE customer; counted AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN status = 'open' THEN id ELSE id END); of_both JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_customers JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_items JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables
