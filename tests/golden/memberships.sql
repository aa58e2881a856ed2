-- EXISTS and IN ask only which rows there are, however often: groups tell that as well, each where it stands.
--@ schema
CREATE TABLE customers (id INT NOT NULL, name STRING, region STRING, born INT);
CREATE TABLE store (cust INT, day DATE, item INT NOT NULL, amount INT, score DOUBLE);
CREATE TABLE web (cust INT, day DATE, item INT NOT NULL, amount INT);
CREATE TABLE days (day DATE, year INT, quarter INT)
--@ rows
INSERT INTO customers VALUES (1, 'a', 'eu', 1990), (2, 'b', 'eu', NULL), (3, NULL, 'us', 2000), (4, 'd', NULL, 1970), (5, 'e', 'us', 1990);
INSERT INTO store VALUES (1, DATE '2024-01-01', 7, 10, 0.5), (1, DATE '2024-01-01', 7, 10, 0.5), (2, DATE '2024-02-01', 8, NULL, -0.0D), (NULL, DATE '2024-01-01', 7, 3, 0.0), (3, NULL, 9, 1, NULL), (5, DATE '2024-05-01', 7, 100, 2);
INSERT INTO web VALUES (1, DATE '2024-03-01', 7, 1), (4, DATE '2024-01-02', 8, 2), (4, DATE '2024-01-02', 8, 2), (9, DATE '2024-01-02', 3, 2);
INSERT INTO days VALUES (DATE '2024-01-01', 2024, 1), (DATE '2024-01-02', 2024, 1), (DATE '2024-02-01', 2024, 1), (DATE '2024-05-01', 2024, 2), (DATE '2023-05-01', 2023, 2)
--@ view by_cust
SELECT cust, day, count(*) AS n, sum(amount) AS total FROM store GROUP BY cust, day
--@ view web_by_quarter
SELECT w.cust, d.year, d.quarter, count(*) AS n FROM web AS w JOIN days AS d ON w.day = d.day GROUP BY w.cust, d.year, d.quarter
--@ view big
SELECT cust, sum(amount) AS total FROM web GROUP BY cust HAVING count(*) > 1
--@ view everything
SELECT max(item) AS most, count(*) AS n FROM web
--@ view by_score
SELECT score, count(*) AS n FROM store GROUP BY score

--@ case: EXISTS, with a filter by day
SELECT id, name FROM customers AS c WHERE EXISTS (SELECT * FROM store AS s WHERE s.cust = c.id AND s.day >= DATE '2024-02-01')
--@ rewritten using by_cust
SELECT id, name FROM customers VERSION AS OF 1000 AS c WHERE EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id AND v.`day` >= CAST('2024-02-01' AS DATE))

--@ case: NOT EXISTS
SELECT region, count(*) FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM store WHERE cust = c.id) GROUP BY region
--@ rewritten using by_cust
SELECT region, count(*) FROM customers VERSION AS OF 1000 AS c WHERE NOT EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id) GROUP BY region

--@ case: NOT EXISTS with more in it
SELECT region, count(*) FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM store WHERE cust = c.id AND day = DATE '2024-01-01') AND c.born > 1980 GROUP BY region
--@ rewritten using by_cust
SELECT region, count(*) FROM customers VERSION AS OF 1000 AS c WHERE NOT EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id AND v.`day` = CAST('2024-01-01' AS DATE)) AND c.born > 1980 GROUP BY region

--@ case: one or the other
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM store WHERE cust = c.id AND day < DATE '2024-02-01') OR EXISTS (SELECT 1 FROM web JOIN days ON web.day = days.day WHERE web.cust = c.id AND year = 2024 AND quarter < 2)
--@ rewritten using by_cust, web_by_quarter
SELECT name FROM customers VERSION AS OF 1000 AS c WHERE EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id AND v.`day` < CAST('2024-02-01' AS DATE)) OR EXISTS (SELECT 1 FROM lake.demo.web_by_quarter__storage VERSION AS OF 2001 AS v WHERE v.`cust` = c.id AND v.`year` = 2024 AND v.`quarter` < 2)

--@ case: one, and one or the other, as reports ask it
SELECT c.name, count(*) FROM customers AS c WHERE c.region = 'eu' AND EXISTS (SELECT * FROM store AS s WHERE c.id = s.cust) AND (EXISTS (SELECT * FROM web AS w, days AS d WHERE c.id = w.cust AND w.day = d.day AND d.year = 2024) OR c.born = 1990) GROUP BY c.name
--@ rewritten using by_cust, web_by_quarter
SELECT c.name, count(*) FROM customers VERSION AS OF 1000 AS c WHERE c.region = 'eu' AND EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE c.id = v.`cust`) AND (EXISTS (SELECT 1 FROM lake.demo.web_by_quarter__storage VERSION AS OF 2001 AS v WHERE c.id = v.`cust` AND v.`year` = 2024) OR c.born = 1990) GROUP BY c.name

--@ case: IN
SELECT name FROM customers WHERE id IN (SELECT cust FROM store WHERE day > DATE '2024-01-01')
--@ rewritten using by_cust
SELECT name FROM customers VERSION AS OF 1000 WHERE id IN (SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`day` > CAST('2024-01-01' AS DATE))

--@ case: NOT IN, a NULL among them
SELECT name FROM customers WHERE id NOT IN (SELECT cust FROM store WHERE day >= DATE '2024-01-01')
--@ rewritten using by_cust
SELECT name FROM customers VERSION AS OF 1000 WHERE id NOT IN (SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`day` >= CAST('2024-01-01' AS DATE))

--@ case: IN that depends on the row
SELECT name FROM customers AS c WHERE DATE '2024-02-01' IN (SELECT day FROM store WHERE cust = c.id)
--@ rewritten using by_cust
SELECT name FROM customers VERSION AS OF 1000 AS c WHERE DATE '2024-02-01' IN (SELECT v.`day` AS day FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id)

--@ case: IN in the list of outputs
SELECT name, id IN (SELECT cust FROM store) AS buys FROM customers
--@ rewritten using by_cust
SELECT name, id IN (SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v) AS buys FROM customers VERSION AS OF 1000

--@ case: IN floating-point numbers
SELECT name FROM customers WHERE 0.0D IN (SELECT score FROM store)
--@ rewritten using by_score
SELECT name FROM customers VERSION AS OF 1000 WHERE 0.0D IN (SELECT v.`score` AS score FROM lake.demo.by_score__storage VERSION AS OF 2004 AS v)

--@ case: groups of a view with HAVING
SELECT name FROM customers WHERE id IN (SELECT cust FROM web GROUP BY cust HAVING count(*) > 1 AND sum(amount) > 3)
--@ rewritten using big
SELECT name FROM customers VERSION AS OF 1000 WHERE id IN (SELECT v.`cust` AS cust FROM lake.demo.big__storage VERSION AS OF 2002 AS v WHERE v.`total` > 3)

--@ case: a comparison of two rows
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM store WHERE cust > c.id AND year(day) >= c.born)
--@ rewritten using by_cust
SELECT name FROM customers VERSION AS OF 1000 AS c WHERE EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > c.id AND year(v.`day`) >= c.born)

--@ case: a row of no group
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM store WHERE cust = c.id AND amount > 5)
--@ kept: by_cust JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id AND amount > 5, which the view lacks: add the join to the view; by_score JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id AND amount > 5, which the view lacks: add the join to the view; by_cust COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW cust

--@ case: by a column that the view does not have
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM store WHERE item = c.id)
--@ kept: by_cust JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON item = id, which the view lacks: add the join to the view; by_score JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON item = id, which the view lacks: add the join to the view; by_cust COLUMN_NOT_IN_VIEW item; by_score COLUMN_NOT_IN_VIEW item

--@ case: a view of one group has a row always
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM web)
--@ kept: big SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; everything TABLES_DIFFER the view reads web, which this SELECT does not read: create a view over the query's tables; web_by_quarter TABLES_DIFFER the view reads web and days, which this SELECT does not read: create a view over the query's tables; everything GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; web_by_quarter JOIN_DIFFERS the view also joins days, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: rows that a join drops are in no group
SELECT name FROM customers AS c WHERE EXISTS (SELECT 1 FROM web WHERE web.cust = c.id)
--@ kept: big SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; everything JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of web ON cust = id, which the view lacks: add the join to the view; web_by_quarter JOIN_DIFFERS the view also joins days, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; everything COLUMN_NOT_IN_VIEW cust

--@ case: some of the rows
SELECT name FROM customers WHERE id IN (SELECT cust FROM store ORDER BY day DESC, cust LIMIT 1)
--@ kept: by_cust UNSUPPORTED the subquery on store has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; by_score UNSUPPORTED the subquery on store has the clause LIMIT, which is not supported in IN and EXISTS: remove this clause, if the subquery's rows do not depend on it; by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a name around that would mean the view
SELECT name FROM customers AS v WHERE EXISTS (SELECT 1 FROM store WHERE cust = v.id)
--@ kept: by_cust JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id, which the view lacks: add the join to the view; by_score JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id, which the view lacks: add the join to the view; by_cust SHAPE in the correlated subquery, the outer table's alias v could mean a column of the view or of a table joined to the view: give the outer table another alias; by_score COLUMN_NOT_IN_VIEW cust

--@ case: a name around that would mean a column of the view
SELECT total.name FROM customers AS total WHERE EXISTS (SELECT 1 FROM store WHERE cust = total.id)
--@ kept: by_cust JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id, which the view lacks: add the join to the view; by_score JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON cust = id, which the view lacks: add the join to the view; by_cust SHAPE in the correlated subquery, the outer table's alias total could mean a column of the view or of a table joined to the view: give the outer table another alias; by_score COLUMN_NOT_IN_VIEW cust

--@ case: outside of WHERE
SELECT name, CASE WHEN EXISTS (SELECT 1 FROM store WHERE cust = c.id) THEN 1 ELSE 0 END AS buys FROM customers AS c
--@ rewritten using by_cust
SELECT name, CASE WHEN EXISTS (SELECT 1 FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` = c.id) THEN 1 ELSE 0 END AS buys FROM customers VERSION AS OF 1000 AS c

--@ case: rows that are counted
SELECT name FROM customers AS c WHERE (SELECT count(item) FROM store WHERE cust = c.id AND amount > 1) > 1
--@ kept: by_cust UNSUPPORTED the subquery on store refers to c.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_score UNSUPPORTED the subquery on store refers to c.id, a column of the outer query, which is supported only with EXISTS or IN in WHERE: write the subquery as a join; by_cust COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW cust

--@ case: the same text as rows
SELECT cust FROM store WHERE day > DATE '2024-01-01'
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score COLUMN_NOT_IN_VIEW day

--@ case: the same text as rows, and asked by IN
SELECT q.cust FROM (SELECT cust FROM store WHERE day > DATE '2024-01-01') AS q WHERE q.cust IN (SELECT cust FROM store WHERE day > DATE '2024-01-01')
--@ kept: by_cust JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON store.cust = store.cust AND day > CAST('2024-01-01' AS DATE), which the view lacks: add the join to the view; by_score JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of store ON store.cust = store.cust AND day > CAST('2024-01-01' AS DATE), which the view lacks: add the join to the view; by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score COLUMN_NOT_IN_VIEW day
