-- Live answers after rows were deleted and replaced: sums and counts subtract the deleted rows and add the inserted ones.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, channel STRING, amount INT, price DECIMAL(10,2), weight DOUBLE, qty INT NOT NULL);
CREATE TABLE names (region STRING, label STRING);
CREATE TABLE returns (region STRING, n BIGINT);
CREATE TABLE stock (region STRING, n INT, day DATE, at TIMESTAMP_NTZ);
CREATE TABLE visits (page STRING, ms INT);
--@ rows
INSERT INTO sales VALUES
  (1, 'eu', 'web', 10, 1.50, 0.5, 1), (2, 'eu', 'shop', NULL, 2.50, 0.25, 2), (3, 'us', 'web', 30, NULL, 1.5, 3),
  (4, NULL, 'web', 40, 4.00, 2.5, 4), (4, NULL, 'web', 40, 4.00, 2.5, 4), (5, 'uk', 'web', 50, 5.00, 3.5, 5),
  (6, 'ap', NULL, 60, 6.00, NULL, 6), (7, 'us', 'shop', NULL, 7.00, 4.5, 7);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('us', 'America'), ('uk', 'Kingdom'), (NULL, 'nowhere');
INSERT INTO returns VALUES ('eu', 1), ('eu', NULL), ('us', 2), ('ap', 9223372036854775807);
INSERT INTO stock VALUES
  ('eu', 1, DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 10:20:00'), ('eu', 2, DATE '2024-01-02', TIMESTAMP_NTZ '2024-01-01 11:00:00'),
  ('us', NULL, DATE '2024-01-02', TIMESTAMP_NTZ '2024-01-01 11:40:00'), ('ap', 4, NULL, TIMESTAMP_NTZ '2024-01-01 12:00:00');
INSERT INTO visits VALUES ('home', 10), ('home', NULL), ('shop', 90), ('shop', 20), ('gone', 70);
--@ appended
DELETE FROM sales WHERE region = 'uk' OR id = 3;
UPDATE sales SET price = NULL, amount = NULL WHERE id = 1;
UPDATE sales SET region = 'eu', amount = amount + 1 WHERE id = 6;
INSERT INTO sales VALUES (8, 'za', 'shop', 80, 8.00, 5.5, 8), (8, 'za', 'shop', 80, 8.00, 5.5, 8), (9, NULL, NULL, -9, -9.00, -9.0, -9);
DELETE FROM returns WHERE region = 'eu' AND n = 1 OR region = 'ap';
INSERT INTO names VALUES ('za', 'Africa');
UPDATE stock SET n = n + 1 WHERE region = 'eu';
DELETE FROM stock WHERE region = 'ap';
DELETE FROM visits WHERE page = 'gone' OR ms = 10;
INSERT INTO visits VALUES ('shop', 60), ('new', NULL);
--@ view by_region
SELECT region, channel, sum(amount) AS total, avg(price) AS mean, sum(qty) AS q, count(*) AS cnt FROM sales GROUP BY region, channel
--@ view extremes
SELECT region, max(price) AS top, sum(amount) AS total FROM sales GROUP BY region
--@ view weights
SELECT region, sum(weight) AS w, count(weight) AS n FROM sales GROUP BY region
--@ view returned
SELECT region, sum(n) AS total FROM returns GROUP BY region
--@ view labelled
SELECT n.label, sum(s.qty) AS q, count(*) AS cnt FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ view both
SELECT k.region, count(*) AS cnt, sum(k.n) AS units FROM returns AS r JOIN stock AS k ON k.region = r.region WHERE r.n > 0 GROUP BY k.region
--@ view hourly
SELECT timeseries(at, 'hour') AS h, max(n) AS top, sum(n) AS total, count(n) AS known FROM stock GROUP BY timeseries(at, 'hour')
--@ view most
SELECT day, max(n) AS top, sum(n) AS total FROM stock GROUP BY day
--@ view cheap
SELECT id, region, qty FROM sales WHERE qty < 6
--@ view slow_visits
SELECT page, avg(CASE WHEN ms >= 50 THEN 1 ELSE 0 END) AS share, count(*) AS cnt FROM visits GROUP BY page

--@ case: a group without rows vanishes, a sum without values is NULL, a new group appears
SELECT region, sum(amount) AS total, count(amount) AS n, count(*) AS cnt FROM sales GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS total, v.`c2` AS n, v.`c3` AS cnt FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c1, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: an average
SELECT channel, avg(price) AS mean, sum(price) AS total FROM sales GROUP BY channel
--@ rewritten using by_region
SELECT v.`c0` AS channel, CAST((CAST(CAST(v.`c1` AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(v.`c2`, 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS mean, v.`c1` AS total FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE CAST(sum(v.`c1`) AS DECIMAL(20, 2)) END AS decimal(20,2)) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`channel` AS c0, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`channel` UNION ALL SELECT sales_0.channel AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.price ELSE -sales_0.price END) AS c1, sum(CASE WHEN sales_0.price IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.channel) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: all rows as one group
SELECT sum(amount), avg(price), count(*), count(price) FROM sales
--@ rewritten using by_region
SELECT v.`c0`, CAST((CAST(CAST(v.`c1` AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(v.`c2`, 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)), v.`c3`, v.`c2` FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c4`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE CAST(sum(v.`c1`) AS DECIMAL(20, 2)) END AS decimal(20,2)) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3, CAST(coalesce(sum(v.`c4`), 0) AS bigint) AS c4 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c3, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c4 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.price ELSE -sales_0.price END) AS c1, sum(CASE WHEN sales_0.price IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c4 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0) AS v) AS v

--@ case: one group of which no row is left
SELECT sum(amount), count(*) FROM sales WHERE region = 'uk'
--@ rewritten using by_region
SELECT v.`c0`, v.`c1` FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'uk' UNION ALL SELECT sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c1, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.region = 'uk') AS v) AS v

--@ case: a column that is never NULL needs no count of its own
SELECT region, sum(qty) FROM sales WHERE channel = 'web' GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT v.`region` AS c0, v.`q` AS c1, v.`cnt` AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`channel` = 'web' UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.channel = 'web' GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: which groups there are
SELECT DISTINCT region FROM sales
--@ rewritten using extremes
SELECT v.`c0` AS region FROM (SELECT v.`c0` AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1 FROM (SELECT v.`region` AS c0, v.`viewgate_rows_0` AS c1 FROM lake.demo.extremes__storage VERSION AS OF 2001 AS v UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c1 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c1`), 0) > 0) AS v

--@ case: HAVING, ORDER BY and LIMIT read the current groups
SELECT region, sum(qty) AS q FROM sales GROUP BY region HAVING sum(qty) > 3 ORDER BY q DESC, region LIMIT 2
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS q FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT v.`region` AS c0, CAST(sum(v.`q`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v WHERE v.`c1` > 3 ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: subtotals
SELECT region, channel, sum(qty) AS q, count(*) AS cnt FROM sales GROUP BY ROLLUP (region, channel)
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS channel, sum(v.`c2`) AS q, coalesce(sum(v.`c3`), 0) AS cnt FROM (SELECT v.`c0` AS c0, v.`c1` AS c1, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c2`) END AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`channel` AS c1, v.`q` AS c2, v.`cnt` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sales_0.channel AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region, sales_0.channel) AS v GROUP BY v.`c0`, v.`c1` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v GROUP BY GROUPING SETS ((v.`c0`, v.`c1`), (v.`c0`), ())

--@ case: a count with a condition
SELECT region, count(*) FILTER (WHERE channel = 'web') AS web FROM sales GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS web FROM (SELECT v.`c0` AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT v.`region` AS c0, CAST(coalesce(sum(v.`cnt`) FILTER(WHERE v.`channel` = 'web'), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0.channel = 'web' THEN CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END ELSE 0 END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: a sum with a condition
SELECT region, sum(qty) FILTER (WHERE channel = 'web') AS web FROM sales GROUP BY region
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a sum with FILTER may have no rows left, and is NULL then: refresh the view; cheap VIEW_FILTERS_MORE qty < 6; extremes COLUMN_NOT_IN_VIEW channel; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; weights COLUMN_NOT_IN_VIEW channel

--@ case: joined to a table that only grew
SELECT n.label, sum(s.qty) AS q FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using by_region
SELECT v.`c0` AS label, v.`c1` AS q FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`q`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: a LEFT join keeps each row of the changed table
SELECT n.label, count(*) AS cnt, sum(s.amount) AS total FROM sales AS s LEFT JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using by_region
SELECT v.`c0` AS label, v.`c1` AS cnt, v.`c2` AS total FROM (SELECT v.`c0` AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c2`) END AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1, CAST(sum(v.`total`) AS bigint) AS c2, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.names VERSION AS OF 5501 AS names_0 ON names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount ELSE -CAST(sales_0.amount AS BIGINT) END) AS c2, sum(CASE WHEN sales_0.amount IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 LEFT JOIN lake.demo.names VERSION AS OF 5501 AS names_0 ON names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c1`), 0) > 0) AS v

--@ case: a LEFT join drops rows of the changed table
SELECT n.label, sum(s.qty) AS q FROM names AS n LEFT JOIN sales AS s ON n.region = s.region GROUP BY n.label
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: rows of lake.demo.sales, on the right side of a LEFT join, were deleted or replaced since the last refresh: refresh the view; cheap VIEW_FILTERS_MORE qty < 6; extremes AGGREGATE_NOT_IN_VIEW sum(qty); labelled JOIN_DIFFERS the query has a LEFT join of s ON names.region = sales.region, where the view has an inner join: create a view with the join of the query; weights AGGREGATE_NOT_IN_VIEW sum(qty)

--@ case: rows of a changed table that may now have a match
SELECT sum(r.n) FROM returns AS r LEFT ANTI JOIN sales AS s ON s.region = r.region
--@ rewritten using returned
SELECT v.`c0` FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c1`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c1 FROM lake.demo.returned__storage VERSION AS OF 2003 AS v LEFT ANTI JOIN lake.demo.sales VERSION AS OF 5500 AS sales_0 ON sales_0.region = v.`region` UNION ALL SELECT sum(CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN returns_0.n ELSE -CAST(returns_0.n AS BIGINT) END) AS c0, sum(CASE WHEN returns_0.n IS NULL THEN 0 ELSE CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c1 FROM lake.demo.returns.changes WITH ('start-snapshot-id' = '502', 'end-snapshot-id' = '5502') AS returns_0 LEFT ANTI JOIN lake.demo.sales VERSION AS OF 5500 AS sales_0 ON sales_0.region = returns_0.region) AS v) AS v

--@ case: a sum that overflows only while rows are subtracted
SELECT region, sum(n) AS total FROM returns GROUP BY region
--@ rewritten using returned
SELECT v.`c0` AS region, v.`c1` AS total FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`viewgate_rows_0` AS c2, v.`viewgate_count_1` AS c3 FROM lake.demo.returned__storage VERSION AS OF 2003 AS v UNION ALL SELECT returns_0.region AS c0, sum(CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN returns_0.n ELSE -CAST(returns_0.n AS BIGINT) END) AS c1, sum(CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN returns_0.n IS NULL THEN 0 ELSE CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.returns.changes WITH ('start-snapshot-id' = '502', 'end-snapshot-id' = '5502') AS returns_0 GROUP BY returns_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: groups of a view of rows
SELECT region, sum(qty) AS q, count(*) AS cnt FROM sales WHERE qty < 5 GROUP BY region
--@ rewritten using cheap
SELECT v.`c0` AS region, v.`c1` AS q, v.`c2` AS cnt FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT v.`region` AS c0, CAST(sum(v.`qty`) AS bigint) AS c1, CAST(count(*) AS bigint) AS c2 FROM lake.demo.cheap__storage VERSION AS OF 2008 AS v WHERE v.`qty` < 5 GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.qty < 5 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: a maximum may have gone
SELECT region, max(price) FROM sales GROUP BY region
--@ kept: by_region AGGREGATE_NOT_IN_VIEW max(price); cheap VIEW_FILTERS_MORE qty < 6; extremes STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a deleted row cannot be subtracted from max: refresh the view; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; weights AGGREGATE_NOT_IN_VIEW max(price)

--@ case: a sum of floating-point numbers is not subtracted exactly
SELECT region, sum(weight) FROM sales GROUP BY region
--@ kept: by_region AGGREGATE_NOT_IN_VIEW sum(weight); cheap VIEW_FILTERS_MORE qty < 6; extremes AGGREGATE_NOT_IN_VIEW sum(weight); labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; weights STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a deleted value cannot be subtracted exactly from a floating-point sum: refresh the view

--@ case: distinct values
SELECT count(DISTINCT region) FROM sales
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a deleted row cannot be subtracted from count of distinct values: refresh the view; cheap VIEW_FILTERS_MORE qty < 6; extremes STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a deleted row cannot be subtracted from count of distinct values: refresh the view; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; weights STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view's groups cannot be rolled up to the current rows, because a deleted row cannot be subtracted from count of distinct values: refresh the view

--@ case: rows as they are
SELECT id, region FROM sales WHERE qty < 6
--@ kept: by_region COLUMN_NOT_IN_VIEW qty; cheap STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: rows were deleted or replaced since the last refresh, and the query does not group: refresh the view; extremes COLUMN_NOT_IN_VIEW qty; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; weights COLUMN_NOT_IN_VIEW qty

--@ case: the key is one value only
SELECT region, channel, sum(qty) FROM sales WHERE channel = 'web' GROUP BY region, channel
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS channel, v.`c2` FROM (SELECT v.`c0` AS c0, v.`c1` AS c1, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c2`) END AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`channel` AS c1, v.`q` AS c2, v.`cnt` AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`channel` = 'web' UNION ALL SELECT sales_0.region AS c0, sales_0.channel AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.qty ELSE -CAST(sales_0.qty AS BIGINT) END) AS c2, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.channel = 'web' GROUP BY sales_0.region, sales_0.channel) AS v GROUP BY v.`c0`, v.`c1` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: both tables of a join have changed
SELECT k.region, sum(k.n) AS units FROM returns AS r JOIN stock AS k ON k.region = r.region WHERE r.n > 0 GROUP BY k.region
--@ rewritten using both
SELECT v.`c0` AS region, v.`c1` AS units FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, v.`units` AS c1, v.`cnt` AS c2, v.`viewgate_count_0` AS c3 FROM lake.demo.both__storage VERSION AS OF 2005 AS v UNION ALL SELECT stock_0.region AS c0, sum(CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN stock_0.n ELSE -CAST(stock_0.n AS BIGINT) END) AS c1, sum(CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN stock_0.n IS NULL THEN 0 ELSE CASE WHEN returns_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.returns.changes WITH ('start-snapshot-id' = '502', 'end-snapshot-id' = '5502') AS returns_0, lake.demo.stock VERSION AS OF 5503 AS stock_0 WHERE stock_0.region = returns_0.region AND returns_0.n > 0 GROUP BY stock_0.region UNION ALL SELECT stock_0.region AS c0, sum(CASE WHEN stock_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN stock_0.n ELSE -CAST(stock_0.n AS BIGINT) END) AS c1, sum(CASE WHEN stock_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN stock_0.n IS NULL THEN 0 ELSE CASE WHEN stock_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.returns VERSION AS OF 502 AS returns_0, lake.demo.stock.changes WITH ('start-snapshot-id' = '503', 'end-snapshot-id' = '5503') AS stock_0 WHERE stock_0.region = returns_0.region AND returns_0.n > 0 GROUP BY stock_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: the ragged edge of a time range, and changed rows
SELECT sum(n) FROM stock WHERE at >= '2024-01-01 10:30:00' AND at < '2024-01-01 12:00:00'
--@ rewritten using hourly
SELECT sum(v.`c0`) FROM (SELECT v.`c0` AS c0 FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c1`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`known`), 0) AS bigint) AS c1 FROM lake.demo.hourly__storage VERSION AS OF 2006 AS v WHERE v.`h` < '2024-01-01 12:00:00' AND v.`h` >= CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ) UNION ALL SELECT sum(CASE WHEN stock_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN stock_0.n ELSE -CAST(stock_0.n AS BIGINT) END) AS c0, sum(CASE WHEN stock_0.n IS NULL THEN 0 ELSE CASE WHEN stock_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c1 FROM lake.demo.stock.changes WITH ('start-snapshot-id' = '503', 'end-snapshot-id' = '5503') AS stock_0 WHERE stock_0.at < '2024-01-01 12:00:00' AND stock_0.at >= CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ)) AS v) AS v UNION ALL SELECT sum(stock_0.n) AS c0 FROM lake.demo.stock VERSION AS OF 5503 AS stock_0 WHERE stock_0.at >= '2024-01-01 10:30:00' AND stock_0.at < CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ)) AS v

--@ case: a sum whose count the view lacks
SELECT day, sum(n) AS total FROM stock GROUP BY day
--@ kept: both JOIN_DIFFERS the view also joins returns, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; hourly GROUPING_TOO_COARSE day; most STALE lake.demo.stock has changed since snapshot 503: first by snapshot 5503 (overwrite, 1970-01-01 00:00:00 UTC): refresh the view; together with the inserted and deleted rows: the view does not store count(n), without which deleted rows cannot be subtracted: add count(n) to the view

--@ case: a sum of an expression
SELECT region, sum(total) AS total FROM (SELECT region, amount + 1 AS total FROM sales) AS s GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS total FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`region` AS c0, CAST(sum(v.`total` + (CAST(1 AS BIGINT) * v.`viewgate_count_2`)) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`viewgate_count_2`), 0) AS bigint) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN sales_0.amount + 1 ELSE -CAST(sales_0.amount + 1 AS BIGINT) END) AS c1, sum(CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2, sum(CASE WHEN (sales_0.amount + 1) IS NULL THEN 0 ELSE CASE WHEN sales_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c3 FROM lake.demo.sales.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 0) AS v

--@ case: an average of values that are never NULL, whose count is that of the rows
SELECT page, avg(CASE WHEN ms >= 50 THEN 1 ELSE 0 END) AS share, count(*) AS cnt FROM visits GROUP BY page
--@ rewritten using slow_visits
SELECT v.`c0` AS page, CAST(v.`c1` AS DOUBLE) / CAST(nullif(v.`c2`, 0) AS DOUBLE) AS share, v.`c3` AS cnt FROM (SELECT v.`c0` AS c0, CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`c3`), 0) AS bigint) AS c3 FROM (SELECT v.`page` AS c0, CAST(v.`viewgate_sum_0` AS bigint) AS c1, v.`viewgate_count_1` AS c2, v.`cnt` AS c3 FROM lake.demo.slow_visits__storage VERSION AS OF 2009 AS v UNION ALL SELECT visits_0.page AS c0, sum(CASE WHEN visits_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END ELSE -CAST(CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END AS BIGINT) END) AS c1, sum(CASE WHEN CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END IS NULL THEN 0 ELSE CASE WHEN visits_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c2, sum(CASE WHEN visits_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c3 FROM lake.demo.visits.changes WITH ('start-snapshot-id' = '504', 'end-snapshot-id' = '5504') AS visits_0 GROUP BY visits_0.page) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c3`), 0) > 0) AS v

--@ case: such an average over coarser groups
SELECT avg(CASE WHEN ms >= 50 THEN 1 ELSE 0 END) AS share FROM visits
--@ rewritten using slow_visits
SELECT CAST(v.`c0` AS DOUBLE) / CAST(nullif(v.`c1`, 0) AS DOUBLE) AS share FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c1`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1 FROM (SELECT CAST(sum(v.`viewgate_sum_0`) AS bigint) AS c0, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c1 FROM lake.demo.slow_visits__storage VERSION AS OF 2009 AS v UNION ALL SELECT sum(CASE WHEN visits_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END ELSE -CAST(CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END AS BIGINT) END) AS c0, sum(CASE WHEN CASE WHEN visits_0.ms >= 50 THEN 1 ELSE 0 END IS NULL THEN 0 ELSE CASE WHEN visits_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c1 FROM lake.demo.visits.changes WITH ('start-snapshot-id' = '504', 'end-snapshot-id' = '5504') AS visits_0) AS v) AS v
