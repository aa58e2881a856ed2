-- Derived tables and common table expressions that group, take some rows or combine queries are tables beside a view.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, item INT, amount INT, price DECIMAL(10,2));
CREATE TABLE goals (region STRING, year INT, goal INT)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1, 10, 1.50), (2, 'eu', 2, NULL, 2.25), (3, NULL, 2, 7, NULL), (4, 'us', 1, 3, 9.99), (4, 'us', 1, 3, 9.99), (5, 'as', NULL, 0, 0.00);
INSERT INTO goals VALUES ('eu', 2023, 5), ('eu', 2024, 8), ('us', 2024, NULL), ('us', 2024, 2), (NULL, 2024, 3), ('xx', 2024, 1)
--@ view by_region
SELECT region, item, sum(amount) AS total, count(amount) AS amounts, count(*) AS cnt, sum(price) AS priced FROM sales GROUP BY region, item

--@ case: a grouped derived table
SELECT s.region, sum(s.amount), max(g.goal) FROM sales AS s JOIN (SELECT region, max(goal) AS goal FROM goals GROUP BY region) AS g ON s.region = g.region GROUP BY s.region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`), max(g_0.goal) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region, max(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) AS g_0 WHERE v.`region` = g_0.region GROUP BY v.`region`

--@ case: a row of the derived table for each goal counts the sales once for each
SELECT s.region, sum(s.amount), count(*), sum(g.goal) FROM sales AS s JOIN (SELECT region, year, sum(goal) AS goal FROM goals GROUP BY region, year) AS g ON s.region = g.region GROUP BY s.region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`), coalesce(sum(v.`cnt`), 0), sum(CAST(g_0.goal AS BIGINT) * v.`cnt`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region, year, sum(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region, year) AS g_0 WHERE v.`region` = g_0.region GROUP BY v.`region`

--@ case: a grouped common table expression
WITH best AS (SELECT region, max(goal) AS goal FROM goals GROUP BY region) SELECT s.item, sum(s.price) FROM sales AS s, best AS b WHERE s.region = b.region AND b.goal > 2 GROUP BY s.item
--@ rewritten using by_region
WITH best AS (SELECT region, max(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) SELECT v.`item` AS item, CAST(sum(v.`priced`) AS DECIMAL(20, 2)) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, best AS b_0 WHERE v.`region` = b_0.region AND b_0.goal > 2 GROUP BY v.`item`

--@ case: one that is read twice
WITH best AS (SELECT region, max(goal) AS goal FROM goals GROUP BY region) SELECT s.item, count(*) FROM sales AS s JOIN best AS b ON s.region = b.region JOIN best AS c ON c.goal = b.goal GROUP BY s.item
--@ rewritten using by_region
WITH best AS (SELECT region, max(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) SELECT v.`item` AS item, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, best AS b_0, best AS c_0 WHERE v.`region` = b_0.region AND c_0.goal = b_0.goal GROUP BY v.`item`

--@ case: a set operation
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT region FROM goals WHERE goal > 2 INTERSECT SELECT region FROM goals WHERE year = 2024) AS g ON g.region = s.region GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region FROM goals VERSION AS OF 1001 WHERE goal > 2 INTERSECT SELECT region FROM goals VERSION AS OF 1001 WHERE year = 2024) AS g_0 WHERE g_0.region = v.`region` GROUP BY v.`item`

--@ case: a union keeps its duplicates
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT region FROM goals WHERE goal > 2 UNION ALL SELECT region FROM goals WHERE year = 2024) AS g ON g.region = s.region GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region FROM goals VERSION AS OF 1001 WHERE goal > 2 UNION ALL SELECT region FROM goals VERSION AS OF 1001 WHERE year = 2024) AS g_0 WHERE g_0.region = v.`region` GROUP BY v.`item`

--@ case: distinct rows
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT DISTINCT region FROM goals) AS g ON g.region = s.region GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT DISTINCT region FROM goals VERSION AS OF 1001) AS g_0 WHERE g_0.region = v.`region` GROUP BY v.`item`

--@ case: some of its rows
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT region FROM goals ORDER BY year, goal, region LIMIT 2) AS g ON g.region = s.region GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region FROM goals VERSION AS OF 1001 ORDER BY year, goal, region LIMIT 2) AS g_0 WHERE g_0.region = v.`region` GROUP BY v.`item`

--@ case: window functions
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT region, row_number() OVER (PARTITION BY region ORDER BY year, goal) AS n FROM goals) AS g ON g.region = s.region WHERE g.n = 1 GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region, row_number() OVER (PARTITION BY region ORDER BY year, goal) AS n FROM goals VERSION AS OF 1001) AS g_0 WHERE g_0.region = v.`region` AND g_0.n = 1 GROUP BY v.`item`

--@ case: an outer join of a derived table that computes
SELECT g.goal, sum(s.amount), count(*) FROM sales AS s LEFT JOIN (SELECT region, coalesce(goal, 0) AS goal FROM goals) AS g ON g.region = s.region GROUP BY g.goal
--@ rewritten using by_region
SELECT g_0.goal AS goal, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT JOIN (SELECT region, coalesce(goal, 0) AS goal FROM goals VERSION AS OF 1001) AS g_0 ON g_0.region = v.`region` GROUP BY g_0.goal

--@ case: IN a grouped query
SELECT item, sum(amount) FROM sales WHERE region IN (SELECT region FROM (SELECT region, sum(goal) AS goal FROM goals GROUP BY region) AS g WHERE goal > 2) GROUP BY item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN (SELECT region, sum(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) AS g_0 ON v.`region` = g_0.region AND g_0.goal > 2 GROUP BY v.`item`

--@ case: NOT EXISTS in a common table expression
WITH best AS (SELECT region, max(goal) AS goal FROM goals GROUP BY region) SELECT item, sum(amount) FROM sales AS s WHERE NOT EXISTS (SELECT 1 FROM best AS b WHERE b.region = s.region AND b.goal > 5) GROUP BY item
--@ rewritten using by_region
WITH best AS (SELECT region, max(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT ANTI JOIN best AS b_0 ON b_0.region = v.`region` AND b_0.goal > 5 GROUP BY v.`item`

--@ case: a view answers within the derived table, too
SELECT g.goal, sum(s.amount) FROM sales AS s JOIN (SELECT region, sum(amount) AS goal FROM sales GROUP BY region) AS g ON g.region = s.region GROUP BY g.goal
--@ rewritten using by_region
SELECT g_0.goal AS goal, sum(v.`total`) FROM lake.demo.by_region__storage AS v, (SELECT v.`region` AS region, sum(v.`total`) AS goal FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS g_0 WHERE g_0.region = v.`region` GROUP BY g_0.goal

--@ case: the same text twice
SELECT s.item, count(*) FROM sales AS s JOIN (SELECT region, count(*) AS n FROM sales GROUP BY region) AS g ON g.region = s.region JOIN (SELECT region, count(*) AS n FROM sales GROUP BY region) AS h ON h.n = g.n GROUP BY s.item
--@ rewritten using by_region
SELECT v.`item` AS item, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage AS v, (SELECT v.`region` AS region, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS g_0, (SELECT v.`region` AS region, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS h_0 WHERE g_0.region = v.`region` AND h_0.n = g_0.n GROUP BY v.`item`

--@ case: an output with a generated name
SELECT s.region, sum(s.amount) FROM sales AS s JOIN (SELECT region, max(goal) FROM goals GROUP BY region) AS g ON s.region = g.region GROUP BY s.region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, (SELECT region, max(goal) FROM goals VERSION AS OF 1001 GROUP BY region) AS g_0 WHERE v.`region` = g_0.region GROUP BY v.`region`

--@ case: two columns of one name
SELECT s.region, sum(s.amount) FROM sales AS s JOIN (SELECT region, max(goal) AS region FROM goals GROUP BY region) AS g ON s.item = 1 GROUP BY s.region
--@ kept: UNSUPPORTED g has two columns named region: give each column another name

--@ case: branches of different types
SELECT s.item, sum(s.amount) FROM sales AS s JOIN (SELECT goal FROM goals UNION ALL SELECT goal + 0.5 FROM goals) AS g ON g.goal = s.amount GROUP BY s.item
--@ kept: UNSUPPORTED the column goal of a set operation has the types decimal(12,1) and int in its branches: cast the column to the same type in each branch

--@ case: not a column that the view lacks
SELECT s.id, max(g.goal) FROM sales AS s JOIN (SELECT region, max(goal) AS goal FROM goals GROUP BY region) AS g ON s.region = g.region GROUP BY s.id
--@ kept: GROUPING_TOO_COARSE id

--@ case: one that is random
SELECT s.region, sum(s.amount) FROM sales AS s JOIN (SELECT region, max(goal + rand()) AS goal FROM goals GROUP BY region) AS g ON s.region = g.region GROUP BY s.region
--@ kept: UNSUPPORTED the function rand() is not supported: read the tables in a subquery, which a view can answer, and call rand() only in the SELECT around the subquery

--@ case: a subquery in a common table expression that is merged
WITH some AS (SELECT region, goal FROM goals WHERE goal > (SELECT min(goal) FROM goals)) SELECT s.item, sum(s.amount), max(g.goal) FROM sales AS s JOIN some AS g ON g.region = s.region GROUP BY s.item
--@ rewritten using by_region
WITH some AS (SELECT region, goal FROM goals VERSION AS OF 1001 WHERE goal > (SELECT min(goal) FROM goals VERSION AS OF 1001)) SELECT v.`item` AS item, sum(v.`total`), max(goals_0.goal) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.goals VERSION AS OF 1001 AS goals_0 WHERE goals_0.goal > (SELECT min(goal) FROM goals VERSION AS OF 1001) AND goals_0.region = v.`region` GROUP BY v.`item`

--@ case: a text that a common table expression between tells apart
WITH a AS (SELECT region FROM goals WHERE goal > (SELECT min(goal) FROM goals)), goals AS (SELECT 'eu' AS region, 1 AS goal) SELECT s.item, sum(s.amount) FROM sales AS s JOIN a ON a.region = s.region WHERE s.region IN (SELECT region FROM goals WHERE goal > (SELECT min(goal) FROM goals)) GROUP BY s.item
--@ kept: UNSUPPORTED the subquery SELECT MIN(goal) FROM goals reads the table goals, and a CTE has the same name: rename the CTE

--@ case: the same subquery in two common table expressions
WITH a AS (SELECT item, sum(amount) AS s FROM sales WHERE region IN (SELECT region FROM goals WHERE goal > (SELECT min(goal) FROM goals)) GROUP BY item), b AS (SELECT item, count(*) AS n FROM sales WHERE region IN (SELECT region FROM goals WHERE goal > (SELECT min(goal) FROM goals)) GROUP BY item) SELECT a.item, s, n FROM a JOIN b ON a.item = b.item
--@ rewritten using by_region
WITH a AS (SELECT v.`item` AS item, sum(v.`total`) AS s FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE (v.`region` IN (SELECT region FROM goals VERSION AS OF 1001 WHERE goal > (SELECT min(goal) FROM goals VERSION AS OF 1001))) GROUP BY v.`item`), b AS (SELECT v.`item` AS item, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE (v.`region` IN (SELECT region FROM goals VERSION AS OF 1001 WHERE goal > (SELECT min(goal) FROM goals VERSION AS OF 1001))) GROUP BY v.`item`) SELECT a.item, s, n FROM a JOIN b ON a.item = b.item

--@ case: a set operation that WITH names
WITH known AS (SELECT region FROM goals WHERE year = 2023 UNION SELECT region FROM goals WHERE goal > 2) SELECT s.region, sum(s.amount) FROM sales AS s JOIN known ON s.region = known.region GROUP BY s.region
--@ rewritten using by_region
WITH known AS (SELECT region FROM goals VERSION AS OF 1001 WHERE year = 2023 UNION SELECT region FROM goals VERSION AS OF 1001 WHERE goal > 2) SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, known AS known_0 WHERE v.`region` = known_0.region GROUP BY v.`region`

--@ case: a set operation that WITH names, in IN
WITH known AS (SELECT region FROM goals WHERE year = 2024 EXCEPT SELECT region FROM goals WHERE goal > 5) SELECT region, sum(amount) FROM sales WHERE region IN (SELECT region FROM known) GROUP BY region
--@ rewritten using by_region
WITH known AS (SELECT region FROM goals VERSION AS OF 1001 WHERE year = 2024 EXCEPT SELECT region FROM goals VERSION AS OF 1001 WHERE goal > 5) SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN known AS known_0 ON v.`region` = known_0.region GROUP BY v.`region`

--@ case: IN a join of a table and a grouped one
SELECT item, sum(amount) FROM sales WHERE region IN (SELECT n.region FROM goals AS n JOIN (SELECT region, max(goal) AS goal FROM goals GROUP BY region) AS g ON g.region = n.region WHERE n.year = 2024 AND g.goal > 2) GROUP BY item
--@ rewritten using by_region
SELECT v.`item` AS item, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN (lake.demo.goals VERSION AS OF 1001 AS goals_0 CROSS JOIN (SELECT region, max(goal) AS goal FROM goals VERSION AS OF 1001 GROUP BY region) AS g_0) ON v.`region` = goals_0.region AND g_0.region = goals_0.region AND goals_0.year = 2024 AND g_0.goal > 2 GROUP BY v.`item`
