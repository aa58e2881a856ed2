-- Union rewriting: what a view holds from the view, the rest from the tables.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT, price DECIMAL(10,2), day DATE, ts TIMESTAMP, at TIMESTAMP_NTZ NOT NULL);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES
 (1, 'eu', 10, 1.50, DATE '2023-12-30', TIMESTAMP '2024-01-01 10:20:30', TIMESTAMP_NTZ '2024-01-01 10:20:30'),
 (2, 'eu', NULL, 2.25, DATE '2024-01-01', TIMESTAMP '2024-01-01 11:00:00', TIMESTAMP_NTZ '2024-01-01 11:00:00'),
 (3, NULL, 7, NULL, NULL, NULL, TIMESTAMP_NTZ '2024-01-01 11:59:59'),
 (4, 'us', 3, 9.99, DATE '2024-02-01', TIMESTAMP '2024-01-01 12:00:00', TIMESTAMP_NTZ '2024-01-01 12:00:00'),
 (4, 'us', 3, 9.99, DATE '2024-02-01', TIMESTAMP '2024-01-01 12:00:00', TIMESTAMP_NTZ '2024-01-01 12:00:00'),
 (5, 'us', 5, 0.01, DATE '2024-03-07', TIMESTAMP '2024-01-01 13:45:00', TIMESTAMP_NTZ '2024-01-02 00:00:00');
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('xx', NULL)
--@ view recent
SELECT region, day, sum(amount) AS total, count(*) AS cnt, avg(price) AS mean, min(amount) AS low, max(price) AS top FROM sales WHERE day >= DATE '2024-01-01' GROUP BY region, day
--@ view hourly
SELECT timeseries(at, 'hour') AS h, region, sum(amount) AS total, count(amount) AS amounts FROM sales GROUP BY timeseries(at, 'hour'), region
--@ view europe
SELECT id, region, amount, price, ts FROM sales WHERE region = 'eu'
--@ view minutely
SELECT timeseries(ts, 'hour') AS h, max(id) AS top, count(*) AS cnt FROM sales WHERE ts < '2024-01-01 13:00:00' GROUP BY timeseries(ts, 'hour')
--@ view monthly
SELECT timeseries(day, 'month') AS m, max(price) AS top FROM sales GROUP BY timeseries(day, 'month')

--@ case: the rest from the table, NULLs too
SELECT region, sum(amount), count(*) FROM sales GROUP BY region
--@ rewritten using hourly
SELECT v.`region` AS region, sum(v.`total`), coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.hourly__storage AS v GROUP BY v.`region`

--@ case: NULLs are filtered away by the query
SELECT region, sum(amount), count(*) FROM sales WHERE day >= DATE '2023-06-01' GROUP BY region
--@ rewritten using recent
SELECT v.`c0` AS region, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.recent__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day >= CAST('2023-06-01' AS DATE) AND sales_0.day < CAST('2024-01-01' AS DATE) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: an average from both
SELECT avg(price), min(amount) FROM sales WHERE region <> 'xx'
--@ rewritten using recent
SELECT CAST((CAST(CAST(sum(v.`c0`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c1`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)), min(v.`c2`) FROM (SELECT CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c0, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c1, CAST(min(v.`low`) AS int) AS c2 FROM lake.demo.recent__storage VERSION AS OF 2000 AS v WHERE v.`region` <> 'xx' UNION ALL SELECT sum(sales_0.price) AS c0, count(sales_0.price) AS c1, min(sales_0.amount) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.region <> 'xx' AND ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL))) AS v

--@ case: no row of the view is asked for
SELECT region, sum(amount) FROM sales WHERE day < DATE '2023-06-01' GROUP BY region
--@ kept: europe VIEW_FILTERS_MORE region = 'eu'; hourly COLUMN_NOT_IN_VIEW day; minutely VIEW_FILTERS_MORE ts < '2024-01-01 13:00:00'; monthly GROUPING_TOO_COARSE region; recent VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE)

--@ case: distinct values cannot be put together
SELECT region, count(DISTINCT amount) FROM sales GROUP BY region
--@ kept: europe VIEW_FILTERS_MORE region = 'eu'; hourly AGGREGATE_NOT_IN_VIEW count(DISTINCT amount); minutely VIEW_FILTERS_MORE ts < '2024-01-01 13:00:00'; monthly GROUPING_TOO_COARSE region; recent VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE)

--@ case: HAVING and ORDER BY over the whole
SELECT region, count(*) AS n, sum(amount) * 2 FROM sales WHERE day IS NOT NULL GROUP BY region HAVING min(amount) > 1 ORDER BY n DESC, region LIMIT 2
--@ rewritten using recent
SELECT v.`c0` AS region, coalesce(sum(v.`c1`), 0) AS n, sum(v.`c2`) * 2 FROM (SELECT v.`region` AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1, CAST(sum(v.`total`) AS bigint) AS c2, CAST(min(v.`low`) AS int) AS c3 FROM lake.demo.recent__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, count(*) AS c1, sum(sales_0.amount) AS c2, min(sales_0.amount) AS c3 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day < CAST('2024-01-01' AS DATE) GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING min(v.`c3`) > 1 ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: with a table beside
SELECT n.label, sum(s.amount), max(s.price) + 1 FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using recent
SELECT v.`c0` AS label, sum(v.`c1`), max(v.`c2`) + 1 FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(max(v.`top`) AS decimal(10,2)) AS c2 FROM lake.demo.recent__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(sales_0.amount) AS c1, max(sales_0.price) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = sales_0.region AND ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL)) GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: with an outer join beside
SELECT n.label, min(s.amount), count(*) FROM sales AS s LEFT JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using recent
SELECT v.`c0` AS label, min(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(min(v.`low`) AS int) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.recent__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.names VERSION AS OF 1001 AS names_0 ON names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, min(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 LEFT JOIN lake.demo.names VERSION AS OF 1001 AS names_0 ON names_0.region = sales_0.region WHERE ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day IS NULL)) GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: rows are not put together, that would read more than the table has
SELECT id, price, ts FROM sales WHERE id > 1 ORDER BY id LIMIT 4
--@ kept: europe VIEW_FILTERS_MORE region = 'eu'; hourly COLUMN_NOT_IN_VIEW id; minutely VIEW_FILTERS_MORE ts < '2024-01-01 13:00:00'; monthly COLUMN_NOT_IN_VIEW id; recent VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE)

--@ case: whole hours from the view, the edges from the table
SELECT region, sum(amount), count(amount) FROM sales WHERE at >= TIMESTAMP_NTZ '2024-01-01 10:30:00' AND at < TIMESTAMP_NTZ '2024-01-01 12:30:00' GROUP BY region
--@ rewritten using hourly
SELECT v.`c0` AS region, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c2 FROM lake.demo.hourly__storage VERSION AS OF 2001 AS v WHERE v.`h` >= CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ) AND v.`h` < CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ) GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(sales_0.amount) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at >= CAST('2024-01-01 10:30:00' AS TIMESTAMP_NTZ) AND sales_0.at < CAST('2024-01-01 12:30:00' AS TIMESTAMP_NTZ) AND ((sales_0.at < CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ)) OR (sales_0.at >= CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ))) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: an upper bound that takes one instant of the hour
SELECT sum(amount) FROM sales WHERE at <= TIMESTAMP_NTZ '2024-01-01 12:00:00'
--@ rewritten using hourly
SELECT sum(v.`c0`) FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.hourly__storage VERSION AS OF 2001 AS v WHERE v.`h` < CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at <= CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ) AND sales_0.at >= CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ)) AS v

--@ case: behind an instant on the border
SELECT sum(amount) FROM sales WHERE at > TIMESTAMP_NTZ '2024-01-01 11:00:00'
--@ rewritten using hourly
SELECT sum(v.`c0`) FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.hourly__storage VERSION AS OF 2001 AS v WHERE v.`h` >= CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at > CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ) AND sales_0.at < CAST('2024-01-01 12:00:00' AS TIMESTAMP_NTZ)) AS v

--@ case: within one hour there is no whole one
SELECT sum(amount) FROM sales WHERE at >= TIMESTAMP_NTZ '2024-01-01 10:10:00' AND at < TIMESTAMP_NTZ '2024-01-01 10:50:00'
--@ kept: europe VIEW_FILTERS_MORE region = 'eu'; hourly COLUMN_NOT_IN_VIEW at: at >= CAST('2024-01-01 10:10:00' AS TIMESTAMP_NTZ) may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; minutely VIEW_FILTERS_MORE ts < '2024-01-01 13:00:00'; monthly COLUMN_NOT_IN_VIEW at; recent VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE)

--@ case: whole months of days
SELECT max(price) FROM sales WHERE day > DATE '2023-12-15' AND day <= DATE '2024-03-05'
--@ rewritten using monthly
SELECT max(v.`c0`) FROM (SELECT CAST(max(v.`top`) AS decimal(10,2)) AS c0 FROM lake.demo.monthly__storage VERSION AS OF 2004 AS v WHERE v.`m` >= CAST('2024-01-01' AS DATE) AND v.`m` < CAST('2024-03-01' AS DATE) UNION ALL SELECT max(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day > CAST('2023-12-15' AS DATE) AND sales_0.day <= CAST('2024-03-05' AS DATE) AND ((sales_0.day < CAST('2024-01-01' AS DATE)) OR (sales_0.day >= CAST('2024-03-01' AS DATE)))) AS v

--@ case: a range that ends with a month
SELECT max(price) FROM sales WHERE day <= DATE '2024-01-31'
--@ rewritten using monthly
SELECT max(v.`top`) FROM lake.demo.monthly__storage AS v WHERE v.`m` <= CAST('2024-01-31' AS DATE)

--@ case: from one filter and two ragged edges
SELECT date_trunc('DAY', ts), max(id), count(*) FROM sales WHERE ts > '2024-01-01 10:20:30' AND ts <= '2024-01-01 14:30:00' GROUP BY date_trunc('DAY', ts)
--@ rewritten using minutely
SELECT v.`c0`, max(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT CAST(date_trunc('DAY', v.`h`) AS timestamp) AS c0, CAST(max(v.`top`) AS int) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.minutely__storage VERSION AS OF 2003 AS v WHERE v.`h` >= CAST('2024-01-01 11:00:00' AS TIMESTAMP) GROUP BY date_trunc('DAY', v.`h`) UNION ALL SELECT date_trunc('DAY', sales_0.ts) AS c0, max(sales_0.id) AS c1, count(*) AS c2 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts > '2024-01-01 10:20:30' AND sales_0.ts <= '2024-01-01 14:30:00' AND (((sales_0.ts >= '2024-01-01 13:00:00') OR (sales_0.ts < CAST('2024-01-01 11:00:00' AS TIMESTAMP))) OR (sales_0.ts >= CAST('2024-01-01 14:00:00' AS TIMESTAMP))) GROUP BY date_trunc('DAY', sales_0.ts)) AS v GROUP BY v.`c0`

--@ case: a range that begins long ago, within a month
SELECT max(price) AS top FROM sales WHERE day >= DATE '0998-11-29'
--@ rewritten using monthly
SELECT max(v.`c0`) AS top FROM (SELECT CAST(max(v.`top`) AS decimal(10,2)) AS c0 FROM lake.demo.monthly__storage VERSION AS OF 2004 AS v WHERE v.`m` >= CAST('0998-12-01' AS DATE) UNION ALL SELECT max(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day >= CAST('0998-11-29' AS DATE) AND sales_0.day < CAST('0998-12-01' AS DATE)) AS v
