-- Live answers from views over views, and from views of grouped derived tables, of which base tables have grown.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, day DATE, amount INT, price DECIMAL(10,2), weight DOUBLE);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', DATE '2024-01-01', 10, 1.50, 0.5), (2, 'eu', DATE '2024-01-01', NULL, 2.25, 1.5), (3, NULL, DATE '2024-01-02', 7, NULL, NULL), (4, 'us', NULL, 3, 9.99, 2.0), (4, 'us', NULL, 3, 9.99, 2.0), (5, 'us', DATE '2024-02-01', -3, 0.01, 0.25);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('eu', 'Old World'), ('xx', NULL)
--@ appended
INSERT INTO sales VALUES (6, 'eu', DATE '2024-01-01', 5, 4.00, 1.0), (7, 'as', DATE '2024-03-01', NULL, NULL, NULL), (8, NULL, DATE '2024-01-02', 1, 1.00, 4.0), (9, 'us', NULL, 2, 2.00, -1.0);
INSERT INTO names VALUES ('as', 'Asia'), ('us', 'America')
--@ plain days
SELECT region, day, sum(amount) AS total, count(*) AS cnt, count(amount) AS amounts, max(price) AS top, sum(price) AS revenue, sum(weight) AS weight, min(id) AS first_id FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region, day
--@ view by_region
SELECT region, sum(total) AS total, sum(cnt) AS cnt, max(top) AS top, sum(amounts) AS amounts, sum(revenue) AS revenue, sum(weight) AS weight, max(day) AS latest FROM days GROUP BY region
--@ view by_label
SELECT n.label, sum(d.total) AS total, sum(d.cnt) AS cnt FROM days d JOIN names n ON n.region = d.region GROUP BY n.label
--@ view by_month
SELECT month, total, cnt FROM (SELECT trunc(day, 'MONTH') AS month, sum(total) AS total, sum(cnt) AS cnt FROM days WHERE region = 'eu' GROUP BY trunc(day, 'MONTH')) AS months
--@ view over_region
SELECT sum(revenue) AS revenue, sum(total) AS total, min(region) AS first_region FROM by_region WHERE region IS NOT NULL
--@ view busy
SELECT region, sum(first_id) AS ids FROM days WHERE cnt > 1 GROUP BY region
--@ view distinct_days
SELECT count(*) AS days, min(first_id) AS first_id FROM days
--@ view top_days
SELECT region, day, sum(id) AS ids, rank() OVER (ORDER BY sum(id)) AS r FROM sales GROUP BY region, day
--@ view averages
SELECT region, avg(first_id) AS mean FROM days GROUP BY region

--@ case: groups of groups, asked over the table
SELECT region, sum(amount), count(*), count(amount), max(price), max(day) FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`), coalesce(sum(v.`c2`), 0), coalesce(sum(v.`c3`), 0), max(v.`c4`), max(v.`c5`) FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`cnt` AS c2, v.`amounts` AS c3, v.`top` AS c4, v.`latest` AS c5 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2, count(sales_0.amount) AS c3, max(sales_0.price) AS c4, max(sales_0.day) AS c5 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: a sum of DECIMAL sums has more digits than the sum that is asked for
SELECT region, sum(price) FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, CAST(sum(v.`c1`) AS DECIMAL(20, 2)) FROM (SELECT v.`region` AS c0, CAST(CAST(v.`revenue` AS DECIMAL(20, 2)) AS decimal(20,2)) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.price) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: and in a view of three levels still more
SELECT sum(revenue) FROM by_region WHERE region IS NOT NULL
--@ rewritten using over_region
SELECT CAST(sum(v.`c0`) AS DECIMAL(38, 2)) FROM (SELECT v.`revenue` AS c0 FROM lake.demo.over_region__storage VERSION AS OF 2003 AS v UNION ALL SELECT sum(CAST(CAST(sales_0.price AS DECIMAL(20, 2)) AS DECIMAL(30, 2))) AS c0 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND NOT (sales_0.region IS NULL)) AS v

--@ case: a sum of DOUBLEs
SELECT region, sum(weight) FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`) FROM (SELECT v.`region` AS c0, v.`weight` AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.weight) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: an average from the sums and counts of groups
SELECT avg(amount) FROM sales WHERE region = 'eu'
--@ rewritten using by_region
SELECT CAST(sum(v.`c0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c1`), 0), 0) AS DOUBLE) FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' UNION ALL SELECT sum(sales_0.amount) AS c0, count(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.region = 'eu') AS v

--@ case: HAVING of the query
SELECT region, sum(amount) FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region HAVING count(*) > 1
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`) FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`cnt` AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0` HAVING coalesce(sum(v.`c2`), 0) > 1

--@ case: the view by its name
SELECT region, total, cnt FROM by_region WHERE region = 'eu'
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`) AS total, coalesce(sum(v.`c2`), 0) AS cnt FROM (SELECT v.`region` AS c0, v.`total` AS c1, v.`cnt` AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'eu' UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND sales_0.region = 'eu' GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: groups of the view by its name
SELECT sum(total), max(top), min(latest) FROM by_region
--@ kept: by_region STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: these rows cannot be combined with the view, because the query names a view in FROM, and cannot be answered over the definition of that view either; over_region VIEW_FILTERS_MORE NOT region IS NULL; averages TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; averages FLOAT_SUM_DECIDES_ROWS weight; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy FLOAT_SUM_DECIDES_ROWS weight; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label FLOAT_SUM_DECIDES_ROWS weight; by_month TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_month VIEW_FILTERS_MORE region = 'eu'; distinct_days TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; distinct_days FLOAT_SUM_DECIDES_ROWS weight; top_days UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; top_days VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups

--@ case: a sum of counts of no groups is NULL
SELECT sum(cnt) FROM by_region WHERE region = 'zz'
--@ rewritten using by_region
SELECT sum(v.`c0`) FROM (SELECT CAST(sum(v.`cnt`) AS bigint) AS c0 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v WHERE v.`region` = 'zz' UNION ALL SELECT sum(1) AS c0 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND sales_0.region = 'zz') AS v

--@ case: the view below by its name
SELECT region, sum(total), sum(cnt) FILTER (WHERE day >= DATE '2024-01-01') FROM days GROUP BY region
--@ kept: averages AGGREGATE_NOT_IN_VIEW sum(total); averages FLOAT_SUM_DECIDES_ROWS weight; busy VIEW_FILTERS_MORE cnt > 1; busy FLOAT_SUM_DECIDES_ROWS weight; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_label FLOAT_SUM_DECIDES_ROWS weight; by_month VIEW_FILTERS_MORE region = 'eu'; by_region COLUMN_NOT_IN_VIEW day; by_region FLOAT_SUM_DECIDES_ROWS weight; distinct_days GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; distinct_days FLOAT_SUM_DECIDES_ROWS weight; over_region COLUMN_NOT_IN_VIEW day; over_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; top_days UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; top_days VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups

--@ case: the same without the filter by a day
SELECT region, sum(total), sum(cnt) FILTER (WHERE region <> 'us') FROM days GROUP BY region
--@ rewritten using by_region
SELECT v.`c0` AS region, sum(v.`c1`), sum(v.`c2`) FROM (SELECT v.`region` AS c0, v.`total` AS c1, CAST(CASE WHEN v.`region` <> 'us' THEN v.`cnt` END AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1, sum(1) FILTER(WHERE sales_0.region <> 'us') AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0`

--@ case: groups of a derived table
SELECT region, max(top) AS top FROM (SELECT region, day, max(price) AS top FROM sales WHERE region <> 'xx' OR region IS NULL GROUP BY region, day) AS d GROUP BY region ORDER BY top
--@ rewritten using by_region
SELECT v.`c0` AS region, max(v.`c1`) AS top FROM (SELECT v.`region` AS c0, v.`top` AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, max(sales_0.price) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0` ORDER BY 2 ASC NULLS FIRST

--@ case: groups of groups, joined with a table of labels
SELECT n.label, sum(s.amount), count(*) FROM sales s JOIN names n ON n.region = s.region WHERE s.region <> 'xx' OR s.region IS NULL GROUP BY n.label
--@ rewritten using by_region
SELECT v.`c0` AS label, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(sales_0.amount) AS c1, count(*) AS c2 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = sales_0.region AND ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: the view of a join, by its name
SELECT label, cnt FROM by_label
--@ rewritten using by_region
SELECT v.`c0` AS label, coalesce(sum(v.`c1`), 0) AS cnt FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, count(*) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: the view joined with a table of labels
SELECT n.label, sum(r.total) FROM by_region r JOIN names n ON n.region = r.region GROUP BY n.label
--@ rewritten using by_region
SELECT v.`c0` AS label, sum(v.`c1`) FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0`

--@ case: months of groups of one region, with an outer SELECT
SELECT trunc(day, 'MONTH') AS m, sum(amount) FROM sales WHERE region = 'eu' GROUP BY trunc(day, 'MONTH')
--@ rewritten using by_month
SELECT v.`c0` AS m, sum(v.`c1`) FROM (SELECT v.`month` AS c0, v.`total` AS c1 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v UNION ALL SELECT trunc(sales_0.day, 'MONTH') AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE sales_0.region = 'eu' GROUP BY trunc(sales_0.day, 'MONTH')) AS v GROUP BY v.`c0`

--@ case: a union of views
SELECT sum(total) FROM (SELECT total FROM by_region UNION ALL SELECT total FROM by_label) AS u
--@ rewritten using by_region
SELECT sum(total) FROM (SELECT sum(v.`c1`) AS total FROM (SELECT v.`region` AS c0, v.`total` AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v UNION ALL SELECT sales_0.region AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) GROUP BY sales_0.region) AS v GROUP BY v.`c0` UNION ALL SELECT sum(v.`c1`) AS total FROM (SELECT CAST(names_0.label AS string) AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE names_0.region = v.`region` GROUP BY names_0.label UNION ALL SELECT names_0.label AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0, lake.demo.names VERSION AS OF 5501 AS names_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL)) AND names_0.region = sales_0.region GROUP BY names_0.label) AS v GROUP BY v.`c0`) AS u

--@ case: groups that a view below filters by a count
SELECT region, ids FROM busy
--@ kept: busy STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: these rows cannot be combined with the view, because the outer SELECT filters by count(*) > 1, which needs the complete groups of a derived table; averages TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; averages COLUMN_NOT_IN_VIEW cnt; averages FLOAT_SUM_DECIDES_ROWS weight; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_label FLOAT_SUM_DECIDES_ROWS weight; by_month VIEW_FILTERS_MORE region = 'eu'; by_region TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_region COLUMN_NOT_IN_VIEW cnt; by_region FLOAT_SUM_DECIDES_ROWS weight; distinct_days TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; distinct_days COLUMN_NOT_IN_VIEW cnt; distinct_days FLOAT_SUM_DECIDES_ROWS weight; over_region COLUMN_NOT_IN_VIEW cnt; over_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; top_days UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; top_days VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups

--@ case: the number of groups
SELECT days FROM distinct_days
--@ kept: distinct_days STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: these rows cannot be combined with the view, because count(*) depends on the number of groups of a derived table; averages TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; averages AGGREGATE_NOT_IN_VIEW min(first_id); averages FLOAT_SUM_DECIDES_ROWS weight; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy VIEW_FILTERS_MORE cnt > 1; busy FLOAT_SUM_DECIDES_ROWS weight; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_label FLOAT_SUM_DECIDES_ROWS weight; by_month VIEW_FILTERS_MORE region = 'eu'; by_region TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_region AGGREGATE_NOT_IN_VIEW min(first_id); by_region FLOAT_SUM_DECIDES_ROWS weight; over_region AGGREGATE_NOT_IN_VIEW count(*); over_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; top_days UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; top_days VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups

--@ case: the least of groups, beside their number
SELECT min(id) FROM sales WHERE region <> 'xx' OR region IS NULL
--@ rewritten using distinct_days
SELECT min(v.`c0`) FROM (SELECT v.`first_id` AS c0 FROM lake.demo.distinct_days__storage VERSION AS OF 2005 AS v UNION ALL SELECT min(sales_0.id) AS c0 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 WHERE ((sales_0.region <> 'xx') OR (sales_0.region IS NULL))) AS v

--@ case: windows over groups
SELECT region, day, r FROM top_days
--@ kept: top_days STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: the view answers only its own query: the query has window functions, or DISTINCT over groups; averages VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; busy VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; by_label VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; by_month VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; by_region VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; distinct_days VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL; over_region VIEW_FILTERS_MORE region <> 'xx' OR region IS NULL

--@ case: an average of groups
SELECT region, mean FROM averages
--@ kept: averages STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: these rows cannot be combined with the view, because avg(min(id)) needs the complete groups of a derived table; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy VIEW_FILTERS_MORE cnt > 1; busy FLOAT_SUM_DECIDES_ROWS weight; by_label TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_label JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_label FLOAT_SUM_DECIDES_ROWS weight; by_month VIEW_FILTERS_MORE region = 'eu'; by_region TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_region AGGREGATE_NOT_IN_VIEW avg(first_id); by_region FLOAT_SUM_DECIDES_ROWS weight; distinct_days TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; distinct_days GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; distinct_days FLOAT_SUM_DECIDES_ROWS weight; over_region AGGREGATE_NOT_IN_VIEW avg(first_id); over_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; top_days UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; top_days VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups
