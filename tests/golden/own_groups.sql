-- IN over the groups that the query itself reads: a filter of the storage table, which is read once.
--@ schema
CREATE TABLE items (order_id INT, part INT NOT NULL, quantity DECIMAL(10,2), day DATE);
CREATE TABLE orders (id INT NOT NULL, customer STRING, day DATE);
ALTER TABLE orders SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
--@ rows
INSERT INTO items VALUES (1, 1, 200.00, DATE '2024-01-01'), (1, 2, 150.50, DATE '2024-01-02'), (2, 1, 300.00, NULL), (3, 1, NULL, DATE '2024-01-01'), (NULL, 1, 500.00, DATE '2024-01-01'), (NULL, 2, 1.00, NULL), (4, 3, 301.00, DATE '2024-01-03'), (9, 3, 900.00, DATE '2024-01-03');
INSERT INTO orders VALUES (1, 'a', DATE '2024-01-01'), (2, 'b', NULL), (3, NULL, DATE '2024-01-01'), (4, 'a', DATE '2024-01-03'), (5, 'c', NULL)
--@ view by_order
SELECT order_id, sum(quantity) AS quantity, count(*) AS cnt FROM items GROUP BY order_id
--@ view by_order_and_part
SELECT order_id, part, sum(quantity) AS quantity, max(day) AS last FROM items GROUP BY order_id, part

--@ case: a large order, with its customer
SELECT customer, id, sum(quantity) FROM orders JOIN items ON id = order_id WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300) GROUP BY customer, id
--@ rewritten using by_order
SELECT orders_0.customer AS customer, v.`order_id` AS id, v.`quantity` FROM lake.demo.by_order__storage VERSION AS OF 2000 AS v, lake.demo.orders VERSION AS OF 1001 AS orders_0 WHERE orders_0.id = v.`order_id` AND NOT (v.`order_id` IS NULL) AND v.`quantity` > 300

--@ case: the group of NULL is in no list
SELECT order_id, count(*) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300 AND count(*) > 1) GROUP BY order_id
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`cnt` FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IS NULL) AND v.`quantity` > 300 AND v.`cnt` > 1

--@ case: without HAVING, each order that is not NULL
SELECT count(*) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id)
--@ rewritten using by_order
SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IS NULL)

--@ case: groups of all orders rolled up
SELECT sum(quantity) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING count(*) = 1) AND order_id > 2
--@ rewritten using by_order
SELECT CAST(sum(v.`quantity`) AS DECIMAL(20, 2)) FROM lake.demo.by_order__storage AS v WHERE v.`order_id` > 2 AND NOT (v.`order_id` IS NULL) AND v.`cnt` = 1

--@ case: NOT IN keeps its subquery
SELECT order_id, sum(quantity) FROM items WHERE order_id NOT IN (SELECT order_id FROM items WHERE order_id IS NOT NULL GROUP BY order_id HAVING sum(quantity) > 300) GROUP BY order_id
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`quantity` FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IN (SELECT v.`order_id` AS order_id FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IS NULL) AND v.`quantity` > 300))

--@ case: the key of another table, which equals the view's
SELECT customer, id, sum(quantity) FROM orders JOIN items ON id = order_id WHERE id IN (SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300) GROUP BY customer, id
--@ rewritten using by_order
SELECT orders_0.customer AS customer, v.`order_id` AS id, v.`quantity` FROM lake.demo.by_order__storage VERSION AS OF 2000 AS v, lake.demo.orders VERSION AS OF 1001 AS orders_0 WHERE orders_0.id = v.`order_id` AND NOT (v.`order_id` IS NULL) AND v.`quantity` > 300

--@ case: a subquery with a filter of its own on the key
SELECT order_id, sum(quantity) FROM items WHERE order_id IN (SELECT order_id FROM items WHERE order_id > 1 GROUP BY order_id HAVING sum(quantity) > 300) GROUP BY order_id
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`quantity` FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IS NULL) AND v.`order_id` > 1 AND v.`quantity` > 300

--@ case: a view with further keys has several rows for an order
SELECT order_id, part, max(day) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING max(day) > DATE '2024-01-01') GROUP BY order_id, part
--@ rewritten using by_order_and_part
SELECT v.`order_id` AS order_id, v.`part` AS part, v.`last` FROM lake.demo.by_order_and_part__storage AS v WHERE (v.`order_id` IN (SELECT v.`order_id` AS order_id FROM lake.demo.by_order_and_part__storage AS v GROUP BY v.`order_id` HAVING max(v.`last`) > CAST('2024-01-01' AS DATE)))

--@ case: within OR
SELECT order_id, sum(quantity) FROM items WHERE order_id = 2 OR order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300) GROUP BY order_id
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`quantity` FROM lake.demo.by_order__storage AS v WHERE ((v.`order_id` = 2) OR (v.`order_id` IN (SELECT v.`order_id` AS order_id FROM lake.demo.by_order__storage AS v WHERE v.`quantity` > 300)))

--@ case: groups by another key
SELECT order_id, sum(quantity) FROM items WHERE order_id IN (SELECT part FROM items GROUP BY part HAVING sum(quantity) > 300) GROUP BY order_id
--@ rewritten using by_order, by_order_and_part
SELECT v.`order_id` AS order_id, v.`quantity` FROM lake.demo.by_order__storage VERSION AS OF 2000 AS v WHERE (v.`order_id` IN (SELECT v.`part` AS part FROM lake.demo.by_order_and_part__storage VERSION AS OF 2001 AS v GROUP BY v.`part` HAVING CAST(sum(v.`quantity`) AS DECIMAL(20, 2)) > 300))

--@ case: two lists
SELECT order_id, sum(quantity) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300) AND order_id IN (SELECT order_id FROM items GROUP BY order_id HAVING count(*) > 1) GROUP BY order_id
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`quantity` FROM lake.demo.by_order__storage AS v WHERE NOT (v.`order_id` IS NULL) AND v.`quantity` > 300 AND NOT (v.`order_id` IS NULL) AND v.`cnt` > 1

--@ case: the first of the groups only
SELECT order_id, sum(quantity) FROM items WHERE order_id IN (SELECT order_id FROM items GROUP BY order_id ORDER BY sum(quantity) DESC, order_id LIMIT 2) GROUP BY order_id
--@ rewritten using by_order
SELECT order_id, sum(quantity) FROM items VERSION AS OF 1000 WHERE order_id IN (SELECT v.`order_id` AS order_id FROM lake.demo.by_order__storage VERSION AS OF 2000 AS v ORDER BY v.`quantity` DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2) GROUP BY order_id
