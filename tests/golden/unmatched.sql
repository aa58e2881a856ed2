-- Rows without a match: NOT EXISTS, an ANTI join, and a LEFT JOIN whose filter keeps only the NULLs are one and the same.
--@ schema
CREATE TABLE customers (id INT NOT NULL, region STRING, credit INT);
CREATE TABLE orders (id INT NOT NULL, customer INT, note STRING, amount INT);
CREATE TABLE visits (customer INT NOT NULL, page STRING);
--@ rows
INSERT INTO customers VALUES (1, 'eu', 10), (2, 'eu', 20), (2, 'eu', 20), (3, NULL, 30), (4, 'us', NULL), (5, 'us', 50);
INSERT INTO orders VALUES (1, 1, NULL, 5), (2, 1, 'x', 7), (3, NULL, 'y', 9), (4, 4, NULL, 1), (5, 9, 'z', 2);
INSERT INTO visits VALUES (1, '/a'), (2, '/a'), (2, '/b'), (5, '/c')
--@ view listed
SELECT c.id, c.region, c.credit, o.id AS order_id, o.note FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id
--@ view regions
SELECT c.region, o.customer, count(*) AS n, sum(c.credit) AS credit FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id GROUP BY c.region, o.customer
--@ view unmarked
SELECT c.id, c.region, o.note FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id
--@ view visited
SELECT c.id, c.credit, v.page FROM customers AS c JOIN visits AS v ON v.customer = c.id
--@ view quiet
SELECT c.region, count(*) AS n FROM customers AS c LEFT JOIN visits AS v ON v.customer = c.id WHERE v.page IS NULL AND v.customer IS NULL GROUP BY c.region
--@ view silent
SELECT c.region, max(c.credit) AS credit FROM customers AS c LEFT JOIN visits AS v ON v.customer = c.id WHERE v.customer IS NULL GROUP BY c.region

--@ case: NOT EXISTS from rows of an outer join
SELECT id, region FROM customers WHERE NOT EXISTS (SELECT 1 FROM orders WHERE customer = customers.id)
--@ rewritten using listed
SELECT v.`id` AS id, v.`region` AS region FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL

--@ case: the same as an ANTI join
SELECT region FROM customers AS c LEFT ANTI JOIN orders AS o ON c.id = o.customer WHERE c.credit > 15
--@ rewritten using listed
SELECT v.`region` AS region FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL AND v.`credit` > 15

--@ case: the same as an outer join whose NULLs the filter keeps
SELECT c.id FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id WHERE o.id IS NULL
--@ rewritten using listed
SELECT v.`id` AS id FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL

--@ case: the tested column is nullable, and compared in ON
SELECT c.id FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id WHERE o.customer IS NULL
--@ rewritten using listed
SELECT v.`id` AS id FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL

--@ case: NOT IN of a column that is never NULL, from groups
SELECT region, count(*), sum(credit) FROM customers AS c ANTI JOIN orders AS o ON o.customer = c.id GROUP BY region
--@ rewritten using listed
SELECT v.`region` AS region, count(*), sum(v.`credit`) FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL GROUP BY v.`region`

--@ case: an outer join beside an inner join, NULLs kept
SELECT v.page, sum(c.credit) FROM customers AS c JOIN visits AS v ON v.customer = c.id LEFT JOIN orders AS o ON o.customer = c.id WHERE o.id IS NULL GROUP BY v.page
--@ rewritten using listed
SELECT visits_0.page AS page, sum(v.`credit`) FROM lake.demo.listed__storage VERSION AS OF 2000 AS v, lake.demo.visits VERSION AS OF 1002 AS visits_0 WHERE v.`order_id` IS NULL AND visits_0.customer = v.`id` GROUP BY visits_0.page

--@ case: the view is written as an outer join, the query as NOT EXISTS
SELECT region, max(credit) FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM visits AS v WHERE v.customer = c.id) GROUP BY region
--@ rewritten using silent
SELECT v.`region` AS region, v.`credit` FROM lake.demo.silent__storage AS v

--@ case: an outer join written from the right
SELECT c.region, max(c.credit) FROM visits AS v RIGHT JOIN customers AS c ON v.customer = c.id WHERE v.customer IS NULL GROUP BY c.region
--@ rewritten using silent
SELECT v.`region` AS region, v.`credit` FROM lake.demo.silent__storage AS v

--@ case: a derived table's outer join
SELECT count(*), sum(d.credit) FROM (SELECT c.region, c.credit, o.customer AS ordered FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id) AS d WHERE d.ordered IS NULL
--@ rewritten using listed
SELECT count(*), sum(v.`credit`) FROM lake.demo.listed__storage AS v WHERE v.`order_id` IS NULL

--@ case: a nullable column of the other side is NULL in matched rows, too
SELECT c.id FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id WHERE o.note IS NULL AND o.amount IS NULL
--@ kept: listed COLUMN_NOT_IN_VIEW amount; quiet JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions COLUMN_NOT_IN_VIEW note; silent JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked COLUMN_NOT_IN_VIEW amount; visited JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a condition on the joined table belongs to NOT EXISTS
SELECT id FROM customers WHERE NOT EXISTS (SELECT 1 FROM orders WHERE customer = customers.id AND note = 'x')
--@ kept: listed JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; quiet JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; silent JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; visited JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; listed JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a condition on the own side belongs to NOT EXISTS
SELECT id FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer = c.id AND c.credit > 15)
--@ kept: listed JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; quiet JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; silent JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; visited JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; listed JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: EXISTS from an outer join would repeat rows
SELECT id FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE customer = customers.id)
--@ kept: listed JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; quiet JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; silent JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view has a LEFT join of orders ON customer = id, which the query lacks: create a view without the join; visited JOIN_DIFFERS the view also joins visits, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; listed JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; regions JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view also joins customers, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: neither column that tells unmatched rows is in the view
SELECT c.region, count(v.page) FROM customers AS c LEFT JOIN visits AS v ON v.customer = c.id WHERE v.customer IS NULL GROUP BY c.region
--@ kept: listed JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; quiet VIEW_FILTERS_MORE page IS NULL; regions JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; silent JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of visits ON customer = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; visited JOIN_DIFFERS the query has a LEFT join of v ON customer = id, where the view has an inner join: create a view with the join of the query

--@ case: two tables without a match
SELECT c.id FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id LEFT JOIN visits AS v ON v.customer = c.id WHERE o.id IS NULL AND v.customer IS NULL
--@ rewritten using listed
SELECT v.`id` AS id FROM lake.demo.listed__storage VERSION AS OF 2000 AS v LEFT ANTI JOIN lake.demo.visits VERSION AS OF 1002 AS visits_0 ON visits_0.customer = v.`id` WHERE v.`order_id` IS NULL

--@ case: another join hangs on the side without a match
SELECT c.id FROM customers AS c LEFT JOIN orders AS o ON o.customer = c.id LEFT JOIN visits AS v ON v.customer = o.customer WHERE o.id IS NULL
--@ kept: listed COLUMN_NOT_IN_VIEW customer; quiet VIEW_FILTERS_MORE page IS NULL; regions COLUMN_NOT_IN_VIEW id; silent JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of visits ON customer = id, which the query lacks: create a view without the join; unmarked COLUMN_NOT_IN_VIEW id; visited VIEW_FILTERS_MORE customer = id
