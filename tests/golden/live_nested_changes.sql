-- Live answers from views over views after rows of the base tables were deleted and replaced.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, day DATE, amount INT, price DECIMAL(10,2));
CREATE TABLE names (region STRING, label STRING);
--@ rows
INSERT INTO sales VALUES (1, 'eu', DATE '2024-01-01', 10, 1.50), (2, 'eu', DATE '2024-01-01', NULL, 2.25), (3, NULL, DATE '2024-01-02', 7, NULL), (4, 'us', NULL, 3, 9.99), (4, 'us', NULL, 3, 9.99), (5, 'uk', DATE '2024-02-01', -3, 0.01), (6, 'za', DATE '2024-02-02', NULL, 5.00);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('eu', 'Old World'), ('uk', 'Kingdom');
--@ appended
DELETE FROM sales WHERE region = 'uk' OR id = 1;
UPDATE sales SET price = NULL, amount = NULL WHERE id = 4;
UPDATE sales SET region = 'eu', amount = 6 WHERE id = 6;
INSERT INTO sales VALUES (7, 'as', DATE '2024-03-01', 70, 7.00), (7, 'as', DATE '2024-03-01', 70, 7.00), (8, NULL, NULL, -9, -9.00);
INSERT INTO names VALUES ('as', 'Asia');
--@ plain days
SELECT region, day, sum(amount) AS total, count(amount) AS amounts, count(*) AS cnt, sum(price) AS revenue, count(price) AS prices, max(price) AS top FROM sales GROUP BY region, day
--@ view by_region
SELECT region, sum(total) AS total, sum(amounts) AS amounts, sum(cnt) AS cnt, sum(revenue) AS revenue, sum(prices) AS prices, max(top) AS top FROM days GROUP BY region
--@ view by_label
SELECT n.label, sum(d.total) AS total, sum(d.amounts) AS amounts, sum(d.cnt) AS cnt FROM days d JOIN names n ON n.region = d.region GROUP BY n.label
--@ view uncounted
SELECT day, sum(total) AS total FROM days GROUP BY day

--@ case: sums and counts of groups of groups
SELECT region, sum(amount), count(amount), count(*) FROM sales GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1`, v.`c2`, v.`c3` FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`amounts` AS c2, v.`cnt` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c1, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: a sum of DECIMAL sums
SELECT region, sum(price) FROM sales GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE CAST(sum(v.`c1`) AS DECIMAL(20, 2)) END AS decimal(20,2)) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, CAST(CAST(v.`revenue` AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1, v.`cnt` AS c2, v.`prices` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.price ELSE -sales_0.price END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN sales_0.price IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: an average of the rows of one region
SELECT avg(amount) FROM sales WHERE region = 'eu'
--@ rewritten using by_region
SELECT CAST(v.`c0` AS DOUBLE) / CAST(nullif(v.`c1`, 0) AS DOUBLE) FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c1`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' UNION ALL SELECT sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c0, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c1 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.region = 'eu') AS v) AS v

--@ case: the view by its name
SELECT region, total, cnt FROM by_region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS total, v.`c2` AS cnt FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`cnt` AS c2, v.`amounts` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: the view below by its name
SELECT region, sum(revenue), sum(cnt) FROM days GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1`, v.`c2` FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE CAST(sum(v.`c1`) AS DECIMAL(30, 2)) END AS decimal(30,2)) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`revenue` AS c1, v.`cnt` AS c2, v.`prices` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN CAST(sales_0.price AS DECIMAL(20, 2)) ELSE -CAST(sales_0.price AS DECIMAL(20, 2)) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN CAST(sales_0.price AS DECIMAL(20, 2)) IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: groups of groups, joined with a table that has grown
SELECT label, total FROM by_label
--@ rewritten using by_region
SELECT v.`c0` AS label, v.`c1` AS total FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: a maximum may have been deleted
SELECT region, top FROM by_region
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: these rows cannot be combined with the view, because the query names a view in FROM, and cannot be answered over the definition of that view either; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; uncounted TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; uncounted GROUPING_TOO_COARSE region; uncounted GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a sum without the count of its values
SELECT day, total FROM uncounted
--@ kept: uncounted STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: these rows cannot be combined with the view, because the query names a view in FROM, and cannot be answered over the definition of that view either; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_region TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_region GROUPING_TOO_COARSE day; by_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY
