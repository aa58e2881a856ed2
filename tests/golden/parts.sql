-- Storage that holds a part of a view's rows: as if the view had the condition in its WHERE. The others come from the
-- tables, rows without a value among them; nothing takes such storage for all of the view.
--@ schema
CREATE TABLE sales (id INT, region STRING, day DATE, at TIMESTAMP_NTZ, qty INT, price DECIMAL(10,2));
--@ rows
INSERT INTO sales VALUES
  (1, 'eu', DATE '2023-12-31', TIMESTAMP_NTZ '2023-12-31 23:59:59', 1, 1.50),
  (2, 'eu', DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 00:00:00', 2, 2.50),
  (3, 'us', DATE '2024-01-02', TIMESTAMP_NTZ '2024-02-01 10:00:00', 3, NULL),
  (4, NULL, DATE '2024-02-01', TIMESTAMP_NTZ '2024-02-29 12:00:00', NULL, 4.50),
  (5, 'us', NULL, NULL, 5, 5.50),
  (5, 'us', NULL, NULL, 5, 5.50),
  (6, NULL, NULL, TIMESTAMP_NTZ '2024-03-01 00:00:00', 6, 6.50),
  (7, 'eu', DATE '2025-01-01', TIMESTAMP_NTZ '2022-03-01 00:00:00', 7, 7.50);
--@ view by_day WHERE day >= DATE '2024-01-01'
SELECT day, region, sum(qty) AS q, avg(price) AS p FROM sales GROUP BY day, region
--@ view of_eu WHERE region = 'eu'
SELECT region, max(qty) AS most FROM sales GROUP BY region
--@ view by_month WHERE month >= TIMESTAMP_NTZ '2024-02-01' AND month < TIMESTAMP_NTZ '2024-03-01'
SELECT timeseries(at, 'month') AS month, min(price) AS low FROM sales GROUP BY 1
--@ view some_rows WHERE id IN (1, 5)
SELECT id, region, at FROM sales
--@ view ranked WHERE k > 1
SELECT id AS k, count(DISTINCT price) AS prices FROM sales GROUP BY id
--@ view over_days
SELECT region, sum(q) AS q FROM by_day GROUP BY region

--@ case: what lies within the part is read from it
SELECT day, sum(qty) AS q FROM sales WHERE day >= DATE '2024-01-02' GROUP BY day
--@ rewritten using by_day
SELECT v.`day` AS day, sum(v.`q`) AS q FROM lake.demo.by_day__storage AS v WHERE v.`day` >= CAST('2024-01-02' AS DATE) GROUP BY v.`day`

--@ case: just the part
SELECT region, avg(price) AS p FROM sales WHERE day >= DATE '2024-01-01' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, CAST((CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS p FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: the others come from the table, those without a day too
SELECT region, sum(qty) AS q, avg(price) AS p, count(*) AS n FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`c0` AS region, sum(v.`c1`) AS q, CAST((CAST(CAST(sum(v.`c2`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c3`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS p, coalesce(sum(v.`c4`), 0) AS n FROM (SELECT v.`region` AS c0, CAST(sum(v.`q`) AS bigint) AS c1, CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c3, CAST(coalesce(sum(v.`viewgate_rows_0`), 0) AS bigint) AS c4 FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.qty) AS c1, sum(sales_0.price) AS c2, count(sales_0.price) AS c3, count(*) AS c4 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: a range over the border
SELECT sum(qty) AS q FROM sales WHERE day >= DATE '2023-06-01' AND day < DATE '2024-02-01'
--@ rewritten using by_day
SELECT sum(v.`c0`) AS q FROM (SELECT CAST(sum(v.`q`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v WHERE v.`day` < CAST('2024-02-01' AS DATE) UNION ALL SELECT sum(sales_0.qty) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day >= CAST('2023-06-01' AS DATE) AND sales_0.day < CAST('2024-01-01' AS DATE)) AS v

--@ case: rows without a day are not in the part
SELECT sum(qty) AS q FROM sales WHERE day IS NULL
--@ kept: by_day VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); by_month VIEW_FILTERS_MORE at >= CAST('2024-02-01' AS TIMESTAMP_NTZ); of_eu VIEW_FILTERS_MORE region = 'eu'; over_days SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; ranked VIEW_FILTERS_MORE id > 1; some_rows VIEW_FILTERS_MORE id IN (1, 5)

--@ case: one value of a column, and what is not that
SELECT region, max(qty) AS most FROM sales GROUP BY region
--@ rewritten using of_eu
SELECT v.`c0` AS region, max(v.`c1`) AS most FROM (SELECT v.`region` AS c0, v.`most` AS c1 FROM lake.demo.of_eu__storage VERSION AS OF 2001 AS v UNION ALL SELECT sales_0.region AS c0, max(sales_0.qty) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((sales_0.region <> 'eu') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: just that value
SELECT max(qty) AS most FROM sales WHERE region = 'eu'
--@ rewritten using of_eu
SELECT max(v.`most`) AS most FROM lake.demo.of_eu__storage AS v

--@ case: months as times of the table
SELECT min(price) AS low FROM sales
--@ rewritten using by_month
SELECT min(v.`c0`) AS low FROM (SELECT CAST(min(v.`low`) AS decimal(10,2)) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v UNION ALL SELECT min(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((((sales_0.at < CAST('2024-02-01' AS TIMESTAMP_NTZ)) OR (sales_0.at IS NULL)) OR (sales_0.at >= CAST('2024-03-01' AS TIMESTAMP_NTZ))) OR (sales_0.at IS NULL))) AS v

--@ case: months within the part
SELECT timeseries(at, 'month') AS m, min(price) AS low FROM sales WHERE at >= TIMESTAMP_NTZ '2024-02-01 00:00:00' AND at < TIMESTAMP_NTZ '2024-03-01 00:00:00' GROUP BY 1
--@ rewritten using by_month
SELECT v.`month` AS m, v.`low` AS low FROM lake.demo.by_month__storage AS v

--@ case: rows of the part
SELECT id, at FROM sales WHERE id = 5
--@ rewritten using some_rows
SELECT v.`id` AS id, v.`at` AS at FROM lake.demo.some_rows__storage AS v WHERE v.`id` = 5

--@ case: rows are not put together from two places
SELECT id, at FROM sales WHERE id > 0
--@ kept: by_day VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); by_month VIEW_FILTERS_MORE at >= CAST('2024-02-01' AS TIMESTAMP_NTZ); of_eu VIEW_FILTERS_MORE region = 'eu'; over_days SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; ranked VIEW_FILTERS_MORE id > 1; some_rows VIEW_FILTERS_MORE id IN (1, 5)

--@ case: the view's own text asks for all of it
SELECT day, region, sum(qty) AS q, avg(price) AS p FROM sales GROUP BY day, region
--@ rewritten using by_day
SELECT v.`c0` AS day, v.`c1` AS region, sum(v.`c2`) AS q, CAST((CAST(CAST(sum(v.`c3`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c4`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS p FROM (SELECT v.`day` AS c0, v.`region` AS c1, v.`q` AS c2, v.`viewgate_sum_1` AS c3, v.`viewgate_count_2` AS c4 FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.day AS c0, sales_0.region AS c1, sum(sales_0.qty) AS c2, sum(sales_0.price) AS c3, count(sales_0.price) AS c4 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL)) GROUP BY sales_0.day, sales_0.region) AS v GROUP BY v.`c0`, v.`c1`

--@ case: the view's name stands for its query, which is answered from the part and the table
SELECT * FROM by_day
--@ rewritten using by_day
SELECT v.`c0` AS day, v.`c1` AS region, sum(v.`c2`) AS q, CAST((CAST(CAST(sum(v.`c3`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c4`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS p FROM (SELECT v.`day` AS c0, v.`region` AS c1, v.`q` AS c2, v.`viewgate_sum_1` AS c3, v.`viewgate_count_2` AS c4 FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.day AS c0, sales_0.region AS c1, sum(sales_0.qty) AS c2, sum(sales_0.price) AS c3, count(sales_0.price) AS c4 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL)) GROUP BY sales_0.day, sales_0.region) AS v GROUP BY v.`c0`, v.`c1`

--@ case: by name with a filter
SELECT region, q FROM by_day WHERE day = DATE '2024-01-01'
--@ rewritten using by_day
SELECT v.`region` AS region, v.`q` AS q FROM lake.demo.by_day__storage AS v WHERE v.`day` = CAST('2024-01-01' AS DATE)

--@ case: a view over it is whole, and is not asked for less than the query means
SELECT region, sum(qty) AS q FROM sales WHERE day >= DATE '2024-01-01' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`q`) AS q FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: distinct counts are not put together
SELECT id, count(DISTINCT price) AS n FROM sales GROUP BY id
--@ kept: by_day VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); by_month VIEW_FILTERS_MORE at >= CAST('2024-02-01' AS TIMESTAMP_NTZ); of_eu VIEW_FILTERS_MORE region = 'eu'; over_days GROUPING_TOO_COARSE id; ranked VIEW_FILTERS_MORE id > 1; some_rows VIEW_FILTERS_MORE id IN (1, 5)

--@ case: distinct counts of the part
SELECT id, count(DISTINCT price) AS n FROM sales WHERE id > 2 GROUP BY id
--@ rewritten using ranked
SELECT v.`k` AS id, v.`prices` AS n FROM lake.demo.ranked__storage AS v WHERE v.`k` > 2
