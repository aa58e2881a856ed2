-- Live answers: stale storage, and the rows that were appended to its tables since.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT, price DECIMAL(10,2), weight DOUBLE, day DATE, at TIMESTAMP_NTZ NOT NULL);
CREATE TABLE names (region STRING, label STRING);
CREATE TABLE returns (id INT, reason STRING);
CREATE TABLE old (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES
 (1, 'eu', 10, 1.50, 0.5, DATE '2023-12-30', TIMESTAMP_NTZ '2024-01-01 10:20:30'),
 (2, 'eu', NULL, 2.25, NULL, DATE '2024-01-01', TIMESTAMP_NTZ '2024-01-01 11:00:00'),
 (3, NULL, 7, NULL, 1.25, NULL, TIMESTAMP_NTZ '2024-01-01 11:59:59'),
 (4, 'us', 3, 9.99, 2.5, DATE '2024-02-01', TIMESTAMP_NTZ '2024-01-01 12:00:00'),
 (4, 'us', 3, 9.99, 2.5, DATE '2024-02-01', TIMESTAMP_NTZ '2024-01-01 12:00:00');
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('xx', NULL);
INSERT INTO returns VALUES (1, 'broken'), (4, 'late');
INSERT INTO old VALUES ('eu', 'Europe'), ('us', 'States'), ('us', 'Union')
--@ appended
INSERT INTO sales VALUES
 (4, 'us', 3, 9.99, 2.5, DATE '2024-02-01', TIMESTAMP_NTZ '2024-01-01 12:00:00'),
 (5, 'asia', 5, 0.01, 0.5, DATE '2024-03-07', TIMESTAMP_NTZ '2024-01-02 00:00:00'),
 (6, NULL, NULL, NULL, NULL, NULL, TIMESTAMP_NTZ '2024-01-01 11:10:00'),
 (7, 'eu', -4, 3.00, 0.25, DATE '2023-01-01', TIMESTAMP_NTZ '2024-01-01 10:40:00');
INSERT INTO names VALUES ('us', 'America'), ('asia', 'Asia')
--@ view by_region
SELECT region, day, sum(amount) AS total, count(*) AS cnt, avg(price) AS mean, min(amount) AS low, max(price) AS top FROM sales GROUP BY region, day
--@ view cheap
SELECT id, region, amount, price FROM sales WHERE price < 9
--@ view labelled
SELECT n.label, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ view outer_labelled
SELECT o.label, s.region, max(s.id) AS top, count(o.label) AS labels FROM sales AS s LEFT JOIN old AS o ON o.region = s.region GROUP BY o.label, s.region
--@ view reasons
SELECT reason, count(*) AS cnt FROM returns GROUP BY reason
--@ view unsold
SELECT o.label, o.region FROM old AS o LEFT ANTI JOIN sales AS s ON s.region = o.region
--@ view hourly
SELECT timeseries(at, 'hour') AS h, sum(weight) AS total FROM sales GROUP BY timeseries(at, 'hour')

--@ case: groups put together once more
SELECT region, sum(amount), count(*), min(amount) FROM sales GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`), coalesce(sum(v.`c2`), 0), min(v.`c3`) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2, CAST(min(v.`low`) AS int) AS c3 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2, min(sales_0.amount) AS c3 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: at the view's own grain
SELECT region, day, sum(amount) AS total FROM sales GROUP BY region, day
--@ rewritten using by_region
SELECT v.`c0` AS region, v.`c1` AS day, sum(v.`c2`) AS total FROM (SELECT v.`region` AS c0, v.`day` AS c1, v.`total` AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sales_0.day AS c1, sum(sales_0.amount) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region, sales_0.day) AS v GROUP BY v.`c0`, v.`c1`

--@ case: an average of both
SELECT avg(price), max(price) FROM sales
--@ rewritten using by_region
SELECT CAST((CAST(CAST(sum(v.`c0`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c1`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)), max(v.`c2`) FROM (SELECT CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c0, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c1, CAST(max(v.`top`) AS decimal(10,2)) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sum(sales_0.price) AS c0, count(sales_0.price) AS c1, max(sales_0.price) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0) AS v

--@ case: no row at all
SELECT sum(amount), count(*) FROM sales WHERE region = 'none'
--@ rewritten using by_region
SELECT sum(v.`c0`), coalesce(sum(v.`c1`), 0) FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'none' UNION ALL SELECT sum(sales_0.amount) AS c0, count(*) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.region = 'none') AS v

--@ case: HAVING, ORDER BY and LIMIT over the whole
SELECT region, count(*) AS n FROM sales WHERE day IS NOT NULL GROUP BY region HAVING sum(amount) > 1 ORDER BY n DESC, region LIMIT 2
--@ rewritten using by_region
SELECT v.`c0` AS region, coalesce(sum(v.`c1`), 0) AS n FROM (SELECT v.`region` AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1, CAST(sum(v.`total`) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE NOT (v.`day` IS NULL) GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, count(*) AS c1, sum(sales_0.amount) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE NOT (sales_0.day IS NULL) GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING sum(v.`c2`) > 1 ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: rows, repeated ones too
SELECT id, price * 2 AS twice FROM sales WHERE price < 5 AND region <> 'us'
--@ rewritten using cheap
SELECT v.`c0` AS id, v.`c1` AS twice FROM (SELECT v.`id` AS c0, CAST(v.`price` * 2 AS decimal(12,2)) AS c1 FROM lake.demo.cheap__storage VERSION AS OF 2001 AS v WHERE v.`price` < 5 AND v.`region` <> 'us' UNION ALL SELECT sales_0.id AS c0, sales_0.price * 2 AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.price < 5 AND sales_0.region <> 'us') AS v

--@ case: DISTINCT rows
SELECT DISTINCT region FROM sales WHERE price < 9
--@ rewritten using cheap
SELECT v.`c0` AS region FROM (SELECT v.`region` AS c0 FROM lake.demo.cheap__storage VERSION AS OF 2001 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.price < 9 GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: rows in order
SELECT id FROM sales WHERE price < 9 ORDER BY amount, id LIMIT 3
--@ rewritten using cheap
SELECT v.`c0` AS id FROM (SELECT v.`id` AS c0, v.`amount` AS c1 FROM lake.demo.cheap__storage VERSION AS OF 2001 AS v UNION ALL SELECT sales_0.id AS c0, sales_0.amount AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.price < 9) AS v ORDER BY v.`c1` ASC NULLS FIRST, 1 ASC NULLS FIRST LIMIT 3

--@ case: aggregates of rows
SELECT region, sum(amount) FROM sales WHERE price < 9 GROUP BY region
--@ rewritten using cheap
SELECT v.`c0` AS region, sum(v.`c1`) FROM (SELECT v.`region` AS c0, CAST(sum(v.`amount`) AS bigint) AS c1 FROM lake.demo.cheap__storage VERSION AS OF 2001 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.price < 9 GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: windows read all rows together
SELECT id, sum(amount) OVER (PARTITION BY region) FROM sales WHERE price < 9
--@ kept: by_region COLUMN_NOT_IN_VIEW price; cheap STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: the query has a window function, which must read the view's rows and the appended rows together: refresh the view; hourly COLUMN_NOT_IN_VIEW price; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; outer_labelled JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unsold JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a join, both sides appended
SELECT n.label, sum(s.amount), count(*) FROM sales AS s JOIN names AS n ON n.region = s.region GROUP BY n.label
--@ rewritten using by_region
SELECT v.`c0` AS label, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: another table beside the view
SELECT o.label, sum(s.amount) FROM sales AS s JOIN old AS o ON o.region = s.region GROUP BY o.label
--@ rewritten using by_region
SELECT v.`c0` AS label, sum(v.`c1`) FROM (SELECT CAST(old_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.old VERSION AS OF 1003 AS old_0 WHERE old_0.region = v.`region` GROUP BY old_0.label UNION ALL SELECT old_0.label AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.old VERSION AS OF 1003 AS old_0 WHERE old_0.region = sales_0.region GROUP BY old_0.label) AS v GROUP BY v.`c0`

--@ case: appended rows on the preserved side of an outer join
SELECT o.label, count(o.label), max(s.id) FROM sales AS s LEFT JOIN old AS o ON o.region = s.region GROUP BY o.label
--@ rewritten using outer_labelled
SELECT v.`c0` AS label, coalesce(sum(v.`c1`), 0), max(v.`c2`) FROM (SELECT v.`label` AS c0, CAST(coalesce(sum(v.`labels`), 0) AS bigint) AS c1, CAST(max(v.`top`) AS int) AS c2 FROM lake.demo.outer_labelled__storage VERSION AS OF 2003 AS v GROUP BY v.`label` UNION ALL SELECT old_0.label AS c0, count(old_0.label) AS c1, max(sales_0.id) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 LEFT JOIN lake.demo.old VERSION AS OF 1003 AS old_0 ON old_0.region = sales_0.region GROUP BY old_0.label) AS v GROUP BY v.`c0`

--@ case: the view's table once more, as it is now
SELECT s.region, sum(s.amount) FROM sales AS s WHERE s.region IN (SELECT region FROM sales WHERE price > 2) GROUP BY s.region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.sales VERSION AS OF 5500 AS sales_1 ON v.`region` = sales_1.region AND sales_1.price > 2 GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 LEFT SEMI JOIN lake.demo.sales VERSION AS OF 5500 AS sales_1 ON sales_0.region = sales_1.region AND sales_1.price > 2 GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: a view of a table that has not grown is fresh
SELECT count(*) FROM returns WHERE reason = 'late'
--@ rewritten using reasons
SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.reasons__storage AS v WHERE v.`reason` = 'late'

--@ case: rows that an ANTI join lets through may go
SELECT o.label, o.region FROM old AS o LEFT ANTI JOIN sales AS s ON s.region = o.region
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.sales, on the right side of an ANTI join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view; cheap VIEW_FILTERS_MORE price < 9; hourly COLUMN_NOT_IN_VIEW region; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; outer_labelled JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unsold STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.sales, on the right side of an ANTI join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view

--@ case: the ragged edge of a time range, and appended rows
SELECT sum(weight) FROM sales WHERE at >= '2024-01-01 10:30:00' AND at < '2024-01-01 12:00:00'
--@ rewritten using hourly
SELECT sum(v.`c0`) FROM (SELECT CAST(sum(v.`c0`) AS double) AS c0 FROM (SELECT CAST(sum(v.`total`) AS double) AS c0 FROM lake.demo.hourly__storage VERSION AS OF 2006 AS v WHERE v.`h` < '2024-01-01 12:00:00' AND v.`h` >= CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ) UNION ALL SELECT sum(sales_0.weight) AS c0 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.at < '2024-01-01 12:00:00' AND sales_0.at >= CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ)) AS v UNION ALL SELECT sum(sales_0.weight) AS c0 FROM lake.demo.sales VERSION AS OF 5500 AS sales_0 WHERE sales_0.at >= '2024-01-01 10:30:00' AND sales_0.at < CAST('2024-01-01 11:00:00' AS TIMESTAMP_NTZ)) AS v

--@ case: different values cannot be put together
SELECT count(DISTINCT amount) FROM sales
--@ kept: by_region AGGREGATE_NOT_IN_VIEW count(DISTINCT amount); cheap VIEW_FILTERS_MORE price < 9; hourly AGGREGATE_NOT_IN_VIEW count(DISTINCT amount); labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; outer_labelled JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unsold JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a fresh view beside a live one
SELECT region, (SELECT count(*) FROM returns) AS n, sum(amount) FROM sales GROUP BY region
--@ rewritten using by_region, reasons
SELECT v.`c0` AS region, (SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.reasons__storage VERSION AS OF 2004 AS v) AS n, sum(v.`c1`) FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: a branch of a union from a stale view, the other from its table
SELECT region, sum(n), count(*) FROM (SELECT region, amount AS n FROM sales UNION ALL SELECT label AS region, 1 AS n FROM names) AS u GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`c0` AS c0, CAST(sum(v.`c1`) AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT v.`region` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v GROUP BY v.`region` UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 GROUP BY sales_0.region) AS v GROUP BY v.`c0` UNION ALL SELECT names_0.label AS c0, sum(1) AS c1, count(*) AS c2 FROM lake.demo.names VERSION AS OF 5501 AS names_0 GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: a refresh does not add the aggregate that the views lack
SELECT region, max(amount) FROM sales GROUP BY region
--@ kept: by_region AGGREGATE_NOT_IN_VIEW max(amount); cheap VIEW_FILTERS_MORE price < 9; hourly GROUPING_TOO_COARSE region; labelled JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; outer_labelled JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unsold JOIN_DIFFERS the view also joins old, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables
