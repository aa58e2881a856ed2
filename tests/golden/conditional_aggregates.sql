-- Aggregates of the rows in which a condition is true, stored in one spelling and asked for in another.
--@ schema
CREATE TABLE events (id INT NOT NULL, region STRING, day DATE, kind STRING NOT NULL, device STRING, price DECIMAL(10,2) NOT NULL, seconds INT, weight DOUBLE, paid BOOLEAN);
CREATE TABLE places (region STRING, people INT)
--@ rows
INSERT INTO events VALUES (1, 'eu', DATE '2024-01-01', 'click', 'phone', 1.50, 10, -0.0D, true), (2, 'eu', DATE '2024-01-01', 'view', NULL, -2.25, NULL, 1.5, NULL), (3, NULL, DATE '2024-01-31', 'view', 'desk', 3.00, NULL, NULL, false), (4, 'us', DATE '2024-02-01', 'click', 'desk', 0.00, NULL, 9.9, NULL), (4, 'us', DATE '2024-02-01', 'click', 'desk', 0.00, NULL, 9.9, NULL), (5, 'as', NULL, 'sale', NULL, 7.75, 3, NULL, true), (6, 'eu', DATE '2024-02-03', 'click', 'phone', 4.10, -7, 0.5, false);
INSERT INTO places VALUES ('eu', 400), ('us', 300), ('us', NULL), ('xx', 1), (NULL, 5)
--@ view by_day
SELECT region, day, count(*) AS n, sum(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS clicks, count(CASE WHEN device = 'desk' THEN 1 END) AS desks, count_if(paid) AS payments, sum(CASE WHEN kind = 'view' THEN 1 END) AS views, sum(CASE WHEN kind = 'click' THEN price END) AS click_price, sum(seconds) FILTER (WHERE kind = 'click') AS click_seconds, count(seconds) FILTER (WHERE kind = 'click') AS timed_clicks, max(CASE WHEN kind = 'click' THEN weight END) AS heaviest FROM events GROUP BY region, day
--@ view whole
SELECT sum(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS clicks FROM events

--@ case: a count from a sum of ones and zeros
SELECT region, count(CASE WHEN kind = 'click' THEN 1 END) AS a, count(CASE WHEN kind = 'click' THEN 1 ELSE NULL END) AS b, count(*) FILTER (WHERE kind = 'click') AS c, count_if(kind = 'click') AS d, count(CASE WHEN kind = 'click' THEN price END) AS e FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`clicks`), 0) AS a, coalesce(sum(v.`clicks`), 0) AS b, coalesce(sum(v.`clicks`), 0) AS c, coalesce(sum(v.`clicks`), 0) AS d, coalesce(sum(v.`clicks`), 0) AS e FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a sum of ones and zeros from a count
SELECT region, sum(CASE WHEN device = 'desk' THEN 1 ELSE 0 END) AS desks, sum(if(paid, 1, 0)) AS payments, count(*) FILTER (WHERE device = 'desk') AS more FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`desks`) AS desks, sum(v.`payments`) AS payments, coalesce(sum(v.`desks`), 0) AS more FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a sum of ones is NULL where there is none
SELECT region, sum(CASE WHEN kind = 'click' THEN 1 END) AS clicks, sum(CASE WHEN kind = 'view' THEN 1 ELSE 0 END) AS views, count_if(kind = 'view') AS counted FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(nullif(v.`clicks`, 0)) AS clicks, sum(coalesce(v.`views`, 0)) AS views, coalesce(sum(coalesce(v.`views`, 0)), 0) AS counted FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: CASE with an operand, and if()
SELECT region, sum(CASE kind WHEN 'click' THEN 1 ELSE 0 END) AS clicks, sum(if(kind = 'click', price, NULL)) AS price, sum(CASE kind WHEN 'click' THEN price END) AS again FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`clicks`) AS clicks, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS again FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a FILTER as a CASE, and a CASE as a FILTER
SELECT region, sum(price) FILTER (WHERE kind = 'click') AS price, sum(CASE WHEN kind = 'click' THEN seconds END) AS seconds, max(weight) FILTER (WHERE kind = 'click') AS weight FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price, sum(v.`click_seconds`) AS seconds, max(v.`heaviest`) AS weight FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: zero for other rows, of a column that is never NULL
SELECT region, sum(CASE WHEN kind = 'click' THEN price ELSE 0 END) AS price FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, CAST(sum(coalesce(v.`click_price`, 0)) AS DECIMAL(22, 2)) AS price FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: the same over all rows, of which there may be none
SELECT sum(CASE WHEN kind = 'click' THEN price ELSE 0 END) AS price, sum(CASE WHEN kind = 'click' THEN 1 END) AS clicks, count(*) FILTER (WHERE kind = 'click') AS counted FROM events WHERE region = 'none'
--@ rewritten using by_day
SELECT CAST(sum(coalesce(v.`click_price`, 0)) AS DECIMAL(22, 2)) AS price, sum(nullif(v.`clicks`, 0)) AS clicks, coalesce(sum(v.`clicks`), 0) AS counted FROM lake.demo.by_day__storage AS v WHERE v.`region` = 'none'

--@ case: at the view's own groups
SELECT region, day, count_if(kind = 'click') AS clicks, sum(price) FILTER (WHERE kind = 'click') AS price, sum(CASE WHEN kind = 'click' THEN price ELSE 0 END) AS zeroed FROM events GROUP BY region, day
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, v.`clicks` AS clicks, CAST(v.`click_price` AS DECIMAL(20, 2)) AS price, CAST(coalesce(v.`click_price`, 0) AS DECIMAL(22, 2)) AS zeroed FROM lake.demo.by_day__storage AS v

--@ case: averages, shares and other constants
SELECT region, avg(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS share, avg(CASE WHEN kind = 'click' THEN price END) AS price, avg(seconds) FILTER (WHERE kind = 'click') AS seconds, sum(CASE WHEN kind = 'click' THEN 100 ELSE 0 END) AS percent FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, CAST(sum(v.`clicks`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE) AS share, CAST((CAST(CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`clicks`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS price, CAST(sum(v.`click_seconds`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`timed_clicks`), 0), 0) AS DOUBLE) AS seconds, sum(CAST(100 AS BIGINT) * v.`clicks`) AS percent FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: an average in DECIMAL
SELECT region, avg(CASE WHEN kind = 'click' THEN 1.0 ELSE 0.0 END) AS share FROM events WHERE region <> 'eu' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, CAST((CAST(CAST(sum(1.0 * CAST(v.`clicks` AS DECIMAL(18, 0))) AS DECIMAL(12, 1)) * 10 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE)) / CAST(10 AS DOUBLE) AS DECIMAL(6, 5)) AS share FROM lake.demo.by_day__storage AS v WHERE v.`region` <> 'eu' GROUP BY v.`region`

--@ case: the other rows
SELECT region, sum(CASE WHEN kind = 'click' THEN 0 ELSE 1 END) AS others, count(*) - count_if(kind = 'click') AS same FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`n` - v.`clicks`) AS others, coalesce(sum(v.`n`), 0) - coalesce(sum(v.`clicks`), 0) AS same FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a further condition on a grouping column
SELECT count_if(kind = 'click' AND region = 'eu') AS clicks, sum(CASE WHEN day < DATE '2024-02-01' AND kind = 'click' THEN price END) AS price, sum(CASE WHEN kind = 'click' AND region = 'eu' THEN 1 ELSE 0 END) AS zeroed FROM events
--@ rewritten using by_day
SELECT coalesce(sum(CASE WHEN v.`region` = 'eu' THEN v.`clicks` ELSE 0 END), 0) AS clicks, CAST(sum(CASE WHEN v.`day` < CAST('2024-02-01' AS DATE) THEN v.`click_price` END) AS DECIMAL(20, 2)) AS price, sum(CASE WHEN v.`region` = 'eu' THEN v.`clicks` ELSE 0 END) AS zeroed FROM lake.demo.by_day__storage AS v

--@ case: in HAVING and ORDER BY
SELECT region, count(*) FILTER (WHERE kind = 'click') AS clicks FROM events GROUP BY region HAVING sum(if(kind = 'click', 1, 0)) > 0 ORDER BY clicks DESC, region LIMIT 2
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`clicks`), 0) AS clicks FROM lake.demo.by_day__storage AS v GROUP BY v.`region` HAVING sum(v.`clicks`) > 0 ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: ROLLUP
SELECT region, day, count_if(kind = 'click') AS clicks, sum(price) FILTER (WHERE kind = 'click') AS price FROM events GROUP BY ROLLUP (region, day)
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, coalesce(sum(v.`clicks`), 0) AS clicks, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price FROM lake.demo.by_day__storage AS v GROUP BY GROUPING SETS ((v.`region`, v.`day`), (v.`region`), ())

--@ case: zero for other rows, of a column that may be NULL
SELECT region, sum(CASE WHEN kind = 'click' THEN seconds ELSE 0 END) AS seconds FROM events GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW sum(CASE WHEN kind = 'click' THEN seconds ELSE 0 END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY

--@ case: the rows in which the column is present
SELECT region, count(CASE WHEN device = 'desk' THEN seconds END) AS timed FROM events GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(CASE WHEN device = 'desk' THEN seconds END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY

--@ case: another condition
SELECT region, count_if(kind = 'sale') AS sales, count_if(device <> 'desk') AS others FROM events GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY

--@ case: a stored sum of ones and zeros without groups may be NULL
SELECT count_if(kind = 'click') AS clicks, max(price) AS price FROM events
--@ kept: by_day AGGREGATE_NOT_IN_VIEW max(price); whole COLUMN_NOT_IN_VIEW kind

--@ case: in a join that repeats groups
SELECT p.region, p.people, count(CASE WHEN e.kind = 'click' THEN 1 END) AS clicks, sum(CASE WHEN e.kind = 'click' THEN 1 ELSE 0 END) AS zeroed FROM places AS p JOIN events AS e ON e.region = p.region GROUP BY p.region, p.people
--@ rewritten using by_day
SELECT v.`region` AS region, places_0.people AS people, coalesce(sum(v.`clicks`), 0) AS clicks, sum(v.`clicks`) AS zeroed FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v, lake.demo.places VERSION AS OF 1001 AS places_0 WHERE v.`region` = places_0.region GROUP BY v.`region`, places_0.people

--@ case: in a LEFT JOIN that fills a row of NULLs
SELECT p.region, p.people, count(CASE WHEN e.device = 'desk' THEN 1 END) AS desks, sum(CASE WHEN e.kind = 'click' THEN 1 ELSE 0 END) AS zeroed FROM places AS p LEFT JOIN events AS e ON e.region = p.region GROUP BY p.region, p.people
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(CASE WHEN device = 'desk' THEN 1 END); whole COLUMN_NOT_IN_VIEW region

--@ case: two conditions
SELECT region, sum(CASE WHEN kind = 'click' THEN 1 WHEN kind = 'view' THEN 2 ELSE 0 END) AS n FROM events GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW sum(CASE WHEN kind = 'click' THEN 1 WHEN kind = 'view' THEN 2 ELSE 0 END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY

--@ case: distinct grouping columns of the rows with the condition
SELECT region, count(DISTINCT CASE WHEN kind = 'click' THEN day END) AS days, count(DISTINCT day) FILTER (WHERE kind = 'click') AS same, count(DISTINCT day) AS every FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, count(DISTINCT CASE WHEN v.`clicks` > 0 THEN v.`day` END) AS days, count(DISTINCT CASE WHEN v.`clicks` > 0 THEN v.`day` END) AS same, count(DISTINCT v.`day`) AS every FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: the last day of the rows with the condition
SELECT region, max(CASE WHEN kind = 'click' THEN day END) AS last, min(if(device = 'desk' AND day < DATE '2024-03-01', day, NULL)) AS first FROM events GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, max(CASE WHEN v.`clicks` > 0 THEN v.`day` END) AS last, min(CASE WHEN (v.`day` < CAST('2024-03-01' AS DATE)) AND (v.`desks` > 0) THEN v.`day` END) AS first FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: distinct columns that are no grouping columns
SELECT region, count(DISTINCT CASE WHEN kind = 'click' THEN device END) AS devices FROM events GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN kind = 'click' THEN device END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY

--@ case: a sum of distinct values, and two of them
SELECT region, count(DISTINCT CASE WHEN kind = 'view' THEN day END, region) AS pairs, count(DISTINCT CASE WHEN kind = 'click' THEN day ELSE DATE '2024-01-01' END) AS others FROM events GROUP BY region
--@ kept: by_day AGGREGATE_NOT_IN_VIEW count(DISTINCT CASE WHEN kind = 'click' THEN day ELSE CAST('2024-01-01' AS DATE) END); whole GROUPING_TOO_COARSE the view stores a single group of all rows: add region to the view's GROUP BY
