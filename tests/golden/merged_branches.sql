-- UNION, INTERSECT and EXCEPT return each row once, however often a branch has it: groups answer their branches.
--@ schema
CREATE TABLE customers (id INT NOT NULL, name STRING, region STRING);
CREATE TABLE store (cust INT, day DATE, item INT NOT NULL, amount INT, score DOUBLE);
CREATE TABLE web (cust BIGINT, day DATE, item INT NOT NULL)
--@ rows
INSERT INTO customers VALUES (1, 'a', 'eu'), (2, 'b', 'eu'), (3, NULL, 'us'), (4, 'd', NULL), (5, 'e', 'us');
INSERT INTO store VALUES (1, DATE '2024-01-01', 7, 10, 0.5), (1, DATE '2024-01-01', 7, 10, 0.5), (2, DATE '2024-02-01', 8, NULL, -0.0D), (NULL, DATE '2024-01-01', 7, 3, 0.0), (3, NULL, 9, 1, NULL), (5, DATE '2024-05-01', 7, 100, 2), (2, DATE '2024-01-01', 7, 5, 0.0);
INSERT INTO web VALUES (1, DATE '2024-03-01', 7), (4, DATE '2024-01-02', 8), (4, DATE '2024-01-02', 8), (9, DATE '2024-01-02', 3), (NULL, NULL, 1), (NULL, NULL, 1)
--@ view by_cust
SELECT cust, day, count(*) AS n, sum(amount) AS total FROM store GROUP BY cust, day
--@ view web_by_cust
SELECT cust, count(*) AS n FROM web GROUP BY cust
--@ view by_score
SELECT score, count(*) AS n FROM store GROUP BY score
--@ view everything
SELECT max(item) AS most, count(*) AS n FROM web

--@ case: who bought in both months
SELECT cust FROM store WHERE day < DATE '2024-02-01' INTERSECT SELECT cust FROM store WHERE day >= DATE '2024-02-01'
--@ rewritten using by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage AS v WHERE v.`day` < CAST('2024-02-01' AS DATE) INTERSECT SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage AS v WHERE v.`day` >= CAST('2024-02-01' AS DATE)

--@ case: who came back no more
SELECT cust FROM store WHERE day < DATE '2024-02-01' EXCEPT SELECT cust FROM store WHERE day >= DATE '2024-02-01'
--@ rewritten using by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage AS v WHERE v.`day` < CAST('2024-02-01' AS DATE) EXCEPT SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage AS v WHERE v.`day` >= CAST('2024-02-01' AS DATE)

--@ case: MINUS
SELECT cust FROM store MINUS SELECT cust FROM web
--@ rewritten using by_cust, web_by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v MINUS SELECT v.`cust` AS cust FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v

--@ case: all buyers, of two types, in order
SELECT cust FROM store UNION DISTINCT SELECT cust FROM web ORDER BY 1
--@ rewritten using by_cust, web_by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v UNION DISTINCT SELECT v.`cust` AS cust FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v ORDER BY 1

--@ case: branches in parentheses
(SELECT cust, day FROM store) UNION ((SELECT cust, DATE '2024-01-01' FROM web)) ORDER BY 1, 2
--@ rewritten using by_cust, web_by_cust
(SELECT v.`cust` AS cust, v.`day` AS day FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v) UNION ((SELECT v.`cust` AS cust, CAST('2024-01-01' AS DATE) FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v)) ORDER BY 1, 2

--@ case: counted
SELECT count(*) AS n FROM (SELECT cust FROM store /* all */ INTERSECT SELECT cust FROM web) AS both
--@ rewritten using by_cust, web_by_cust
SELECT count(*) AS n FROM (SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v /* all */ INTERSECT SELECT v.`cust` AS cust FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v) AS both

--@ case: in a WITH and in IN
WITH b AS (SELECT cust FROM store UNION SELECT cust FROM web) SELECT name FROM customers WHERE id IN (SELECT cust FROM b)
--@ rewritten using by_cust, web_by_cust
WITH b AS (SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v UNION SELECT v.`cust` AS cust FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v) SELECT name FROM customers VERSION AS OF 1000 WHERE id IN (SELECT cust FROM b)

--@ case: three branches
SELECT cust FROM store UNION SELECT cust FROM web UNION SELECT id FROM customers
--@ rewritten using by_cust, web_by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v UNION SELECT v.`cust` AS cust FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v UNION SELECT id FROM customers VERSION AS OF 1000

--@ case: floating-point numbers, of which 0.0 and -0.0 are one
SELECT score FROM store UNION SELECT CAST(1 AS DOUBLE) FROM web
--@ rewritten using by_score, web_by_cust
SELECT v.`score` AS score FROM lake.demo.by_score__storage VERSION AS OF 2002 AS v UNION SELECT CAST(1 AS DOUBLE) FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v

--@ case: the first of three, of which the last is added
SELECT cust FROM store UNION SELECT cust FROM web UNION ALL SELECT cust FROM store
--@ rewritten using by_cust
SELECT v.`cust` AS cust FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v UNION SELECT cust FROM web VERSION AS OF 1002 UNION ALL SELECT cust FROM store VERSION AS OF 1001

--@ case: UNION ALL returns each row as often as it is there
SELECT cust FROM store UNION ALL SELECT cust FROM web
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; everything GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; web_by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: INTERSECT ALL
SELECT cust FROM store INTERSECT ALL SELECT cust FROM web
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; everything GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; web_by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: EXCEPT ALL with a comment
SELECT cust FROM store EXCEPT ALL -- of all
SELECT cust FROM web
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; everything GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; web_by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a derived table is no branch
SELECT count(*) AS n FROM (SELECT cust FROM store WHERE cust > 1) UNION SELECT id FROM customers
--@ rewritten using by_cust
SELECT coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v WHERE v.`cust` > 1 UNION SELECT id FROM customers VERSION AS OF 1000

--@ case: nor is one of which each row counts
SELECT row_number() OVER (ORDER BY cust) AS n FROM (SELECT cust FROM store) UNION SELECT id FROM customers
--@ kept: by_cust UNSUPPORTED ROW_NUMBER() OVER (ORDER BY cust ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets; by_score UNSUPPORTED ROW_NUMBER() OVER (ORDER BY cust ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets; by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: nor is a subquery
SELECT id FROM customers WHERE id > (SELECT count(*) FROM web) UNION SELECT n FROM (SELECT count(cust) AS n FROM store) UNION SELECT 1
--@ rewritten using everything, by_cust
SELECT id FROM customers VERSION AS OF 1000 WHERE id > (SELECT v.`n` FROM lake.demo.everything__storage VERSION AS OF 2003 AS v) UNION SELECT n FROM (SELECT coalesce(sum(CASE WHEN v.`cust` IS NULL THEN 0 ELSE v.`n` END), 0) AS n FROM lake.demo.by_cust__storage VERSION AS OF 2000 AS v) UNION SELECT 1

--@ case: a column that the groups lack
SELECT cust, item FROM store UNION SELECT cust, item FROM web
--@ kept: by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_score GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; everything GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; web_by_cust GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: rows of a branch that counts
SELECT cust, count(*) OVER (PARTITION BY cust) AS n FROM store UNION SELECT cust, 1 FROM web
--@ rewritten using web_by_cust
SELECT cust, count(*) OVER (PARTITION BY cust) AS n FROM store VERSION AS OF 1001 UNION SELECT v.`cust` AS cust, 1 FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v

--@ case: a row of the whole table is no row
SELECT 1 AS x FROM web INTERSECT SELECT 1 FROM customers
--@ rewritten using web_by_cust
SELECT 1 AS x FROM lake.demo.web_by_cust__storage VERSION AS OF 2001 AS v INTERSECT SELECT 1 FROM customers VERSION AS OF 1000
