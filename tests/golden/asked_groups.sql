-- SEMI and ANTI joins, and the older spelling with LEFT JOIN … IS NULL, over the groups of a view.
--@ schema
CREATE TABLE orders (id INT NOT NULL, customer INT, day DATE, price DECIMAL(10,2));
CREATE TABLE items (order_id INT, supplier INT NOT NULL, shipped DATE, received DATE, weight DOUBLE, note STRING);
CREATE TABLE suppliers (id INT NOT NULL, name STRING)
--@ rows
INSERT INTO orders VALUES (1, 10, DATE '2024-01-01', 1.50), (2, 10, DATE '2024-01-02', NULL), (2, 10, DATE '2024-01-02', NULL), (3, NULL, DATE '2024-02-01', 7.00), (4, 20, NULL, 9.99), (5, 30, DATE '2024-03-01', 0.00);
INSERT INTO items VALUES (1, 7, DATE '2024-01-02', DATE '2024-01-09', 0.5D, 'a'), (1, 7, DATE '2024-01-03', DATE '2024-01-03', -0.0D, NULL), (1, 8, DATE '2024-01-05', NULL, 0.0D, 'b'), (2, 7, DATE '2024-01-09', DATE '2024-01-04', 2.5D, 'a'), (4, 9, NULL, DATE '2024-01-04', NULL, NULL), (NULL, 9, NULL, NULL, 1.0D, 'c');
INSERT INTO suppliers VALUES (7, 'seven'), (8, NULL), (9, 'nine'), (10, 'ten')
--@ view deliveries
SELECT order_id, supplier, received > shipped AS late, weight, count(*) AS cnt FROM items GROUP BY order_id, supplier, received > shipped, weight
--@ view heavy
SELECT order_id, supplier, count(*) AS cnt FROM items WHERE supplier > 7 GROUP BY order_id, supplier
--@ view item_totals
SELECT count(*) AS cnt, max(order_id) AS last FROM items
--@ view by_day
SELECT id, customer, day, count(*) AS cnt, sum(price) AS total FROM orders GROUP BY id, customer, day

--@ case: a SEMI join
SELECT o.id, o.price FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id

--@ case: an ANTI join with a condition on the group
SELECT o.id, o.price FROM orders AS o LEFT ANTI JOIN items AS i ON i.order_id = o.id AND i.received > i.shipped
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id AND v.`late`

--@ case: LEFT JOIN and IS NULL
SELECT o.id, o.price FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id WHERE i.order_id IS NULL
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id

--@ case: LEFT JOIN and IS NULL of another column, NULL only without a match
SELECT o.id, o.price FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id AND i.supplier = 9 WHERE i.supplier IS NULL
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id AND v.`supplier` = 9

--@ case: grouped behind the join
SELECT o.customer, count(*) AS n, sum(o.price) AS total FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id AND i.supplier <> 7 WHERE o.id > 0 GROUP BY o.customer
--@ rewritten using by_day, deliveries
SELECT v.`customer` AS customer, coalesce(sum(v.`cnt`), 0) AS n, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total FROM lake.demo.by_day__storage VERSION AS OF 2003 AS v LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS t0 ON t0.`order_id` = v.id AND t0.`supplier` <> 7 WHERE v.`id` > 0 GROUP BY v.`customer`

--@ case: a view whose filter the condition implies
SELECT o.id, o.price FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id AND i.supplier > 8
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id AND v.`supplier` > 8

--@ case: compared by another sign than equality
SELECT s.id, s.name FROM suppliers AS s LEFT ANTI JOIN items AS i ON i.supplier = s.id AND i.order_id < 3
--@ rewritten using deliveries
SELECT suppliers_0.id AS id, suppliers_0.name AS name FROM lake.demo.suppliers VERSION AS OF 1002 AS suppliers_0 LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`supplier` = suppliers_0.id AND v.`order_id` < 3

--@ case: the same table on both sides
SELECT a.note, a.supplier FROM items AS a LEFT SEMI JOIN items AS b ON a.order_id = b.order_id AND a.supplier <> b.supplier
--@ rewritten using deliveries
SELECT items_0.note AS note, items_0.supplier AS supplier FROM lake.demo.items VERSION AS OF 1001 AS items_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON items_0.order_id = v.`order_id` AND items_0.supplier <> v.`supplier`

--@ case: two SEMI and ANTI joins
SELECT o.id, o.price FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id LEFT ANTI JOIN suppliers AS s ON s.id = o.customer
--@ rewritten using deliveries
SELECT orders_0.id AS id, orders_0.price AS price FROM lake.demo.orders VERSION AS OF 1000 AS orders_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON v.`order_id` = orders_0.id LEFT ANTI JOIN lake.demo.suppliers VERSION AS OF 1002 AS suppliers_0 ON suppliers_0.id = orders_0.customer

--@ case: EXISTS and NOT EXISTS keep their subqueries
SELECT o.id, o.price FROM orders AS o WHERE EXISTS (SELECT * FROM items AS i WHERE i.order_id = o.id AND i.supplier = 7) AND NOT EXISTS (SELECT * FROM items AS j WHERE j.order_id = o.id AND j.supplier = 8)
--@ rewritten using deliveries
SELECT o.id, o.price FROM orders VERSION AS OF 1000 AS o WHERE EXISTS (SELECT 1 FROM lake.demo.deliveries__storage VERSION AS OF 2000 AS v WHERE v.`order_id` = o.id AND v.`supplier` = 7) AND NOT EXISTS (SELECT 1 FROM lake.demo.deliveries__storage VERSION AS OF 2000 AS v WHERE v.`order_id` = o.id AND v.`supplier` = 8)

--@ case: the main table is read from a view, too
SELECT o.customer, sum(o.price) AS total, count(*) AS n FROM orders AS o LEFT ANTI JOIN items AS i ON i.order_id = o.id AND i.supplier = 8 GROUP BY o.customer
--@ rewritten using by_day, deliveries
SELECT v.`customer` AS customer, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.by_day__storage VERSION AS OF 2003 AS v LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS t0 ON t0.`order_id` = v.id AND t0.`supplier` = 8 GROUP BY v.`customer`

--@ case: tables that EXISTS and NOT EXISTS test beside a view, and the same view again
SELECT i.supplier, count(*) AS n FROM items AS i JOIN suppliers AS s ON s.id = i.supplier WHERE i.received > i.shipped AND EXISTS (SELECT * FROM items AS j WHERE j.order_id = i.order_id AND j.supplier <> i.supplier) AND NOT EXISTS (SELECT * FROM items AS k WHERE k.order_id = i.order_id AND k.supplier <> i.supplier AND k.received > k.shipped) GROUP BY i.supplier
--@ rewritten using deliveries
SELECT v.`supplier` AS supplier, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.deliveries__storage VERSION AS OF 2000 AS v CROSS JOIN lake.demo.suppliers VERSION AS OF 1002 AS suppliers_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS t0 ON t0.`order_id` = v.order_id AND t0.`supplier` <> v.supplier LEFT ANTI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS t1 ON t1.`order_id` = v.order_id AND t1.`supplier` <> v.supplier AND t1.`late` WHERE suppliers_0.id = v.`supplier` AND v.`late` GROUP BY v.`supplier`

--@ case: a table that is tested by a column that no view groups by stays
SELECT o.customer, sum(o.price) AS total FROM orders AS o WHERE o.id IN (SELECT order_id FROM items WHERE note = 'a') GROUP BY o.customer
--@ rewritten using by_day
SELECT v.`customer` AS customer, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total FROM lake.demo.by_day__storage VERSION AS OF 2003 AS v LEFT SEMI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON v.`id` = items_0.order_id AND items_0.note = 'a' GROUP BY v.`customer`

--@ case: a column that the view does not group by
SELECT o.id, o.price FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id AND i.note = 'a'
--@ kept: by_day GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; deliveries COLUMN_NOT_IN_VIEW note; heavy VIEW_FILTERS_MORE supplier > 7; item_totals SHAPE the view has one row even if its tables are empty, so that a SEMI or ANTI join cannot test this row: add GROUP BY to the view

--@ case: the sign of a zero, which groups do not keep
SELECT o.id, o.price FROM orders AS o LEFT SEMI JOIN items AS i ON i.order_id = o.id AND 1 / i.weight > 0
--@ kept: by_day FLOAT_COMPARED 1 / weight > 0; deliveries FLOAT_COMPARED 1 / weight > 0; heavy VIEW_FILTERS_MORE supplier > 7; item_totals SHAPE the view has one row even if its tables are empty, so that a SEMI or ANTI join cannot test this row: add GROUP BY to the view

--@ case: a view that has a row for no rows
SELECT s.name FROM suppliers AS s LEFT SEMI JOIN (SELECT supplier FROM items) AS i ON s.id > 0
--@ rewritten using deliveries
SELECT suppliers_0.name AS name FROM lake.demo.suppliers VERSION AS OF 1002 AS suppliers_0 LEFT SEMI JOIN lake.demo.deliveries__storage VERSION AS OF 2000 AS v ON suppliers_0.id > 0

--@ case: IS NULL of a column that may be NULL with a match
SELECT o.id, o.price FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id WHERE i.note IS NULL
--@ kept: by_day GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; deliveries COLUMN_NOT_IN_VIEW note; heavy VIEW_FILTERS_MORE supplier > 7; item_totals COLUMN_NOT_IN_VIEW order_id

--@ case: a column of the right side in the output
SELECT o.id, i.supplier FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id WHERE i.order_id IS NULL
--@ kept: by_day GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; deliveries GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; heavy VIEW_FILTERS_MORE supplier > 7; item_totals COLUMN_NOT_IN_VIEW order_id
