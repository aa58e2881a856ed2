-- Storage of which some partitions are stale: the others are read from it, the rows of those from the tables.
--@ schema
CREATE TABLE sales (id INT, region STRING, day DATE, at TIMESTAMP_NTZ, qty INT, weight DOUBLE);
CREATE TABLE names (region STRING, label STRING);
--@ rows
INSERT INTO sales VALUES
  (1, 'eu', DATE '2023-12-31', TIMESTAMP_NTZ '2023-12-31 23:59:59', 1, 0.5),
  (2, 'eu', DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 00:00:00', 2, NULL),
  (3, 'us', DATE '2024-01-02', TIMESTAMP_NTZ '2024-02-01 10:00:00', 3, 1.5),
  (4, NULL, DATE '2024-01-03', TIMESTAMP_NTZ '2024-02-29 12:00:00', NULL, 2.5),
  (5, 'us', NULL, NULL, 5, 3.5),
  (5, 'us', NULL, NULL, 5, 3.5),
  (6, NULL, NULL, TIMESTAMP_NTZ '2024-03-01 00:00:00', 6, 4.5),
  (7, 'eu', DATE '2025-01-01', TIMESTAMP_NTZ '2022-03-01 00:00:00', 7, 5.5);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States');
--@ view by_day FRESH WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)
SELECT day, region, sum(qty) AS q, max(weight) AS top, count(DISTINCT id) AS ids FROM sales GROUP BY day, region
--@ view by_region FRESH WHERE (region < 'us') OR (region > 'us')
SELECT region, min(qty) AS low FROM sales GROUP BY region
--@ view labelled FRESH WHERE (day < DATE '2024-01-01') OR (day >= DATE '2024-02-01') OR (day IS NULL)
SELECT s.day, n.label, sum(s.qty) AS q FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY s.day, n.label
--@ view rows_of_day FRESH WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)
SELECT id, day, at FROM sales

--@ case: the stale partition comes from the table
SELECT region, sum(qty) AS q FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`c0` AS region, sum(v.`c1`) AS q FROM (SELECT v.`region` AS c0, CAST(sum(v.`q`) AS bigint) AS c1 FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage VERSION AS OF 2000 WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.qty) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE NOT (((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day > CAST('2024-01-01' AS DATE))) OR (sales_0.day IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: at the view's own grain, where a group lies in one branch
SELECT day, region, sum(qty) AS q, max(weight) AS top FROM sales GROUP BY day, region
--@ rewritten using by_day
SELECT v.`c0` AS day, v.`c1` AS region, sum(v.`c2`) AS q, max(v.`c3`) AS top FROM (SELECT v.`day` AS c0, v.`region` AS c1, v.`q` AS c2, v.`top` AS c3 FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage VERSION AS OF 2000 WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v UNION ALL SELECT sales_0.day AS c0, sales_0.region AS c1, sum(sales_0.qty) AS c2, max(sales_0.weight) AS c3 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE NOT (((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day > CAST('2024-01-01' AS DATE))) OR (sales_0.day IS NULL)) GROUP BY sales_0.day, sales_0.region) AS v GROUP BY v.`c0`, v.`c1`

--@ case: what the stale partition has no part in
SELECT region, sum(qty) AS q FROM sales WHERE day > DATE '2024-01-01' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`q`) AS q FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v WHERE v.`day` > CAST('2024-01-01' AS DATE) GROUP BY v.`region`

--@ case: the stale partition alone
SELECT region, sum(qty) AS q FROM sales WHERE day = DATE '2024-01-01' GROUP BY region
--@ kept: by_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL; by_region STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with region < 'us' OR region > 'us'; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows_of_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL

--@ case: a range around the stale partition
SELECT max(weight) AS top FROM sales WHERE day >= DATE '2023-06-01' AND day <= DATE '2024-01-02'
--@ rewritten using by_day
SELECT max(v.`c0`) AS top FROM (SELECT CAST(max(v.`top`) AS double) AS c0 FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage VERSION AS OF 2000 WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v WHERE v.`day` >= CAST('2023-06-01' AS DATE) AND v.`day` <= CAST('2024-01-02' AS DATE) UNION ALL SELECT max(sales_0.weight) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE NOT (((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day > CAST('2024-01-01' AS DATE))) OR (sales_0.day IS NULL))) AS v

--@ case: partitions without a value are fresh where the condition says so, and stale where it does not
SELECT min(qty) AS low FROM sales
--@ rewritten using by_region
SELECT min(v.`c0`) AS low FROM (SELECT CAST(min(v.`low`) AS int) AS c0 FROM (SELECT region, low, viewgate_rows_0 FROM lake.demo.by_region__storage VERSION AS OF 2001 WHERE (region < 'us') OR (region > 'us')) AS v UNION ALL SELECT min(sales_0.qty) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((NOT ((sales_0.region < 'us') OR (sales_0.region > 'us'))) OR (sales_0.region IS NULL))) AS v

--@ case: rows without a day
SELECT sum(qty) AS q FROM sales WHERE day IS NULL
--@ rewritten using by_day
SELECT sum(v.`q`) AS q FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v WHERE v.`day` IS NULL

--@ case: a join
SELECT n.label, sum(s.qty) AS q FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using labelled
SELECT v.`c0` AS label, sum(v.`c1`) AS q FROM (SELECT v.`label` AS c0, CAST(sum(v.`q`) AS bigint) AS c1 FROM (SELECT day, label, q, viewgate_rows_0, viewgate_count_1 FROM lake.demo.labelled__storage VERSION AS OF 2002 WHERE (day < DATE '2024-01-01') OR (day >= DATE '2024-02-01') OR (day IS NULL)) AS v GROUP BY v.`label` UNION ALL SELECT names_0.label AS c0, sum(sales_0.qty) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = sales_0.region AND NOT (((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day >= CAST('2024-02-01' AS DATE))) OR (sales_0.day IS NULL)) GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: distinct values are not put together from both
SELECT region, count(DISTINCT id) AS ids FROM sales GROUP BY region
--@ kept: by_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL; by_region STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with region < 'us' OR region > 'us'; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows_of_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL

--@ case: rows are not put together
SELECT id, at FROM sales
--@ kept: by_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL; by_region STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with region < 'us' OR region > 'us'; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows_of_day STALE its table has changed since; with the fresh partitions alone: the view holds only the rows with day < CAST('2024-01-01' AS DATE) OR day > CAST('2024-01-01' AS DATE) OR day IS NULL

--@ case: rows that are fresh
SELECT id, at FROM sales WHERE day > DATE '2024-01-02'
--@ rewritten using rows_of_day
SELECT v.`id` AS id, v.`at` AS at FROM (SELECT id, day, at FROM lake.demo.rows_of_day__storage WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v WHERE v.`day` > CAST('2024-01-02' AS DATE)

--@ case: HAVING and ORDER BY over the whole
SELECT region, sum(qty) AS q FROM sales GROUP BY region HAVING sum(qty) > 3 ORDER BY q DESC
--@ rewritten using by_day
SELECT v.`c0` AS region, sum(v.`c1`) AS q FROM (SELECT v.`region` AS c0, CAST(sum(v.`q`) AS bigint) AS c1 FROM (SELECT day, region, q, top, ids, viewgate_rows_0 FROM lake.demo.by_day__storage VERSION AS OF 2000 WHERE (day < DATE '2024-01-01') OR (day > DATE '2024-01-01') OR (day IS NULL)) AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.qty) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE NOT (((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day > CAST('2024-01-01' AS DATE))) OR (sales_0.day IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING sum(v.`c1`) > 3 ORDER BY 2 DESC NULLS LAST
