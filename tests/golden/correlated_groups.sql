-- Correlated scalar subqueries whose outer columns select one group of the view: the stored aggregate is read.
--@ schema
CREATE TABLE part (id BIGINT NOT NULL, brand STRING, size INT, weight DOUBLE);
CREATE TABLE items (pid INT NOT NULL, supp INT, day DATE, qty INT, price DECIMAL(12,2), score DOUBLE);
CREATE TABLE supp (id INT NOT NULL, name STRING, pid INT, weight DOUBLE);
--@ rows
INSERT INTO part VALUES (1, 'a', 10, 0.5), (2, '01', 1, -0.0D), (3, NULL, NULL, NULL), (4, 'a', 1, 0.0);
INSERT INTO items VALUES (1, 1, DATE '2024-01-01', 5, 1.50, 0.5), (1, 2, DATE '2024-01-02', 50, 2.50, 1.5), (1, 2, DATE '2024-01-02', 50, 2.51, 1.5), (2, 1, NULL, NULL, NULL, NULL), (2, NULL, DATE '2024-02-01', 7, 9.99, -0.0D), (3, 3, DATE '2024-02-01', 1, 0.01, 0.0);
INSERT INTO supp VALUES (1, 'a', 1, 0.5), (1, 'a', 2, 0.0), (1, '01', 1, -0.0D), (1, '1', 5, 0.0), (2, NULL, 1, NULL), (3, 'z', 9, 0.5)
--@ view by_name
SELECT name, id, avg(pid) AS mean, count(DISTINCT pid) AS pids, max(pid) AS most FROM supp GROUP BY name, id
--@ view by_weight
SELECT weight, count(DISTINCT pid) AS pids FROM supp GROUP BY weight
--@ view by_day
SELECT day, avg(price) AS mean, count(DISTINCT supp) AS supps, avg(score) AS score FROM items GROUP BY day

--@ case: an outer column of the same type selects one group of the view
SELECT supp, qty FROM items AS o WHERE o.price <= (SELECT 2 * avg(price) FROM items AS i WHERE i.day = o.day)
--@ rewritten using by_day
SELECT supp, qty FROM items VERSION AS OF 1001 AS o WHERE o.price <= (SELECT 2 * max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day)

--@ case: a count of distinct values of one group, which is 0 without rows
SELECT day, (SELECT count(DISTINCT supp) FROM items AS i WHERE i.day = o.day) AS supps FROM items AS o
--@ rewritten using by_day
SELECT day, (SELECT coalesce(max(v.`supps`), 0) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day) AS supps FROM items VERSION AS OF 1001 AS o

--@ case: an outer column that may be NULL, compared null-safe
SELECT day, (SELECT count(DISTINCT supp) FROM items AS i WHERE i.day <=> o.day) AS supps FROM items AS o
--@ rewritten using by_day
SELECT day, (SELECT coalesce(max(v.`supps`), 0) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` IS NOT DISTINCT FROM o.day) AS supps FROM items VERSION AS OF 1001 AS o

--@ case: integers of two widths, and a text
SELECT id, (SELECT count(DISTINCT pid) FROM supp AS s WHERE s.id = p.id AND s.name = p.brand) AS pids FROM part AS p
--@ rewritten using by_name
SELECT id, (SELECT coalesce(max(v.`pids`), 0) FROM lake.demo.by_name__storage VERSION AS OF 2000 AS v WHERE v.`id` = p.id AND v.`name` = p.brand) AS pids FROM part VERSION AS OF 1000 AS p

--@ case: an outer number equals several texts
SELECT id, (SELECT count(DISTINCT pid) FROM supp AS s WHERE s.id = 1 AND s.name = p.size) AS pids FROM part AS p
--@ kept: by_name UNSUPPORTED the subquery on s refers to p.size, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_weight UNSUPPORTED the subquery on s refers to p.size, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_name AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT pid); by_weight COLUMN_NOT_IN_VIEW id

--@ case: one key of two is fixed
SELECT id, (SELECT count(DISTINCT pid) FROM supp AS s WHERE s.id = p.id) AS pids FROM part AS p
--@ kept: by_name UNSUPPORTED the subquery on s refers to p.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_weight UNSUPPORTED the subquery on s refers to p.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_name AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT pid); by_weight COLUMN_NOT_IN_VIEW id

--@ case: 0.0 and -0.0 are equal, and may be two groups
SELECT id, (SELECT count(DISTINCT pid) FROM supp AS s WHERE s.weight = p.weight) AS pids FROM part AS p
--@ kept: by_name UNSUPPORTED the subquery on s refers to p.weight, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_weight UNSUPPORTED the subquery on s refers to p.weight, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_name FLOAT_COMPARED weight = p.weight; by_weight FLOAT_COMPARED weight = p.weight

--@ case: a further filter leaves the group or nothing of it
SELECT day, (SELECT count(DISTINCT supp) FROM items AS i WHERE i.day = o.day AND i.day > DATE '2024-01-01') AS supps FROM items AS o
--@ rewritten using by_day
SELECT day, (SELECT coalesce(max(v.`supps`), 0) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day AND v.`day` > CAST('2024-01-01' AS DATE)) AS supps FROM items VERSION AS OF 1001 AS o

--@ case: the outer column is one end of a range
SELECT day, (SELECT count(DISTINCT supp) FROM items AS i WHERE i.day >= o.day) AS supps FROM items AS o
--@ kept: UNSUPPORTED the subquery on i refers to o.day, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT supp)

--@ case: the rows of the outer query that find no group, and those that find NULL
SELECT o.supp FROM items AS o WHERE coalesce((SELECT avg(price) FROM items AS i WHERE i.day = o.day), 0) < 3
--@ rewritten using by_day
SELECT o.supp FROM items VERSION AS OF 1001 AS o WHERE coalesce((SELECT max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day), 0) < 3

--@ case: a chain of joins, and another subquery beside
SELECT p.id, o.qty FROM part AS p LEFT JOIN items AS o ON o.pid = p.id WHERE p.id > (SELECT avg(price) / 3 FROM items AS i WHERE i.day = o.day) OR EXISTS (SELECT 1 FROM supp WHERE supp.id = p.id)
--@ rewritten using by_day, by_name
SELECT p.id, o.qty FROM part VERSION AS OF 1000 AS p LEFT JOIN items VERSION AS OF 1001 AS o ON o.pid = p.id WHERE p.id > (SELECT max(v.`mean`) / 3 FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day) OR EXISTS (SELECT 1 FROM lake.demo.by_name__storage VERSION AS OF 2000 AS v WHERE v.`id` = p.id)

--@ case: the outer table is not the last one
SELECT o.qty FROM items AS o, part AS p WHERE p.id = o.pid AND o.price < (SELECT 1.1 * avg(price) FROM items AS i WHERE i.day = o.day)
--@ rewritten using by_day
SELECT o.qty FROM items VERSION AS OF 1001 AS o, part VERSION AS OF 1000 AS p WHERE p.id = o.pid AND o.price < (SELECT 1.1 * max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day)

--@ case: two subqueries, of which one has a filter of its own
SELECT o.qty, count(*) FROM items AS o WHERE o.price < (SELECT 1.1 * avg(price) FROM items AS i WHERE i.day = o.day) OR o.price > (SELECT 0.9 * avg(price) FROM items AS i WHERE i.day = o.day AND i.day > DATE '2024-01-02') GROUP BY o.qty
--@ rewritten using by_day
SELECT o.qty, count(*) FROM items VERSION AS OF 1001 AS o WHERE o.price < (SELECT 1.1 * max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day) OR o.price > (SELECT 0.9 * max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day AND v.`day` > CAST('2024-01-02' AS DATE)) GROUP BY o.qty

--@ case: all columns, among which joined columns would appear
SELECT * FROM items AS o WHERE o.price < (SELECT 1.1 * avg(price) FROM items AS i WHERE i.day = o.day)
--@ rewritten using by_day
SELECT * FROM items VERSION AS OF 1001 AS o WHERE o.price < (SELECT 1.1 * max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day)

--@ case: within a derived table that the outer query joins with itself
SELECT a.supp, b.qty FROM (SELECT supp, qty FROM items AS o WHERE o.price <= (SELECT avg(price) FROM items AS i WHERE i.day = o.day)) AS a JOIN items AS b ON a.supp = b.supp WHERE b.qty > 1
--@ rewritten using by_day
SELECT a.supp, b.qty FROM (SELECT supp, qty FROM items VERSION AS OF 1001 AS o WHERE o.price <= (SELECT max(v.`mean`) FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE v.`day` = o.day)) AS a JOIN items VERSION AS OF 1001 AS b ON a.supp = b.supp WHERE b.qty > 1

--@ case: an average of one group, whose sum and count are stored too
SELECT avg(pid) FROM supp WHERE name = 'a' AND id = 1
--@ rewritten using by_name
SELECT max(v.`mean`) FROM lake.demo.by_name__storage AS v WHERE v.`name` = 'a' AND v.`id` = 1

--@ case: an average of the group that outer columns select
SELECT id FROM part AS p WHERE size > (SELECT avg(pid) FROM supp AS s WHERE s.id = p.id AND s.name = p.brand)
--@ rewritten using by_name
SELECT id FROM part VERSION AS OF 1000 AS p WHERE size > (SELECT max(v.`mean`) FROM lake.demo.by_name__storage VERSION AS OF 2000 AS v WHERE v.`id` = p.id AND v.`name` = p.brand)
