-- How often a column is NULL, counted from count(*) and count(x).
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT, price DOUBLE, day DATE, channel STRING);
CREATE TABLE places (region STRING, people INT)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 10, 1.5, DATE '2024-01-01', 'web'), (2, 'eu', NULL, -0.0D, DATE '2024-01-01', 'web'), (3, NULL, NULL, NULL, DATE '2024-01-31', NULL), (4, 'us', 3, 9.9, DATE '2024-02-01', 'shop'), (4, 'us', 3, 9.9, DATE '2024-02-01', 'shop'), (5, 'as', NULL, NULL, NULL, 'web');
INSERT INTO places VALUES ('eu', 400), ('us', 300), ('us', NULL), ('xx', 1), (NULL, 5)
--@ view by_day
SELECT region, day, count(*) AS cnt, count(amount) AS amounts, count(price) AS prices, sum(amount) AS total FROM sales GROUP BY region, day
--@ view whole
SELECT count(*) AS cnt, count(amount) AS amounts FROM sales
--@ view without_rows
SELECT channel, count(amount) AS amounts, count(price) AS prices FROM sales GROUP BY channel

--@ case: FILTER
SELECT region, count(*) FILTER (WHERE amount IS NULL) AS missing, count(*) FILTER (WHERE amount IS NOT NULL) AS there FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`cnt` - v.`amounts`), 0) AS missing, coalesce(sum(v.`amounts`), 0) AS there FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a sum of ones and zeros
SELECT region, sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) AS missing, sum(CASE WHEN price IS NOT NULL THEN 1 ELSE 0 END) AS there FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`cnt` - v.`amounts`) AS missing, sum(v.`prices`) AS there FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a sum of ones alone is NULL where there is none
SELECT region, sum(CASE WHEN amount IS NULL THEN 1 END) AS missing, sum(CASE WHEN price IS NULL THEN NULL ELSE 1 END) AS there FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(nullif(v.`cnt` - v.`amounts`, 0)) AS missing, sum(nullif(v.`prices`, 0)) AS there FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a count of a CASE
SELECT region, count(CASE WHEN amount IS NULL THEN id END) AS missing, count(CASE WHEN price IS NULL THEN 'x' END) AS unpriced FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`cnt` - v.`amounts`), 0) AS missing, coalesce(sum(v.`cnt` - v.`prices`), 0) AS unpriced FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: if() and isnull()
SELECT region, sum(if(isnull(amount), 1, 0)) AS missing, sum(if(isnotnull(amount), 1, 0)) AS there FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`cnt` - v.`amounts`) AS missing, sum(v.`amounts`) AS there FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: at the view's own groups
SELECT region, day, sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) AS missing FROM sales GROUP BY region, day
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, v.`cnt` - v.`amounts` AS missing FROM lake.demo.by_day__storage AS v

--@ case: a share of missing values over all rows
SELECT 100.0 * sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) / count(*) AS share FROM sales WHERE region IS NOT NULL
--@ rewritten using by_day
SELECT (100.0 * sum(v.`cnt` - v.`amounts`)) / coalesce(sum(v.`cnt`), 0) AS share FROM lake.demo.by_day__storage AS v WHERE NOT (v.`region` IS NULL)

--@ case: of no rows
SELECT count(*) FILTER (WHERE amount IS NULL) AS n, sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) AS s FROM sales WHERE region = 'none'
--@ rewritten using by_day
SELECT coalesce(sum(v.`cnt` - v.`amounts`), 0) AS n, sum(v.`cnt` - v.`amounts`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`region` = 'none'

--@ case: filtered by the count
SELECT region FROM sales GROUP BY region HAVING sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) > 0
--@ rewritten using by_day
SELECT v.`region` AS region FROM lake.demo.by_day__storage AS v GROUP BY v.`region` HAVING sum(v.`cnt` - v.`amounts`) > 0

--@ case: in a join that repeats groups
SELECT p.people, count(*) FILTER (WHERE s.amount IS NULL) AS missing FROM sales AS s JOIN places AS p ON s.region = p.region GROUP BY p.people
--@ rewritten using by_day
SELECT places_0.people AS people, coalesce(sum(v.`cnt` - v.`amounts`), 0) AS missing FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v, lake.demo.places VERSION AS OF 1001 AS places_0 WHERE v.`region` = places_0.region GROUP BY places_0.people

--@ case: filled by an outer join, where the absent row counts as missing
SELECT p.region, p.people, count(CASE WHEN s.amount IS NULL THEN 1 END) AS missing, sum(CASE WHEN s.amount IS NOT NULL THEN 1 ELSE 0 END) AS there FROM places AS p LEFT JOIN sales AS s ON s.region = p.region GROUP BY p.region, p.people
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(CASE WHEN amount IS NULL THEN 1 END); whole COLUMN_NOT_IN_VIEW region; without_rows COLUMN_NOT_IN_VIEW region

--@ case: other numbers than 0 and 1
SELECT region, sum(CASE WHEN amount IS NULL THEN 2 ELSE 1 END) AS n FROM sales GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW sum(CASE WHEN amount IS NULL THEN 2 ELSE 1 END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; without_rows GROUPING_TOO_COARSE region

--@ case: a second condition
SELECT region, count(*) FILTER (WHERE amount IS NULL AND price IS NULL) AS n FROM sales GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW amount; whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; without_rows GROUPING_TOO_COARSE region

--@ case: a view without a count of rows
SELECT channel, count(*) FILTER (WHERE amount IS NULL) AS n FROM sales GROUP BY channel
--@ rewritten using without_rows
SELECT v.`channel` AS channel, v.`viewgate_rows_0` - v.`amounts` AS n FROM lake.demo.without_rows__storage AS v

--@ case: a column that the view does not count
SELECT region, count(*) FILTER (WHERE channel IS NULL) AS n FROM sales GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW channel; whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; without_rows GROUPING_TOO_COARSE region

--@ case: distinct values beside NULLs
SELECT region, count(DISTINCT id) FILTER (WHERE amount IS NULL) AS n FROM sales GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW amount; whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; without_rows GROUPING_TOO_COARSE region

--@ case: another column may be NULL in these rows, too
SELECT region, count(channel) FILTER (WHERE amount IS NULL) AS missing FROM sales GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW amount; whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY; without_rows GROUPING_TOO_COARSE region

--@ case: another column in a CASE
SELECT count(CASE WHEN amount IS NOT NULL THEN channel END) AS there, count(if(amount IS NULL, NULL, amount + price)) AS both FROM sales
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(CASE WHEN NOT amount IS NULL THEN channel END); whole AGGREGATE_NOT_IN_VIEW count(CASE WHEN NOT amount IS NULL THEN channel END); without_rows AGGREGATE_NOT_IN_VIEW count(CASE WHEN NOT amount IS NULL THEN channel END)

--@ case: the column itself, or an expression that is NULL where it is
SELECT count(CASE WHEN amount IS NOT NULL THEN amount END) AS there, count(if(amount IS NULL, NULL, 2 * amount)) AS doubled FROM sales
--@ rewritten using by_day
SELECT coalesce(sum(v.`amounts`), 0) AS there, coalesce(sum(v.`amounts`), 0) AS doubled FROM lake.demo.by_day__storage AS v
