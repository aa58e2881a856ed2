-- Subqueries that keep or drop rows: SEMI and ANTI joins of the view and the query.
--@ schema
CREATE TABLE orders (id INT NOT NULL, cust INT, prio STRING, day DATE NOT NULL, amount INT, score DOUBLE);
CREATE TABLE items (order_id INT NOT NULL, part INT, qty INT, late BOOLEAN, day DATE, id BIGINT, score DOUBLE);
CREATE TABLE parts (part INT NOT NULL, name STRING, alt STRING);
CREATE TABLE nothing (k INT NOT NULL, v INT);
--@ rows
INSERT INTO orders VALUES (1, 7, 'a', DATE '2024-01-01', 10, 0.0), (2, 7, 'b', DATE '2024-01-02', 20, 1.5), (3, NULL, 'a', DATE '2024-01-02', 30, NULL), (4, 8, NULL, DATE '2024-01-03', NULL, -0.0D), (4, 8, NULL, DATE '2024-01-03', NULL, -0.0D), (5, 9, 'c', DATE '2024-02-01', 50, 2.5);
INSERT INTO items VALUES (1, 1, 5, TRUE, DATE '2024-01-01', 1, 0.0), (1, 1, 5, TRUE, DATE '2024-01-01', 1, 0.0), (2, 2, NULL, FALSE, DATE '2024-01-09', 7, -0.0D), (3, NULL, 1, NULL, NULL, NULL, NULL), (4, 3, 2, TRUE, DATE '2024-01-03', 9, 1.5), (9, 1, 1, TRUE, DATE '2024-01-01', 2, 2.5);
INSERT INTO nothing VALUES (-1, NULL);
INSERT INTO parts VALUES (1, 'x', NULL), (2, 'y', 'x'), (3, NULL, 'z'), (1, 'x', NULL)
--@ view late
SELECT id, day, prio, amount FROM orders WHERE EXISTS (SELECT * FROM items WHERE order_id = orders.id AND late)
--@ view early
SELECT prio, day, sum(amount) AS total, count(*) AS cnt FROM orders o WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id AND i.late) GROUP BY prio, day
--@ view by_cust
SELECT id, cust, prio, day, sum(amount) AS total, count(amount) AS cnt FROM orders GROUP BY id, cust, prio, day
--@ view ordered
SELECT part, late, count(*) AS cnt FROM items WHERE order_id IN (SELECT id FROM orders WHERE prio = 'a') GROUP BY part, late
--@ view different
SELECT order_id, day, count(DISTINCT part) AS parts, count(*) AS cnt FROM items GROUP BY order_id, day

--@ case: the view's own EXISTS, a narrower day
SELECT prio, count(*), sum(amount) FROM orders WHERE day >= DATE '2024-01-02' AND EXISTS (SELECT 1 FROM items WHERE items.late AND orders.id = order_id) GROUP BY prio
--@ rewritten using late
SELECT v.`prio` AS prio, count(*), sum(v.`amount`) FROM lake.demo.late__storage AS v WHERE v.`day` >= CAST('2024-01-02' AS DATE) GROUP BY v.`prio`

--@ case: the same as IN
SELECT id, amount FROM orders WHERE id IN (SELECT order_id FROM items WHERE late) AND prio = 'a'
--@ rewritten using late
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.late__storage AS v WHERE v.`prio` = 'a'

--@ case: the same as a SEMI JOIN, with DISTINCT within
SELECT id FROM orders o LEFT SEMI JOIN items i ON i.order_id = o.id AND i.late
--@ rewritten using late
SELECT v.`id` AS id FROM lake.demo.late__storage AS v

--@ case: another filter within
SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id)
--@ rewritten using different
SELECT id FROM orders VERSION AS OF 1000 WHERE EXISTS (SELECT 1 FROM lake.demo.different__storage VERSION AS OF 2004 AS v WHERE v.`order_id` = orders.id)

--@ case: the opposite
SELECT id FROM orders WHERE NOT EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND late)
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; different JOIN_DIFFERS the query has an ANTI join (NOT EXISTS or NOT IN) of items ON order_id = id AND late, which the view lacks: add the join to the view; early GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; late JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of items ON order_id = id AND late, which the query lacks: create a view without the join; ordered JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; different COLUMN_NOT_IN_VIEW late; early JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: NOT EXISTS, rolled up
SELECT day, sum(amount), count(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND late) GROUP BY day
--@ rewritten using early
SELECT v.`day` AS day, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.early__storage AS v GROUP BY v.`day`

--@ case: NOT IN of columns that are never NULL is NOT EXISTS
SELECT prio, count(*) FROM orders WHERE id NOT IN (SELECT order_id FROM items WHERE late) GROUP BY prio
--@ rewritten using early
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.early__storage AS v GROUP BY v.`prio`

--@ case: a name that is a column of the inner table means that one: items.id, not orders.id
SELECT prio FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = id AND late)
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; different TABLES_DIFFER the view reads items, which this SELECT does not read: create a view over the query's tables; early JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins items, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; different COLUMN_NOT_IN_VIEW id; early JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: EXISTS beside a view that has none
SELECT cust, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND qty > 1) GROUP BY cust
--@ rewritten using by_cust
SELECT v.`cust` AS cust, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON items_0.order_id = v.`id` AND items_0.qty > 1 GROUP BY v.`cust`

--@ case: a name that only the table around has
SELECT prio, count(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = cust OR part = cust) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON ((items_0.order_id = v.`cust`) OR (items_0.part = v.`cust`)) GROUP BY v.`prio`

--@ case: duplicates within do not repeat a row
SELECT count(amount), sum(amount) FROM orders WHERE cust IN (SELECT part + 6 FROM items)
--@ rewritten using by_cust
SELECT coalesce(sum(v.`cnt`), 0), sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v WHERE (v.`cust` IN (SELECT part + 6 FROM items VERSION AS OF 1001))

--@ case: IN of a column of the same type
SELECT sum(amount) FROM orders WHERE id IN (SELECT part FROM items WHERE qty < 5)
--@ rewritten using by_cust
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON v.`id` = items_0.part AND items_0.qty < 5

--@ case: IN of a wider integer
SELECT sum(amount) FROM orders WHERE cust IN (SELECT id FROM items WHERE late)
--@ rewritten using by_cust
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON v.`cust` = items_0.id AND items_0.late

--@ case: IN of another type, which Spark compares in its own way
SELECT sum(amount) FROM orders WHERE cust IN (SELECT score FROM items)
--@ rewritten using by_cust
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v WHERE (v.`cust` IN (SELECT score FROM items VERSION AS OF 1001))

--@ case: NOT IN where the column within may be NULL
SELECT sum(amount) FROM orders WHERE id NOT IN (SELECT part FROM items)
--@ rewritten using by_cust
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v WHERE NOT (v.`id` IN (SELECT part FROM items VERSION AS OF 1001))

--@ case: NOT IN where a filter within keeps NULL out
SELECT sum(amount) FROM orders WHERE id NOT IN (SELECT part FROM items WHERE part IS NOT NULL AND late)
--@ rewritten using by_cust
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT ANTI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON v.`id` = items_0.part AND NOT (items_0.part IS NULL) AND items_0.late

--@ case: NOT IN where the column around may be NULL
SELECT sum(amount) FROM orders WHERE cust NOT IN (SELECT order_id FROM items)
--@ rewritten using by_cust, different
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v WHERE NOT (v.`cust` IN (SELECT v.`order_id` AS order_id FROM lake.demo.different__storage VERSION AS OF 2004 AS v))

--@ case: NOT IN where a filter around keeps NULL out
SELECT sum(amount) FROM orders WHERE cust NOT IN (SELECT order_id FROM items) AND cust > 7
--@ rewritten using by_cust, different
SELECT sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT ANTI JOIN lake.demo.different__storage VERSION AS OF 2004 AS t0 ON v.cust = t0.`order_id` WHERE v.`cust` > 7

--@ case: NOT IN of nothing
SELECT prio, sum(amount) FROM orders WHERE id NOT IN (SELECT k FROM nothing WHERE k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT ANTI JOIN lake.demo.nothing VERSION AS OF 1003 AS nothing_0 ON v.`id` = nothing_0.k AND nothing_0.k > 0 GROUP BY v.`prio`

--@ case: NOT IN under a LEFT JOIN that fills up the column
SELECT count(*) FROM items i LEFT JOIN orders o ON i.order_id = o.id WHERE o.id NOT IN (SELECT k FROM nothing WHERE k > 0)
--@ rewritten using by_cust
SELECT coalesce(sum(coalesce(v.`viewgate_rows_0`, 1)), 0) FROM lake.demo.items VERSION AS OF 1001 AS items_0 LEFT JOIN lake.demo.by_cust__storage VERSION AS OF 2002 AS v ON items_0.order_id = v.`id` WHERE NOT (v.`id` IN (SELECT k FROM nothing VERSION AS OF 1003 WHERE k > 0))

--@ case: IN of nothing, and NOT EXISTS of nothing
SELECT prio, sum(amount) FROM orders WHERE id IN (SELECT k FROM nothing WHERE k > 0) AND NOT EXISTS (SELECT 1 FROM nothing WHERE k = cust AND k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.nothing VERSION AS OF 1003 AS nothing_0 ON v.`id` = nothing_0.k AND nothing_0.k > 0 LEFT ANTI JOIN lake.demo.nothing VERSION AS OF 1003 AS nothing_1 ON nothing_1.k = v.`cust` AND nothing_1.k > 0 GROUP BY v.`prio`

--@ case: NOT EXISTS of nothing
SELECT prio, sum(amount) FROM orders WHERE NOT EXISTS (SELECT 1 FROM nothing WHERE k = cust AND k > 0) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT ANTI JOIN lake.demo.nothing VERSION AS OF 1003 AS nothing_0 ON nothing_0.k = v.`cust` AND nothing_0.k > 0 GROUP BY v.`prio`

--@ case: the same table within and around, at one moment
SELECT prio, sum(amount) FROM orders o WHERE EXISTS (SELECT 1 FROM orders x WHERE x.cust = o.cust AND x.id <> o.id) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage AS v LEFT SEMI JOIN lake.demo.by_cust__storage AS t0 ON t0.`cust` = v.cust AND t0.`id` <> v.id GROUP BY v.`prio`

--@ case: an alias of the table around hidden by one within
SELECT prio, sum(amount) FROM orders o WHERE EXISTS (SELECT 1 FROM orders o WHERE o.cust = o.id) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage AS v WHERE (EXISTS (SELECT 1 FROM lake.demo.by_cust__storage AS v WHERE v.`cust` = v.`id`)) GROUP BY v.`prio`

--@ case: IN within IN
SELECT prio, sum(amount) FROM orders WHERE id IN (SELECT order_id FROM items WHERE part IN (SELECT part FROM parts WHERE name = 'x')) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN (lake.demo.items VERSION AS OF 1001 AS items_0 CROSS JOIN lake.demo.parts VERSION AS OF 1002 AS parts_0) ON v.`id` = items_0.order_id AND items_0.part = parts_0.part AND parts_0.name = 'x' GROUP BY v.`prio`

--@ case: the subquery joins
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items i JOIN parts p ON i.part = p.part WHERE i.order_id = orders.id AND name IS NULL) GROUP BY prio
--@ rewritten using by_cust
SELECT v.`prio` AS prio, sum(v.`total`) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN (lake.demo.items VERSION AS OF 1001 AS items_0 CROSS JOIN lake.demo.parts VERSION AS OF 1002 AS parts_0) ON items_0.part = parts_0.part AND items_0.order_id = v.`id` AND parts_0.name IS NULL GROUP BY v.`prio`

--@ case: NOT EXISTS within EXISTS
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND NOT EXISTS (SELECT 1 FROM parts WHERE parts.part = items.part)) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the subquery on items has an ANTI join, which is not supported in IN and EXISTS: write an inner join, if the result is the same; different UNSUPPORTED the subquery on items has an ANTI join, which is not supported in IN and EXISTS: write an inner join, if the result is the same; early UNSUPPORTED the subquery on items has an ANTI join, which is not supported in IN and EXISTS: write an inner join, if the result is the same; late UNSUPPORTED the subquery on items has an ANTI join, which is not supported in IN and EXISTS: write an inner join, if the result is the same; ordered UNSUPPORTED the subquery on items has an ANTI join, which is not supported in IN and EXISTS: write an inner join, if the result is the same; different COLUMN_NOT_IN_VIEW part; early JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a column of the view's EXISTS is no column of the view
SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND late) AND cust = 7
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; different JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of items ON order_id = id AND late, which the view lacks: add the join to the view; early JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of items ON order_id = id AND late, which the query lacks: create a view without the join; late COLUMN_NOT_IN_VIEW cust; ordered JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of orders ON order_id = id AND prio = 'a', which the query lacks: create a view without the join; different COLUMN_NOT_IN_VIEW late; early JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: what the subquery compares is not in the view
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE qty = amount) GROUP BY prio
--@ kept: by_cust COLUMN_NOT_IN_VIEW amount; different JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of items ON qty = amount, which the view lacks: add the join to the view; early JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of items ON order_id = id AND late, which the query lacks: create a view without the join; late JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of items ON order_id = id AND late, which the query lacks: create a view without the join; ordered JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of orders ON order_id = id AND prio = 'a', which the query lacks: create a view without the join; different COLUMN_NOT_IN_VIEW qty; early JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; late JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; ordered JOIN_DIFFERS the view also joins orders, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: an aggregate within has a row for no rows
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT max(qty) FROM items WHERE order_id = orders.id + 100) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the subquery on items computes an aggregate, max(qty), which is not supported in IN and EXISTS: write the subquery as a join with a derived table; different UNSUPPORTED the subquery on items computes an aggregate, max(qty), which is not supported in IN and EXISTS: write the subquery as a join with a derived table; early UNSUPPORTED the subquery on items computes an aggregate, max(qty), which is not supported in IN and EXISTS: write the subquery as a join with a derived table; late UNSUPPORTED the subquery on items computes an aggregate, max(qty), which is not supported in IN and EXISTS: write the subquery as a join with a derived table; ordered UNSUPPORTED the subquery on items computes an aggregate, max(qty), which is not supported in IN and EXISTS: write the subquery as a join with a derived table; different UNSUPPORTED the correlated subquery computes an aggregate in EXISTS or IN, which is not supported: write the subquery as a join; early UNSUPPORTED the correlated subquery computes an aggregate in EXISTS or IN, which is not supported: write the subquery as a join; late UNSUPPORTED the correlated subquery computes an aggregate in EXISTS or IN, which is not supported: write the subquery as a join; ordered UNSUPPORTED the correlated subquery computes an aggregate in EXISTS or IN, which is not supported: write the subquery as a join

--@ case: LIMIT within
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id LIMIT 1) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the subquery on items has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; different UNSUPPORTED the subquery on items has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; early UNSUPPORTED the subquery on items has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; late UNSUPPORTED the subquery on items has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; ordered UNSUPPORTED the subquery on items has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; different UNSUPPORTED the correlated subquery has LIMIT, which is not supported: write the subquery as a join; early UNSUPPORTED the correlated subquery has LIMIT, which is not supported: write the subquery as a join; late UNSUPPORTED the correlated subquery has LIMIT, which is not supported: write the subquery as a join; ordered UNSUPPORTED the correlated subquery has LIMIT, which is not supported: write the subquery as a join

--@ case: a volatile function within
SELECT prio, sum(amount) FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND rand() < 2) GROUP BY prio
--@ kept: by_cust UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; different UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; early UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; late UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery; ordered UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery

--@ case: EXISTS under OR decides with other predicates
SELECT prio, sum(amount) FROM orders WHERE prio = 'a' OR EXISTS (SELECT 1 FROM items WHERE order_id = orders.id) GROUP BY prio
--@ rewritten using different
SELECT prio, sum(amount) FROM orders VERSION AS OF 1000 WHERE prio = 'a' OR EXISTS (SELECT 1 FROM lake.demo.different__storage VERSION AS OF 2004 AS v WHERE v.`order_id` = orders.id) GROUP BY prio

--@ case: EXISTS in every branch of an OR
SELECT id FROM orders WHERE (prio = 'a' AND EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND late)) OR (day = DATE '2024-01-03' AND EXISTS (SELECT 1 FROM items WHERE order_id = orders.id AND late))
--@ rewritten using late
SELECT v.`id` AS id FROM lake.demo.late__storage AS v WHERE ((v.`prio` = 'a') OR (v.`day` = CAST('2024-01-03' AS DATE)))

--@ case: grouped over the view's IN
SELECT late, count(*) FROM items i JOIN parts p ON i.part = p.part WHERE order_id IN (SELECT id FROM orders WHERE prio = 'a') GROUP BY late
--@ rewritten using ordered
SELECT v.`late` AS late, coalesce(sum(v.`cnt`), 0) FROM lake.demo.ordered__storage VERSION AS OF 2003 AS v, lake.demo.parts VERSION AS OF 1002 AS parts_0 WHERE v.`part` = parts_0.part GROUP BY v.`late`

--@ case: a derived table that filters so
SELECT prio, count(*) FROM (SELECT id, prio FROM orders WHERE id IN (SELECT order_id FROM items WHERE late)) AS o GROUP BY prio
--@ rewritten using late
SELECT v.`prio` AS prio, count(*) FROM lake.demo.late__storage AS v GROUP BY v.`prio`

--@ case: a view's SEMI table is none that the query joins
SELECT id, qty FROM orders JOIN items ON order_id = orders.id WHERE late
--@ kept: by_cust UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table; different UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table; early UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table; late UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table; ordered UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table

--@ case: some of the view's own groups
SELECT order_id, day, count(DISTINCT part) FROM items WHERE EXISTS (SELECT 1 FROM orders WHERE orders.id = order_id AND prio = 'a') GROUP BY order_id, day
--@ rewritten using different, by_cust
SELECT v.`order_id` AS order_id, v.`day` AS day, v.`parts` FROM lake.demo.different__storage VERSION AS OF 2004 AS v LEFT SEMI JOIN lake.demo.by_cust__storage VERSION AS OF 2002 AS t0 ON t0.`id` = v.order_id AND t0.`prio` = 'a'

--@ case: all groups but some
SELECT day, order_id, count(DISTINCT part) FROM items WHERE order_id NOT IN (SELECT id FROM orders WHERE cust = 7) GROUP BY order_id, day
--@ rewritten using different, by_cust
SELECT v.`day` AS day, v.`order_id` AS order_id, v.`parts` FROM lake.demo.different__storage VERSION AS OF 2004 AS v LEFT ANTI JOIN lake.demo.by_cust__storage VERSION AS OF 2002 AS t0 ON v.order_id = t0.`id` AND t0.`cust` = 7

--@ case: coarser groups, of some
SELECT day, count(DISTINCT part) FROM items WHERE order_id IN (SELECT id FROM orders) GROUP BY day
--@ rewritten using by_cust
SELECT day, count(DISTINCT part) FROM items VERSION AS OF 1001 WHERE order_id IN (SELECT v.`id` AS id FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v) GROUP BY day

--@ case: none of the groups is one row still
SELECT count(*) FROM items WHERE order_id IN (SELECT id FROM orders WHERE cust = 100)
--@ rewritten using different, by_cust
SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.different__storage VERSION AS OF 2004 AS v LEFT SEMI JOIN lake.demo.by_cust__storage VERSION AS OF 2002 AS t0 ON v.order_id = t0.`id` AND t0.`cust` = 100

--@ case: a table that may repeat a group
SELECT order_id, i.day, count(DISTINCT part) FROM items i JOIN orders o ON o.id = order_id GROUP BY order_id, i.day
--@ rewritten using by_cust
SELECT v.`id` AS order_id, items_0.day AS day, count(DISTINCT items_0.part) FROM lake.demo.by_cust__storage VERSION AS OF 2002 AS v, lake.demo.items VERSION AS OF 1001 AS items_0 WHERE v.`id` = items_0.order_id GROUP BY v.`id`, items_0.day
