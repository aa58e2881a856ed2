-- Views in queries, and in the definitions of views: each stands for its query, whoever names it.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, day DATE, amount INT, price DECIMAL(10,2));
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', DATE '2024-01-01', 10, 1.50), (2, 'eu', DATE '2024-01-01', NULL, 2.25), (3, NULL, DATE '2024-01-02', 7, NULL), (4, 'us', NULL, 3, 9.99), (4, 'us', NULL, 3, 9.99), (5, 'us', DATE '2024-02-01', -3, 0.01);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('xx', NULL)
--@ plain known
SELECT id, region AS r, day, amount FROM sales WHERE region IS NOT NULL
--@ plain labelled
SELECT k.r, k.amount, n.label FROM known k JOIN names n ON n.region = k.r
--@ plain everything
SELECT * FROM sales -- all of it
--@ plain totals
SELECT region, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region
--@ view by_day
SELECT region, day, sum(amount) AS total, count(*) AS cnt, count(amount) AS amounts FROM sales GROUP BY region, day
--@ view over_known
SELECT r, sum(amount) AS total, min(day) AS first_day FROM known GROUP BY r
--@ view priced
SELECT id, region, price FROM sales WHERE price > 1
--@ view by_label
SELECT label, sum(amount) AS total FROM labelled GROUP BY label
--@ view big_totals
SELECT cnt, sum(total) AS of_all FROM totals GROUP BY cnt
--@ view by_region
SELECT region, sum(total) AS total, sum(cnt) AS cnt FROM by_day GROUP BY region
--@ view dear
SELECT region, max(price) AS top FROM priced GROUP BY region

--@ case: a query over a plain view from a view over the table
SELECT r, count(*) FROM known WHERE day = DATE '2024-01-01' GROUP BY r
--@ rewritten using by_day
SELECT v.`region` AS r, v.`cnt` FROM lake.demo.by_day__storage AS v WHERE NOT (v.`region` IS NULL) AND v.`day` = CAST('2024-01-01' AS DATE)

--@ case: a query over the table from a view over a plain view
SELECT region, min(day) FROM sales WHERE region IS NOT NULL GROUP BY region
--@ rewritten using over_known
SELECT v.`r` AS region, v.`first_day` FROM lake.demo.over_known__storage AS v

--@ case: of all rows, a view that leaves some out
SELECT region, min(day) FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, min(v.`day`) FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a view over a view, joined
SELECT l.label, sum(l.amount) AS s FROM labelled AS l WHERE l.label = 'Europe' GROUP BY l.label
--@ rewritten using by_label
SELECT v.`label` AS label, v.`total` AS s FROM lake.demo.by_label__storage AS v WHERE v.`label` = 'Europe'

--@ case: the same from its tables
SELECT n.label, sum(s.amount) FROM names n, sales s WHERE s.region = n.region GROUP BY n.label
--@ rewritten using by_label
SELECT v.`label` AS label, v.`total` FROM lake.demo.by_label__storage AS v

--@ case: all columns of a view of all columns
SELECT e.region, sum(e.amount) FROM everything e GROUP BY e.region
--@ rewritten using by_region
SELECT v.`region` AS region, v.`total` FROM lake.demo.by_region__storage AS v

--@ case: generated names
SELECT sum(amount), count(day) + 1 FROM everything WHERE region = 'us'
--@ rewritten using by_day
SELECT sum(v.`total`), coalesce(sum(CASE WHEN v.`day` IS NULL THEN 0 ELSE v.`cnt` END), 0) + 1 FROM lake.demo.by_day__storage AS v WHERE v.`region` = 'us'

--@ case: a plain view that groups
SELECT total FROM totals WHERE region = 'eu'
--@ rewritten using by_region
SELECT v.`total` AS total FROM lake.demo.by_region__storage AS v WHERE v.`region` = 'eu'

--@ case: groups of its groups
SELECT cnt, sum(total) FROM totals GROUP BY cnt
--@ rewritten using big_totals
SELECT v.`cnt` AS cnt, v.`of_all` FROM lake.demo.big_totals__storage AS v

--@ case: a plain view beside its table
SELECT s.id FROM priced s WHERE s.region IN (SELECT r FROM known)
--@ rewritten using priced, by_day
SELECT v.`id` AS id FROM lake.demo.priced__storage VERSION AS OF 2002 AS v LEFT SEMI JOIN lake.demo.by_day__storage VERSION AS OF 2000 AS t0 ON v.region = t0.`region` AND NOT (t0.`region` IS NULL)

--@ case: a common table expression that hides a plain view
WITH known AS (SELECT region AS r, amount FROM sales WHERE id > 3) SELECT r, sum(amount) FROM known GROUP BY r
--@ kept: big_totals SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; by_day COLUMN_NOT_IN_VIEW id; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_region SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; dear VIEW_FILTERS_MORE price > 1; over_known VIEW_FILTERS_MORE NOT region IS NULL; priced VIEW_FILTERS_MORE price > 1; big_totals COLUMN_NOT_IN_VIEW id; by_region COLUMN_NOT_IN_VIEW id

--@ case: a common table expression over a plain view
WITH k AS (SELECT r, amount FROM known) SELECT r, sum(amount) FROM k GROUP BY r
--@ rewritten using by_region
WITH k AS (SELECT r, amount FROM (SELECT id, region AS r, day, amount FROM lake.demo.sales VERSION AS OF 1000 WHERE region IS NOT NULL) AS known) SELECT v.`region` AS r, v.`total` FROM lake.demo.by_region__storage VERSION AS OF 2005 AS v WHERE NOT (v.`region` IS NULL)

--@ case: two views in one statement
SELECT r, sum(amount) FROM known GROUP BY r UNION ALL SELECT label, sum(amount) FROM labelled GROUP BY label
--@ rewritten using by_region, by_label
SELECT v.`region` AS r, v.`total` FROM lake.demo.by_region__storage VERSION AS OF 2005 AS v WHERE NOT (v.`region` IS NULL) UNION ALL SELECT v.`label` AS label, v.`total` FROM lake.demo.by_label__storage VERSION AS OF 2003 AS v

--@ case: time travel on a view is an error of Spark's own
SELECT r, sum(amount) FROM known VERSION AS OF 1 GROUP BY r
--@ kept: over_known UNSUPPORTED known VERSION AS OF 1 in FROM reads an earlier state: views answer time travel only if each table of the statement has VERSION AS OF or TIMESTAMP AS OF with a literal that names a state of the table, the same one wherever the table is named; known UNSUPPORTED known VERSION AS OF 1 has more than an alias after the view's name, which is not supported: write only the name and the alias

--@ case: a materialized view from one over it
SELECT region, sum(cnt) FROM by_day GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, v.`cnt` FROM lake.demo.by_region__storage AS v

--@ case: a query over a table from a view over a view of its groups
SELECT region, sum(amount), count(*) FROM sales WHERE region <> 'us' GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, v.`total`, v.`cnt` FROM lake.demo.by_region__storage AS v WHERE v.`region` <> 'us'

--@ case: one that only the finer view can answer
SELECT region, count(amount) FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`amounts`), 0) FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a query over a table from a view over a view of its rows
SELECT region, max(price) FROM sales WHERE price > 1 GROUP BY region
--@ rewritten using dear
SELECT v.`region` AS region, v.`top` FROM lake.demo.dear__storage AS v

--@ case: rows of a materialized view, by its name
SELECT p.id, p.price FROM priced p WHERE p.region = 'eu'
--@ rewritten using priced
SELECT v.`id` AS id, v.`price` AS price FROM lake.demo.priced__storage AS v WHERE v.`region` = 'eu'
