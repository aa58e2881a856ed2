-- Views and queries whose FROM holds grouped derived tables: joins of aggregates, and aggregates over aggregates.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, item INT, amount INT, price DECIMAL(10,2), weight DOUBLE, ts TIMESTAMP);
CREATE TABLE returns (id INT NOT NULL, region STRING, item INT, amount INT);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1, 10, 1.50, 0.1, TIMESTAMP '2024-01-01 10:00:00'), (2, 'eu', 2, NULL, 2.25, 0.2, TIMESTAMP '2024-01-02 10:00:00'), (3, NULL, 2, 7, NULL, 0.3, TIMESTAMP '2024-01-01 23:00:00'), (4, 'us', 1, 3, 9.99, NULL, NULL), (4, 'us', 1, 3, 9.99, 1.5, NULL), (5, 'as', NULL, 0, 0.00, 2.5, TIMESTAMP '2024-02-01 10:00:00'), (6, 'as', 3, 40, 0.50, -1, TIMESTAMP '2024-02-01 10:00:00');
INSERT INTO returns VALUES (1, 'eu', 1, 2), (2, 'eu', 2, 5), (3, NULL, 2, 1), (4, 'us', 2, NULL), (5, 'xx', 1, 9);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), ('us', 'USA'), (NULL, 'none')
--@ view balance
SELECT s.region, s.sold, s.sales, r.back FROM (SELECT region, sum(amount) AS sold, count(*) AS sales FROM sales GROUP BY region) AS s JOIN (SELECT region, sum(amount) AS back FROM returns GROUP BY region) AS r ON s.region = r.region
--@ view kept
WITH sold AS (SELECT region, item, sum(amount) AS total, avg(price) AS price FROM sales GROUP BY region, item), back AS (SELECT region, item, sum(amount) AS total FROM returns GROUP BY region, item) SELECT s.region, s.item, s.total, b.total AS back, s.price FROM sold AS s LEFT JOIN back AS b ON s.region = b.region AND s.item = b.item
--@ view by_size
SELECT items, count(*) AS regions, sum(sold) AS sold, max(sold) AS most FROM (SELECT region, count(DISTINCT item) AS items, sum(amount) AS sold FROM sales GROUP BY region) AS x GROUP BY items
--@ view by_total
WITH sold AS (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item) SELECT sold.region, n.label, avg(sold.total) AS mean FROM sold JOIN names AS n ON n.region = sold.region GROUP BY sold.region, n.label
--@ view busy
SELECT s.region, s.sold, r.back FROM (SELECT region, sum(amount) AS sold FROM sales GROUP BY region HAVING count(*) > 1) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region HAVING max(amount) > 1) AS r ON s.region = r.region

--@ case: the very same blocks under other names
SELECT a.region, a.total, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ rewritten using balance
SELECT v.`region` AS region, v.`sold` AS total, v.`back` AS back FROM lake.demo.balance__storage AS v

--@ case: as common table expressions, and more done with them
WITH a AS (SELECT region AS r, sum(amount) AS total, count(*) AS n FROM sales GROUP BY region), b AS (SELECT region AS r, sum(amount) AS total FROM returns GROUP BY region) SELECT a.r, a.total - b.total AS net FROM a, b WHERE a.r = b.r AND a.n > 1 ORDER BY net DESC LIMIT 5
--@ rewritten using balance
WITH a AS (SELECT region AS r, sum(amount) AS total, count(*) AS n FROM sales VERSION AS OF 1000 GROUP BY region), b AS (SELECT region AS r, sum(amount) AS total FROM returns VERSION AS OF 1001 GROUP BY region) SELECT v.`region` AS r, v.`sold` - v.`back` AS net FROM lake.demo.balance__storage VERSION AS OF 2000 AS v WHERE v.`sales` > 1 ORDER BY 2 DESC NULLS LAST LIMIT 5

--@ case: the other way round
SELECT b.total FROM (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b JOIN (SELECT region, count(*) AS n FROM sales GROUP BY region) AS a ON b.region = a.region WHERE a.n = 2
--@ rewritten using balance
SELECT v.`back` AS total FROM lake.demo.balance__storage AS v WHERE v.`sales` = 2

--@ case: fewer groups by a filter on keys within
SELECT a.region, a.total, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales WHERE region <> 'eu' GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns WHERE region IS NOT NULL GROUP BY region) AS b ON b.region = a.region
--@ rewritten using balance
SELECT v.`region` AS region, v.`sold` AS total, v.`back` AS back FROM lake.demo.balance__storage AS v WHERE v.`region` <> 'eu'

--@ case: HAVING within
SELECT a.region, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region HAVING sum(amount) > 5) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ rewritten using balance
SELECT v.`region` AS region, v.`back` AS back FROM lake.demo.balance__storage AS v WHERE v.`sold` > 5

--@ case: a table beside
SELECT n.label, a.total, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region JOIN names AS n ON n.region = a.region
--@ rewritten using balance
SELECT names_0.label AS label, v.`sold` AS total, v.`back` AS back FROM lake.demo.balance__storage VERSION AS OF 2000 AS v, lake.demo.names VERSION AS OF 1002 AS names_0 WHERE names_0.region = v.`region`

--@ case: grouped once more
SELECT sum(a.total), max(b.total), count(*) FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ rewritten using balance
SELECT sum(v.`sold`), max(v.`back`), count(*) FROM lake.demo.balance__storage AS v

--@ case: a LEFT join of groups
SELECT a.region, a.item, a.total, coalesce(b.total, 0) AS back FROM (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item) AS a LEFT JOIN (SELECT region, item, sum(amount) AS total FROM returns GROUP BY region, item) AS b ON a.region = b.region AND a.item = b.item
--@ rewritten using kept
SELECT v.`region` AS region, v.`item` AS item, v.`total` AS total, coalesce(v.`back`, 0) AS back FROM lake.demo.kept__storage AS v

--@ case: an inner join over a LEFT one
SELECT a.item, a.total, b.total AS back FROM (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item) AS a JOIN (SELECT region, item, sum(amount) AS total FROM returns GROUP BY region, item) AS b ON a.region = b.region AND a.item = b.item
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; kept COLUMN_NOT_IN_VIEW region or item, which distinguishes the rows that the view's outer join has matched from the rows without a match: add region or item to the view; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE item; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: fewer groups on the preserved side of a LEFT join
SELECT a.region, a.item, b.total AS back FROM (SELECT region, item, sum(amount) AS total FROM sales WHERE item > 1 GROUP BY region, item) AS a LEFT JOIN (SELECT region, item, sum(amount) AS total FROM returns GROUP BY region, item) AS b ON a.region = b.region AND a.item = b.item
--@ rewritten using kept
SELECT v.`region` AS region, v.`item` AS item, v.`back` AS back FROM lake.demo.kept__storage AS v WHERE v.`item` > 1

--@ case: fewer groups on the other side are other rows
SELECT a.region, a.item, b.total AS back FROM (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item) AS a LEFT JOIN (SELECT region, item, sum(amount) AS total FROM returns WHERE item > 1 GROUP BY region, item) AS b ON a.region = b.region AND a.item = b.item
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; kept JOIN_DIFFERS the view has a LEFT join of b ON s.region = b.region AND s.item = b.item, which the query lacks: create a view without the join; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE item; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: aggregates over aggregates
SELECT items, count(*) AS regions, max(sold) FROM (SELECT region, count(DISTINCT item) AS items, sum(amount) AS sold FROM sales GROUP BY region) AS x GROUP BY items
--@ rewritten using by_size
SELECT v.`items` AS items, v.`regions` AS regions, v.`most` FROM lake.demo.by_size__storage AS v

--@ case: aggregates over aggregates, rolled up
SELECT sum(sold), count(*) FROM (SELECT region, count(DISTINCT item) AS items, sum(amount) AS sold FROM sales GROUP BY region) AS x WHERE items > 1
--@ rewritten using by_size
SELECT sum(v.`sold`), coalesce(sum(v.`regions`), 0) FROM lake.demo.by_size__storage AS v WHERE v.`items` > 1

--@ case: a filter of rows within
SELECT a.region, a.total FROM (SELECT region, sum(amount) AS total FROM sales WHERE amount > 3 GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size COLUMN_NOT_IN_VIEW amount; by_total COLUMN_NOT_IN_VIEW amount; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: coarser groups within
SELECT a.region, a.total, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a LEFT JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON a.region = b.region
--@ kept: balance JOIN_DIFFERS the query has a LEFT join of b ON a.region = b.region, where the view has an inner join: create a view with the join of the query; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size COLUMN_NOT_IN_VIEW region; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: finer groups within
SELECT a.region, a.total FROM (SELECT region, item, sum(amount) AS total FROM sales GROUP BY region, item) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total JOIN_DIFFERS the view also joins names, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE item; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: another aggregate within
SELECT a.region, a.most FROM (SELECT region, max(amount) AS most FROM sales GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size AGGREGATE_NOT_IN_VIEW max(amount); by_total AGGREGATE_NOT_IN_VIEW max(amount); kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: the tables changed places
SELECT a.region, a.total, b.total AS back FROM (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: joined by something else
SELECT a.region, a.total FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.total = a.total
--@ kept: balance VIEW_FILTERS_MORE a.region = b.region; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size COLUMN_NOT_IN_VIEW sold; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: the rows of a group are not there
SELECT s.id, b.total AS back FROM sales AS s JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = s.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: one of the derived tables alone
SELECT a.region, a.total FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region) AS a
--@ kept: balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: some groups by LIMIT within
SELECT a.region, b.total AS back FROM (SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region LIMIT 2) AS a JOIN (SELECT region, sum(amount) AS total FROM returns GROUP BY region) AS b ON b.region = a.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: HAVING within the view, and as much of it in the query
SELECT s.region, r.back FROM (SELECT region, sum(amount) AS sold, count(*) AS n FROM sales GROUP BY region) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region HAVING max(amount) > 1) AS r ON s.region = r.region WHERE s.n > 1
--@ rewritten using busy
SELECT v.`region` AS region, v.`back` AS back FROM lake.demo.busy__storage AS v

--@ case: more within the query
SELECT s.region, r.back FROM (SELECT region, sum(amount) AS sold FROM sales GROUP BY region HAVING count(*) > 1 AND sum(amount) > 5) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region HAVING max(amount) > 1) AS r ON s.region = r.region
--@ rewritten using busy
SELECT v.`region` AS region, v.`back` AS back FROM lake.demo.busy__storage AS v WHERE v.`sold` > 5

--@ case: groups that the view has left out within
SELECT s.region, r.back FROM (SELECT region, sum(amount) AS sold FROM sales GROUP BY region) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region HAVING max(amount) > 1) AS r ON s.region = r.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy VIEW_FILTERS_MORE `count(*)` > 1; by_size COLUMN_NOT_IN_VIEW region; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: groups that the view has left out on the other side of its join
SELECT s.region, r.back FROM (SELECT region, sum(amount) AS sold FROM sales GROUP BY region HAVING count(*) > 1) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region) AS r ON s.region = r.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy JOIN_DIFFERS the view has a LEFT join of r ON s.region = r.region AND `max(amount)` > 1, which the query lacks: create a view without the join; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size AGGREGATE_NOT_IN_VIEW count(*); by_total AGGREGATE_NOT_IN_VIEW count(*); kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: fewer groups on the other side of its join
SELECT s.region, r.back FROM (SELECT region, sum(amount) AS sold FROM sales GROUP BY region HAVING count(*) > 1) AS s LEFT JOIN (SELECT region, max(amount) AS back FROM returns GROUP BY region HAVING max(amount) > 3) AS r ON s.region = r.region
--@ kept: balance TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; busy JOIN_DIFFERS the view has a LEFT join of r ON s.region = r.region AND `max(amount)` > 1, which the query lacks: create a view without the join; by_size TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size AGGREGATE_NOT_IN_VIEW count(*); by_total AGGREGATE_NOT_IN_VIEW count(*); kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables

--@ case: an average of groups, rolled up
WITH x AS (SELECT region, item, sum(amount) AS t FROM sales GROUP BY region, item) SELECT n.label, avg(x.t), count(*) FROM x JOIN names AS n ON x.region = n.region GROUP BY n.label
--@ rewritten using by_total
WITH x AS (SELECT region, item, sum(amount) AS t FROM sales VERSION AS OF 1000 GROUP BY region, item) SELECT v.`label` AS label, CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE), coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.by_total__storage VERSION AS OF 2003 AS v GROUP BY v.`label`

--@ case: an average of other groups
WITH x AS (SELECT region, sum(amount) AS t FROM sales GROUP BY region) SELECT n.label, avg(x.t) FROM x JOIN names AS n ON x.region = n.region GROUP BY n.label
--@ kept: balance TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; busy TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_total SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; kept TABLES_DIFFER the view reads a derived table, which this SELECT does not read: create a view over the query's tables; by_size COLUMN_NOT_IN_VIEW region; by_total TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; kept SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query
