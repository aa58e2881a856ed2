-- Derived tables and common table expressions that only select, filter and join are one block with what is around them.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT, price DECIMAL(10,2), ts TIMESTAMP);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 10, 1.50, TIMESTAMP '2024-01-01 10:20:30'), (2, 'eu', NULL, 2.25, TIMESTAMP '2024-01-01 11:00:00'), (3, NULL, 7, NULL, NULL), (4, 'us', 3, 9.99, TIMESTAMP '2024-02-01 00:00:00'), (4, 'us', 3, 9.99, TIMESTAMP '2024-02-01 00:00:00');
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('xx', NULL)
--@ view by_region
SELECT region, date_trunc('DAY', ts) AS day, sum(amount) AS total, count(*) AS cnt, sum(price) AS priced, count(amount) AS amounts FROM sales GROUP BY region, date_trunc('DAY', ts)
--@ view over_derived
WITH x AS (SELECT region AS r, price AS p, id FROM sales WHERE id > 2) SELECT y.r, max(y.p) AS top FROM (SELECT r, p FROM x WHERE p > 0) AS y GROUP BY y.r
--@ view detail
SELECT id, region, amount FROM sales WHERE amount IS NOT NULL

--@ case: all columns behind a name, as tools send it
SELECT custom.region AS region, sum(custom.amount) AS s FROM (SELECT * FROM sales) AS custom GROUP BY custom.region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: renamed and filtered inside
SELECT r, count(*) FROM (SELECT region AS r, amount AS a FROM sales WHERE region = 'eu') AS x WHERE a > 2 GROUP BY r
--@ rewritten using detail
SELECT v.`region` AS r, count(*) FROM lake.demo.detail__storage AS v WHERE v.`region` = 'eu' AND v.`amount` > 2 GROUP BY v.`region`

--@ case: computed inside
SELECT big, count(*) FROM (SELECT amount + 1 AS big FROM sales WHERE amount > 0) x WHERE big > 4 GROUP BY big
--@ rewritten using detail
SELECT v.`amount` + 1 AS big, count(*) FROM lake.demo.detail__storage AS v WHERE v.`amount` > 0 AND (v.`amount` + 1) > 4 GROUP BY v.`amount` + 1

--@ case: two deep
SELECT sum(amount) FROM (SELECT * FROM (SELECT amount, region FROM sales) WHERE region <> 'us') WHERE region IS NOT NULL
--@ rewritten using by_region
SELECT sum(v.`total`) FROM lake.demo.by_region__storage AS v WHERE v.`region` <> 'us' AND NOT (v.`region` IS NULL)

--@ case: a common table expression
WITH x AS (SELECT region, amount FROM sales) SELECT region, sum(amount) FROM x GROUP BY region
--@ rewritten using by_region
WITH x AS (SELECT region, amount FROM sales VERSION AS OF 1000) SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`

--@ case: one over another
WITH x AS (SELECT * FROM sales), y AS (SELECT region AS r, amount FROM x WHERE region = 'us') SELECT r, sum(amount), count(*) FROM y GROUP BY r
--@ rewritten using by_region
WITH x AS (SELECT * FROM sales VERSION AS OF 1000), y AS (SELECT region AS r, amount FROM x WHERE region = 'us') SELECT v.`region` AS r, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'us' GROUP BY v.`region`

--@ case: a name that hides a table
WITH sales AS (SELECT region, 1 AS amount FROM names) SELECT region, sum(amount) FROM sales GROUP BY region
--@ kept: NO_VIEW

--@ case: a name that is defined behind the place where it is used means the table
WITH x AS (SELECT region, label FROM names), names AS (SELECT region, region AS label FROM sales) SELECT label, count(*) FROM x GROUP BY label
--@ kept: by_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; detail VIEW_FILTERS_MORE NOT amount IS NULL; over_derived VIEW_FILTERS_MORE id > 2

--@ case: joined, grouped around
SELECT n.label, sum(s.amount) FROM (SELECT region AS r, amount FROM sales) AS s JOIN names AS n ON n.region = s.r GROUP BY n.label
--@ rewritten using by_region
SELECT names_0.label AS label, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label

--@ case: an outer join of a filtered table
SELECT n.label, count(*) FROM sales AS s LEFT JOIN (SELECT * FROM names WHERE label IS NOT NULL) AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using by_region
SELECT names_0.label AS label, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.names VERSION AS OF 1001 AS names_0 ON NOT (names_0.label IS NULL) AND names_0.region = v.`region` GROUP BY names_0.label

--@ case: an outer join of a table with a computed column is left alone
SELECT n.label, count(*) FROM sales AS s LEFT JOIN (SELECT region, coalesce(label, '?') AS label FROM names) AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using by_region
SELECT n_0.label AS label, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT JOIN (SELECT region, coalesce(label, '?') AS label FROM names VERSION AS OF 1001) AS n_0 ON n_0.region = v.`region` GROUP BY n_0.label

--@ case: groups inside are a block of their own
SELECT max(s) FROM (SELECT region, sum(amount) AS s FROM sales GROUP BY region) AS x
--@ rewritten using by_region
SELECT max(s) FROM (SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS x

--@ case: some rows inside are a block of their own
SELECT sum(amount) FROM (SELECT id, amount FROM sales WHERE amount IS NOT NULL ORDER BY id LIMIT 2) AS x
--@ rewritten using detail
SELECT sum(amount) FROM (SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.detail__storage AS v ORDER BY 1 ASC NULLS FIRST LIMIT 2) AS x

--@ case: names given to the columns
SELECT r, sum(a) FROM (SELECT region, amount FROM sales) AS x(r, a) GROUP BY r
--@ rewritten using by_region
SELECT v.`region` AS r, sum(v.`total`) FROM lake.demo.by_region__storage AS v GROUP BY v.`region`

--@ case: a common table expression that is used twice
WITH x AS (SELECT region, amount FROM sales WHERE region = 'eu') SELECT sum(amount) FROM x UNION ALL SELECT count(*) FROM x
--@ rewritten using by_region
WITH x AS (SELECT region, amount FROM sales VERSION AS OF 1000 WHERE region = 'eu') SELECT sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' UNION ALL SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu'

--@ case: a view over derived tables is one block, too
SELECT region, max(price) FROM sales WHERE id > 2 AND price > 0 GROUP BY region
--@ rewritten using over_derived
SELECT v.`r` AS region, v.`top` FROM lake.demo.over_derived__storage AS v

--@ case: a derived table with its own WITH, as tools wrap a user's query
SELECT region, sum(amount) AS total FROM (WITH x AS (SELECT * FROM sales), y AS (SELECT region, amount FROM x WHERE region <> 'us') SELECT * FROM y) AS virtual_table GROUP BY region ORDER BY total DESC LIMIT 100
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) AS total FROM lake.demo.by_region__storage AS v WHERE v.`region` <> 'us' GROUP BY v.`region` ORDER BY 2 DESC NULLS LAST LIMIT 100

--@ case: a WITH within WITH, over a name of the outer one
WITH x AS (SELECT * FROM sales), z AS (WITH y AS (SELECT region AS r, amount FROM x) SELECT r, amount FROM y) SELECT r, sum(amount) FROM z GROUP BY r
--@ rewritten using by_region
WITH x AS (SELECT * FROM sales VERSION AS OF 1000), z AS (WITH y AS (SELECT region AS r, amount FROM x) SELECT r, amount FROM y) SELECT v.`region` AS r, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`

--@ case: groups behind a derived table's own WITH
SELECT region, total FROM (WITH x AS (SELECT region, sum(amount) AS total FROM sales GROUP BY region) SELECT * FROM x WHERE total > 3) AS virtual_table LIMIT 1000
--@ rewritten using by_region
SELECT region, total FROM (WITH x AS (SELECT v.`region` AS region, sum(v.`total`) AS total FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) SELECT * FROM x WHERE total > 3) AS virtual_table LIMIT 1000

--@ case: groups behind a derived table's own WITH, grouped again
SELECT count(*), sum(total) FROM (WITH x AS (SELECT region, sum(amount) AS total FROM sales GROUP BY region) SELECT x.total, n.label FROM x JOIN names AS n ON n.region = x.region) AS virtual_table
--@ rewritten using by_region
SELECT count(*), sum(total) FROM (WITH x AS (SELECT v.`region` AS region, sum(v.`total`) AS total FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) SELECT x.total, n.label FROM x JOIN names VERSION AS OF 1001 AS n ON n.region = x.region) AS virtual_table

--@ case: a name of a derived table's own WITH means the table outside of it
SELECT n.label, sum(x.amount) FROM (WITH names AS (SELECT region, amount FROM sales) SELECT * FROM names) AS x JOIN names AS n ON n.region = x.region GROUP BY n.label
--@ rewritten using by_region
SELECT names_0.label AS label, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label

--@ case: two derived tables that use one name in their WITH
SELECT x.region, sum(x.amount) FROM (WITH q AS (SELECT region, amount FROM sales) SELECT * FROM q) AS x JOIN (WITH q AS (SELECT region FROM names) SELECT * FROM q) AS n ON n.region = x.region GROUP BY x.region
--@ kept: by_region UNSUPPORTED the WITH clause of the derived table x defines a name that another WITH clause also defines: rename the CTE; detail UNSUPPORTED the WITH clause of the derived table x defines a name that another WITH clause also defines: rename the CTE; over_derived UNSUPPORTED the WITH clause of the derived table x defines a name that another WITH clause also defines: rename the CTE; by_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; detail VIEW_FILTERS_MORE NOT amount IS NULL; over_derived VIEW_FILTERS_MORE id > 2

--@ case: a subquery with its own WITH
SELECT region, sum(amount) FROM sales WHERE region IN (WITH few AS (SELECT * FROM names) SELECT region FROM few WHERE label IS NOT NULL) GROUP BY region
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.names VERSION AS OF 1001 AS names_0 ON v.`region` = names_0.region AND NOT (names_0.label IS NULL) GROUP BY v.`region`

--@ case: a scalar subquery with its own WITH
SELECT region, sum(amount) FROM sales WHERE region = (WITH few AS (SELECT * FROM names) SELECT max(region) FROM few) GROUP BY region
--@ kept: by_region UNSUPPORTED the subquery SELECT MAX(region) FROM few has a WITH clause, which is not supported: move this WITH clause to the start of the statement; detail UNSUPPORTED the subquery SELECT MAX(region) FROM few has a WITH clause, which is not supported: move this WITH clause to the start of the statement; over_derived UNSUPPORTED the subquery SELECT MAX(region) FROM few has a WITH clause, which is not supported: move this WITH clause to the start of the statement

--@ case: a union in a derived table's own WITH
SELECT region, sum(amount) FROM (WITH u AS (SELECT region, amount FROM sales WHERE region = 'eu' UNION ALL SELECT region, amount FROM sales WHERE region = 'us') SELECT * FROM u) AS virtual_table GROUP BY region
--@ kept: by_region UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; detail UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; over_derived UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; detail VIEW_FILTERS_MORE NOT amount IS NULL; over_derived VIEW_FILTERS_MORE id > 2; by_region TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; detail TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; over_derived TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables

--@ case: a union behind a derived table's own WITH
SELECT region, sum(amount) FROM (WITH x AS (SELECT * FROM sales WHERE region IS NOT NULL) SELECT region, amount FROM x UNION ALL SELECT region, amount FROM sales) AS virtual_table GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage AS v WHERE NOT (v.`region` IS NULL) GROUP BY v.`region` UNION ALL SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage AS v GROUP BY v.`region`) AS v GROUP BY v.`c0`

--@ case: the greatest of distinct values
SELECT max(y.p) FROM (SELECT DISTINCT price AS p FROM sales WHERE id > 2 AND price > 0) AS y
--@ rewritten using over_derived
SELECT max(v.`top`) FROM lake.demo.over_derived__storage AS v
