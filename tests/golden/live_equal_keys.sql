-- Changed rows of a view that groups by both columns of a join: the groups by one of them are the groups by both.
--@ schema
CREATE TABLE sales (region STRING, amount INT, day DATE);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES ('eu', 10, DATE '2024-01-01'), ('eu', NULL, DATE '2024-01-02'), ('us', 30, NULL), (NULL, 40, NULL), ('ap', 6, DATE '2024-01-02');
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('us', 'America'), (NULL, 'nowhere'), ('ap', 'Pacific')
--@ appended
DELETE FROM sales WHERE region = 'us';
UPDATE sales SET amount = amount + 1 WHERE region = 'eu';
INSERT INTO sales VALUES ('za', 8, NULL), ('eu', 2, DATE '2024-01-02')
--@ view by_both
SELECT n.region, s.region AS of_sales, s.day, sum(s.amount) AS total, avg(s.amount) AS mean FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.region, s.region, s.day

--@ case: both columns
SELECT n.region, s.region AS of_sales, s.day, sum(s.amount) AS total FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.region, s.region, s.day
--@ rewritten using by_both
SELECT v.`c0` AS region, v.`c0` AS of_sales, v.`c2` AS day, v.`c3` AS total FROM (SELECT v.`c0` AS c0, v.`c0` AS c1, v.`c2` AS c2, CAST(CASE WHEN coalesce(sum(v.`c5`), 0) = 0 THEN NULL ELSE sum(v.`c3`) END AS bigint) AS c3, CAST(coalesce(sum(v.`c4`), 0) AS bigint) AS c4, CAST(coalesce(sum(v.`c5`), 0) AS bigint) AS c5 FROM (SELECT v.`region` AS c0, v.`region` AS c1, v.`day` AS c2, v.`total` AS c3, v.`viewgate_rows_0` AS c4, v.`viewgate_count_1` AS c5 FROM lake.demo.by_both__storage VERSION AS OF 2000 AS v UNION ALL SELECT names_0.region AS c0, sales_0.region AS c1, sales_0.day AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c3, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c4, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c5 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = sales_0.region GROUP BY names_0.region, sales_0.region, sales_0.day) AS v GROUP BY v.`c0`, v.`c2` HAVING coalesce(sum(v.`c4`), 0) > 0) AS v

--@ case: one of them, and coarser groups
SELECT s.region, avg(s.amount), count(*) FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY s.region
--@ rewritten using by_both
SELECT v.`c0` AS region, CAST(v.`c1` AS DOUBLE) / CAST(nullif(v.`c2`, 0) AS DOUBLE), v.`c3` FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`viewgate_rows_0`), 0) AS bigint) AS c3 FROM lake.demo.by_both__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c1, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = sales_0.region GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: the other column in a filter
SELECT n.region, s.region AS of_sales, sum(s.amount) FROM sales AS s JOIN names AS n ON n.region = s.region WHERE n.region <> 'us' GROUP BY n.region, s.region
--@ rewritten using by_both
SELECT v.`c0` AS region, v.`c0` AS of_sales, v.`c2` FROM (SELECT v.`c0` AS c0, v.`c0` AS c1, CAST(CASE WHEN coalesce(sum(v.`c4`), 0) = 0 THEN NULL ELSE sum(v.`c2`) END AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3, CAST(coalesce(sum(v.`c4`), 0) AS bigint) AS c4 FROM (SELECT v.`region` AS c0, v.`region` AS c1, CAST(sum(v.`total`) AS bigint) AS c2, CAST(coalesce(sum(v.`viewgate_rows_0`), 0) AS bigint) AS c3, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c4 FROM lake.demo.by_both__storage VERSION AS OF 2000 AS v WHERE v.`region` <> 'us' GROUP BY v.`region` UNION ALL SELECT names_0.region AS c0, sales_0.region AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c4 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 1001 AS names_0 WHERE names_0.region = sales_0.region AND names_0.region <> 'us' GROUP BY names_0.region, sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v
