-- Rows by a condition, from a view that stores aggregates of the rows in which the condition is true.
--@ schema
CREATE TABLE events (id INT NOT NULL, region STRING, day DATE, kind STRING NOT NULL, device STRING, price DECIMAL(10,2) NOT NULL, seconds INT, weight DOUBLE, paid BOOLEAN);
CREATE TABLE places (region STRING, people INT)
--@ rows
INSERT INTO events VALUES (1, 'eu', DATE '2024-01-01', 'click', 'phone', 1.50, 10, -0.0D, true), (2, 'eu', DATE '2024-01-01', 'view', NULL, -2.25, NULL, 1.5, NULL), (3, NULL, DATE '2024-01-31', 'view', 'desk', 3.00, NULL, NULL, false), (4, 'us', DATE '2024-02-01', 'click', 'desk', 0.00, NULL, 9.9, NULL), (4, 'us', DATE '2024-02-01', 'click', 'desk', 0.00, NULL, 9.9, NULL), (5, 'as', NULL, 'sale', NULL, 7.75, 3, NULL, true), (6, 'eu', DATE '2024-02-03', 'click', 'phone', 4.10, -7, 0.5, false);
INSERT INTO places VALUES ('eu', 400), ('us', 300), ('us', NULL), ('xx', 1), (NULL, 5)
--@ view by_day
SELECT region, day, count(*) AS n, sum(seconds) AS seconds, sum(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS clicks, sum(CASE WHEN kind = 'click' THEN price END) AS click_price, sum(seconds) FILTER (WHERE kind = 'click') AS click_seconds, max(CASE WHEN kind = 'click' THEN weight END) AS heaviest, count_if(device = 'desk' AND paid) AS paid_desks, sum(CASE WHEN kind = 'sale' THEN price END) AS sales, count_if(weight > 1) AS heavy, count_if(weight < 5) AS light FROM events GROUP BY region, day
--@ view whole
SELECT sum(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS clicks FROM events
--@ view often
SELECT region, count_if(kind = 'view') AS views FROM events GROUP BY region HAVING count(*) > 1

--@ case: counts and sums of the rows with the condition
SELECT region, count(*) AS clicks, sum(price) AS price, sum(seconds) AS seconds, max(weight) AS weight FROM events WHERE kind = 'click' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`clicks`), 0) AS clicks, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price, sum(v.`click_seconds`) AS seconds, max(v.`heaviest`) AS weight FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY v.`region`

--@ case: over all rows, of which there may be none
SELECT count(*) AS clicks, sum(price) AS price FROM events WHERE kind = 'click' AND region = 'as'
--@ rewritten using by_day
SELECT coalesce(sum(v.`clicks`), 0) AS clicks, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 AND v.`region` = 'as'

--@ case: at the view's own groups
SELECT region, day, sum(price) AS price FROM events WHERE kind = 'click' GROUP BY region, day
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, v.`click_price` AS price FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0

--@ case: of grouping columns
SELECT region, count(DISTINCT day) AS days, min(day) AS first FROM events WHERE kind = 'click' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, count(DISTINCT v.`day`) AS days, min(v.`day`) AS first FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY v.`region`

--@ case: DISTINCT
SELECT DISTINCT region FROM events WHERE kind = 'click'
--@ rewritten using by_day
SELECT v.`region` AS region FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY v.`region`

--@ case: a further filter, HAVING, ORDER BY and LIMIT
SELECT region, sum(seconds) AS seconds, count(*) AS clicks FROM events WHERE 'click' = kind AND day < DATE '2024-02-02' GROUP BY region HAVING count(*) > 0 ORDER BY clicks DESC, region LIMIT 1
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`click_seconds`) AS seconds, coalesce(sum(v.`clicks`), 0) AS clicks FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 AND v.`day` < CAST('2024-02-02' AS DATE) GROUP BY v.`region` HAVING coalesce(sum(v.`clicks`), 0) > 0 ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 1

--@ case: a condition of two parts
SELECT region, count(*) AS n FROM events WHERE paid AND device = 'desk' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`paid_desks`), 0) AS n FROM lake.demo.by_day__storage AS v WHERE v.`paid_desks` > 0 GROUP BY v.`region`

--@ case: ROLLUP
SELECT region, day, count(*) AS n, sum(price) AS price FROM events WHERE kind = 'click' GROUP BY ROLLUP (region, day)
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, coalesce(sum(v.`clicks`), 0) AS n, CAST(sum(v.`click_price`) AS DECIMAL(20, 2)) AS price FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY GROUPING SETS ((v.`region`, v.`day`), (v.`region`), ())

--@ case: a window over the groups
SELECT region, count(*) AS n, rank() OVER (ORDER BY count(*) DESC) AS place FROM events WHERE kind = 'click' GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`clicks`), 0) AS n, rank() OVER (ORDER BY coalesce(sum(v.`clicks`), 0) DESC) AS place FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY v.`region`

--@ case: a join of the groups
SELECT p.region, sum(p.people) AS people, count(*) AS clicks FROM events AS e JOIN places AS p ON p.region = e.region WHERE e.kind = 'click' GROUP BY p.region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(CAST(places_0.people AS BIGINT) * v.`clicks`) AS people, coalesce(sum(v.`clicks`), 0) AS clicks FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v, lake.demo.places VERSION AS OF 1001 AS places_0 WHERE v.`clicks` > 0 AND places_0.region = v.`region` GROUP BY v.`region`

--@ case: regions that exist
SELECT region, people FROM places AS p WHERE EXISTS (SELECT 1 FROM events AS e WHERE e.region = p.region AND e.kind = 'click')
--@ rewritten using by_day
SELECT region, people FROM places VERSION AS OF 1001 AS p WHERE EXISTS (SELECT 1 FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v WHERE v.`clicks` > 0 AND v.`region` = p.region)

--@ case: in a derived table
SELECT max(clicks) AS most FROM (SELECT region, count(*) AS clicks FROM events WHERE kind = 'click' GROUP BY region) AS c
--@ rewritten using by_day
SELECT max(clicks) AS most FROM (SELECT v.`region` AS region, coalesce(sum(v.`clicks`), 0) AS clicks FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0 GROUP BY v.`region`) AS c

--@ case: only HAVING counts the rows with the condition
SELECT region, day, sum(seconds) AS seconds FROM events GROUP BY region, day HAVING count_if(kind = 'click') > 0
--@ rewritten using by_day
SELECT v.`region` AS region, v.`day` AS day, v.`seconds` AS seconds FROM lake.demo.by_day__storage AS v WHERE v.`clicks` > 0

--@ case: without a count of the rows, a group may have none
SELECT region, sum(price) AS price FROM events WHERE kind = 'sale' GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often COLUMN_NOT_IN_VIEW kind; whole COLUMN_NOT_IN_VIEW kind

--@ case: an aggregate that is stored of all rows only
SELECT region, sum(id) AS ids FROM events WHERE kind = 'click' GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often COLUMN_NOT_IN_VIEW kind; whole COLUMN_NOT_IN_VIEW kind

--@ case: sum(seconds) of all rows is no sum of the rows with the condition
SELECT region, sum(seconds) AS seconds FROM events WHERE device = 'desk' AND paid GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW device; often COLUMN_NOT_IN_VIEW device; whole COLUMN_NOT_IN_VIEW device

--@ case: a weaker filter
SELECT region, count(*) AS n FROM events WHERE kind IN ('click', 'view') GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often COLUMN_NOT_IN_VIEW kind; whole COLUMN_NOT_IN_VIEW kind

--@ case: a stronger filter on a column that the view lacks
SELECT region, count(*) AS n FROM events WHERE kind = 'click' AND device = 'phone' GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often COLUMN_NOT_IN_VIEW kind; whole COLUMN_NOT_IN_VIEW kind

--@ case: the view has a single group
SELECT count(*) AS clicks, max(kind) AS kind FROM events WHERE kind = 'click'
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often COLUMN_NOT_IN_VIEW kind; whole COLUMN_NOT_IN_VIEW kind

--@ case: the view's HAVING drops groups
SELECT region, count(*) AS n FROM events WHERE kind = 'view' GROUP BY region
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often VIEW_FILTERS_MORE `count(*)` > 1; whole COLUMN_NOT_IN_VIEW kind

--@ case: single rows
SELECT region, price FROM events WHERE kind = 'click'
--@ kept: by_day COLUMN_NOT_IN_VIEW kind; often SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; whole COLUMN_NOT_IN_VIEW kind

--@ case: a comparison of a DOUBLE by which no file with NaN is skipped
SELECT region, count(*) AS n FROM events WHERE weight < 5 GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`light`), 0) AS n FROM lake.demo.by_day__storage AS v WHERE v.`light` > 0 GROUP BY v.`region`

--@ case: a comparison of a DOUBLE that is true for NaN, which the statistics of a file ignore
SELECT region, count(*) AS n FROM events WHERE weight > 1 GROUP BY region
--@ kept: by_day FLOAT_COMPARED weight > 1; often FLOAT_COMPARED weight > 1; whole FLOAT_COMPARED weight > 1

--@ case: no file is skipped by a condition of an aggregate
SELECT region, count_if(weight > 1) AS heavy FROM events GROUP BY region HAVING count_if(weight > 1) > 0
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`heavy`), 0) AS heavy FROM lake.demo.by_day__storage AS v GROUP BY v.`region` HAVING coalesce(sum(v.`heavy`), 0) > 0
