-- Scalar subqueries that name columns around them: answered as with constants in their place.
--@ schema
CREATE TABLE part (id INT NOT NULL, brand STRING, size INT, v INT);
CREATE TABLE items (pid INT NOT NULL, supp INT, day DATE, qty INT, price DECIMAL(12,2), score DOUBLE);
CREATE TABLE supp (id INT NOT NULL, name STRING, pid INT);
--@ rows
INSERT INTO part VALUES (1, 'a', 10, 3), (2, 'b', 20, 5), (3, NULL, NULL, 1), (4, 'a', 1, NULL);
INSERT INTO items VALUES (1, 1, DATE '2024-01-01', 5, 1.50, 0.5), (1, 2, DATE '2024-01-02', 50, 2.50, 1.5), (1, 2, DATE '2024-01-02', 50, 2.50, 1.5), (2, 1, NULL, NULL, NULL, NULL), (2, NULL, DATE '2024-02-01', 7, 9.99, -0.0D), (3, 3, DATE '2024-02-01', 1, 0.01, 0.0);
INSERT INTO supp VALUES (1, 'x', 1), (2, NULL, 1), (3, 'z', 9)
--@ view by_part
SELECT pid, supp, day, sum(qty) AS total, avg(price) AS mean, min(price) AS least, count(*) AS cnt, sum(score) AS scores FROM items GROUP BY pid, supp, day
--@ view parts
SELECT id, brand, size FROM part WHERE id > 0

--@ case: an average over the rows of each part
SELECT id FROM part WHERE size > (SELECT 0.5 * avg(price) FROM items WHERE items.pid = id)
--@ rewritten using by_part
SELECT id FROM part VERSION AS OF 1000 WHERE size > (SELECT 0.5 * CAST(CAST((CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(22, 2)) - (CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(16, 6)) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = part.id)

--@ case: names in full, two columns, and a filter of its own
SELECT p.id, s.name FROM part AS p JOIN supp AS s ON p.id >= s.id WHERE p.size < (SELECT sum(i.qty) FROM items AS i WHERE i.pid = p.id AND i.supp = s.id AND i.day >= DATE '2024-01-01') OR p.brand = 'b'
--@ rewritten using by_part
SELECT p.id, s.name FROM part VERSION AS OF 1000 AS p JOIN supp VERSION AS OF 1002 AS s ON p.id >= s.id WHERE p.size < (SELECT sum(v.`total`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = p.id AND v.`supp` = s.id AND v.`day` >= CAST('2024-01-01' AS DATE)) OR p.brand = 'b'

--@ case: a count of nothing is 0
SELECT id FROM part WHERE (SELECT count(*) FROM items WHERE items.pid = part.id AND supp = 2) = 0
--@ rewritten using by_part
SELECT id FROM part VERSION AS OF 1000 WHERE (SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = part.id AND v.`supp` = 2) = 0

--@ case: the column is both within and around: it is the one within
SELECT id FROM supp WHERE id < (SELECT sum(qty) FROM items WHERE pid = supp.pid AND supp = id)
--@ kept: UNSUPPORTED the column supp.pid is not a column of the tables in FROM: check the name

--@ case: a name that would mean a column of the view
SELECT part.id FROM part JOIN supp AS total ON part.id = total.id WHERE size > (SELECT sum(qty) FROM items WHERE items.pid = total.id)
--@ kept: by_part UNSUPPORTED the subquery on items refers to total.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to total.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part SHAPE in the correlated subquery, the outer table's alias total could mean a column of the view or of a table joined to the view: give the outer table another alias

--@ case: a name that would mean the view itself
SELECT v.id FROM part AS v WHERE v.size > (SELECT sum(qty) FROM items WHERE items.pid = v.id)
--@ kept: by_part UNSUPPORTED the subquery on items refers to v.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to v.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part SHAPE in the correlated subquery, the outer table's alias v could mean a column of the view or of a table joined to the view: give the outer table another alias

--@ case: a name of neither
SELECT id FROM part WHERE size > (SELECT sum(qty) FROM items WHERE items.pid = nowhere)
--@ kept: by_part UNSUPPORTED the subquery on items refers to nowhere, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to nowhere, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED the column nowhere is not a column of the tables in FROM: check the name

--@ case: a name that two tables around have
SELECT brand FROM part JOIN supp ON size = pid WHERE size > (SELECT sum(qty) FROM items WHERE items.pid = id)
--@ kept: by_part UNSUPPORTED the subquery on items refers to id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED the column id is ambiguous, because several tables in FROM have a column of this name: qualify the column with the name of its table

--@ case: groups within
SELECT id FROM part WHERE size > (SELECT sum(qty) FROM items WHERE items.pid = id GROUP BY items.pid)
--@ kept: by_part UNSUPPORTED the subquery on items refers to id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED the correlated subquery has GROUP BY or DISTINCT, which is not supported: write the subquery as a join

--@ case: a column around in the output
SELECT id FROM part WHERE size > (SELECT sum(qty) + id FROM items WHERE items.pid = part.id)
--@ kept: by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED the column id is not a column of the tables in FROM: check the name

--@ case: in the select list
SELECT id, (SELECT sum(qty) FROM items WHERE items.pid = part.id) AS q FROM part
--@ rewritten using by_part
SELECT id, (SELECT sum(v.`total`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = part.id) AS q FROM part VERSION AS OF 1000

--@ case: in a subquery that is itself one of a WHERE
SELECT name FROM supp WHERE id IN (SELECT id FROM part WHERE size > (SELECT min(price) FROM items WHERE items.pid = part.id))
--@ rewritten using by_part
SELECT name FROM supp VERSION AS OF 1002 WHERE id IN (SELECT id FROM part VERSION AS OF 1000 WHERE size > (SELECT min(v.`least`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = part.id))

--@ case: two levels around
SELECT name FROM supp WHERE id IN (SELECT id FROM part WHERE size > (SELECT min(price) FROM items WHERE items.pid = part.id AND items.supp = supp.id))
--@ kept: by_part UNSUPPORTED the subquery on items is not supported in this SELECT, which can have subqueries only in WHERE, after IN or EXISTS: write the subquery as a join; parts UNSUPPORTED the subquery on items is not supported in this SELECT, which can have subqueries only in WHERE, after IN or EXISTS: write the subquery as a join; by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED the column supp.id is not a column of the tables in FROM: check the name

--@ case: a floating-point sum that decides
SELECT id FROM part WHERE size > (SELECT sum(score) FROM items WHERE items.pid = part.id)
--@ kept: by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part FLOAT_SUM_DECIDES_ROWS sum(score)

--@ case: the table within is the table around
SELECT day FROM items AS o WHERE qty > (SELECT 2 * min(price) FROM items AS i WHERE i.pid = o.pid)
--@ rewritten using by_part
SELECT day FROM items VERSION AS OF 1001 AS o WHERE qty > (SELECT 2 * min(v.`least`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = o.pid)

--@ case: what the view lacks
SELECT id FROM part WHERE size > (SELECT sum(qty) FROM items WHERE items.pid = part.id AND price > size)
--@ kept: by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part COLUMN_NOT_IN_VIEW price

--@ case: beside a derived table
SELECT d.k FROM (SELECT id AS k, size FROM part) AS d WHERE d.size > (SELECT sum(qty) FROM items WHERE items.pid = d.k)
--@ rewritten using by_part
SELECT d.k FROM (SELECT id AS k, size FROM part VERSION AS OF 1000) AS d WHERE d.size > (SELECT sum(v.`total`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = d.k)

--@ case: beside a grouped derived table, whose names are not looked into
SELECT d.k FROM (SELECT id AS k, max(size) AS size FROM part GROUP BY id) AS d WHERE d.size > (SELECT sum(qty) FROM items WHERE items.pid = d.k)
--@ kept: by_part UNSUPPORTED the subquery on items refers to d.k, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to d.k, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts VIEW_FILTERS_MORE id > 0; by_part UNSUPPORTED d.k is not a column of the subquery's FROM, and the columns of the outer SELECT's FROM are not known for certain: write the subquery as a join

--@ case: in the list of outputs, twice
SELECT p.id, (SELECT sum(i.qty) FROM items AS i WHERE i.pid = p.id) AS q, coalesce((SELECT count(*) FROM items WHERE items.pid = p.id AND supp = 2), 0) + 1 AS n FROM part AS p WHERE p.size > 1
--@ rewritten using by_part
SELECT p.id, (SELECT sum(v.`total`) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = p.id) AS q, coalesce((SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_part__storage VERSION AS OF 2000 AS v WHERE v.`pid` = p.id AND v.`supp` = 2), 0) + 1 AS n FROM part VERSION AS OF 1000 AS p WHERE p.size > 1

--@ case: in an output without a name
SELECT id, (SELECT sum(qty) FROM items WHERE items.pid = part.id) + 1 FROM part
--@ kept: by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED part.id is not a column of the subquery's FROM, and a correlated subquery is supported only in WHERE or in an output with an alias: give the output an alias, or write the subquery as a join

--@ case: in ORDER BY
SELECT id FROM part ORDER BY (SELECT sum(qty) FROM items WHERE items.pid = part.id), id
--@ kept: by_part UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; parts UNSUPPORTED the subquery on items refers to part.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_part UNSUPPORTED part.id is not a column of the subquery's FROM, and a correlated subquery is supported only in WHERE or in an output with an alias: give the output an alias, or write the subquery as a join
