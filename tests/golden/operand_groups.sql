-- Groups of a derived table as an operand of a set operation, where duplicates do not matter: their counts stay whole.
--@ schema
CREATE TABLE items (order_id INT, part INT, quantity INT);
CREATE TABLE known (order_id INT, n BIGINT)
--@ rows
INSERT INTO items VALUES (1, 1, 5), (1, 1, 7), (1, 2, NULL), (2, 1, 3), (NULL, 2, 4), (NULL, 2, 4), (3, 3, 1);
INSERT INTO known VALUES (1, 1), (2, 1), (NULL, 2), (9, 9)
--@ view by_order_and_part
SELECT order_id, part, count(*) AS cnt, sum(quantity) AS quantity FROM items GROUP BY order_id, part
--@ view by_order
SELECT order_id, count(*) AS cnt FROM items GROUP BY order_id

--@ case: EXCEPT
SELECT * FROM (SELECT order_id, count(*) AS n FROM items GROUP BY order_id) EXCEPT SELECT order_id, n FROM known
--@ rewritten using by_order
SELECT v.`order_id` AS order_id, v.`cnt` AS n FROM lake.demo.by_order__storage VERSION AS OF 2001 AS v EXCEPT SELECT order_id, n FROM known VERSION AS OF 1001

--@ case: UNION, at a coarser grain
SELECT order_id, n FROM known UNION SELECT order_id, q FROM (SELECT order_id, sum(quantity) AS q, count(*) AS n FROM items GROUP BY order_id)
--@ rewritten using by_order_and_part
SELECT order_id, n FROM known VERSION AS OF 1001 UNION SELECT v.`order_id` AS order_id, sum(v.`quantity`) AS q FROM lake.demo.by_order_and_part__storage VERSION AS OF 2000 AS v GROUP BY v.`order_id`

--@ case: INTERSECT, at a grain of its own
SELECT part, n FROM (SELECT part, count(*) AS n FROM items GROUP BY part) INTERSECT SELECT order_id, n FROM known
--@ rewritten using by_order_and_part
SELECT v.`part` AS part, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.by_order_and_part__storage VERSION AS OF 2000 AS v GROUP BY v.`part` INTERSECT SELECT order_id, n FROM known VERSION AS OF 1001

--@ case: IN
SELECT n FROM known WHERE n IN (SELECT n FROM (SELECT order_id, count(*) AS n FROM items GROUP BY order_id))
--@ rewritten using by_order
SELECT n FROM known VERSION AS OF 1001 WHERE n IN (SELECT n FROM (SELECT v.`order_id` AS order_id, v.`cnt` AS n FROM lake.demo.by_order__storage VERSION AS OF 2001 AS v))

--@ case: EXISTS
SELECT n FROM known WHERE EXISTS (SELECT * FROM (SELECT order_id, count(*) AS cnt FROM items GROUP BY order_id) AS g WHERE g.order_id = known.order_id)
--@ rewritten using by_order
SELECT n FROM known VERSION AS OF 1001 WHERE EXISTS (SELECT * FROM (SELECT v.`order_id` AS order_id, v.`cnt` AS cnt FROM lake.demo.by_order__storage VERSION AS OF 2001 AS v) AS g WHERE g.order_id = known.order_id)
