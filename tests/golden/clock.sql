-- What tells the time is a constant of one statement that nobody knows before it runs.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, amount INT, score DOUBLE);
--@ rows
INSERT INTO sales VALUES
  (1, 'eu', DATE '2024-01-15', TIMESTAMP '2024-01-15 10:20:30', TIMESTAMP_NTZ '2024-01-15 10:20:30', 10, 1.5),
  (2, 'eu', DATE '2024-01-16', TIMESTAMP '2024-01-16 00:00:00', TIMESTAMP_NTZ '2024-01-16 00:00:00', 20, 0.0),
  (3, 'us', DATE '2024-01-31', TIMESTAMP '2024-01-31 23:59:59', TIMESTAMP_NTZ '2024-01-31 23:59:59', 30, -0.0D),
  (4, 'us', DATE '2024-02-01', TIMESTAMP '2024-02-01 00:00:00', TIMESTAMP_NTZ '2024-02-01 00:00:00', 40, NULL),
  (5, NULL, DATE '2024-02-08', TIMESTAMP '2024-02-08 10:20:30.5', TIMESTAMP_NTZ '2024-02-08 10:20:30.5', NULL, 2.5),
  (6, 'eu', DATE '2024-02-08', TIMESTAMP '2024-02-08 10:20:30.4', TIMESTAMP_NTZ '2024-02-08 10:20:30.4', 60, 2.5),
  (7, 'eu', DATE '2024-02-15', TIMESTAMP '2024-02-15 00:00:00', TIMESTAMP_NTZ '2024-02-15 00:00:00', 70, 15.0),
  (8, 'us', DATE '2024-02-15', TIMESTAMP '2024-02-15 10:20:30.5', TIMESTAMP_NTZ '2024-02-15 10:20:30.5', 80, 15.0),
  (9, 'us', DATE '2024-02-16', TIMESTAMP '2024-02-16 00:00:00', TIMESTAMP_NTZ '2024-02-16 00:00:00', 90, -1.0),
  (10, 'us', DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP_NTZ '2024-02-29 12:00:00', 100, 7.0),
  (11, 'us', DATE '2024-03-01', TIMESTAMP '2024-03-01 00:00:00', TIMESTAMP_NTZ '2024-03-01 00:00:00', 110, 7.0),
  (12, NULL, NULL, NULL, NULL, 120, NULL)
--@ view by_day
SELECT region, day, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region, day
--@ view at_hour
SELECT date_trunc('hour', at) AS hour, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY date_trunc('hour', at)
--@ view local_month
SELECT timeseries(local, 'month') AS month, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY 1
--@ view since_february
SELECT region, day, id, amount, score FROM sales WHERE day >= DATE '2024-02-01'

--@ case: a dashboard's last thirty days
SELECT region, sum(amount) AS s FROM sales WHERE day >= current_date() - 30 GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`day` >= (current_date() - 30) GROUP BY v.`region`

--@ case: without parentheses, and from the other side
SELECT day, count(*) AS c FROM sales WHERE date_sub(current_date, 7) <= day GROUP BY day
--@ rewritten using by_day
SELECT v.`day` AS day, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_day__storage AS v WHERE v.`day` >= date_sub(current_date(), 7) GROUP BY v.`day`

--@ case: curdate is another name, BETWEEN and interval
SELECT sum(amount) AS s FROM sales WHERE day BETWEEN curdate() - INTERVAL 7 DAYS AND curdate()
--@ rewritten using by_day
SELECT sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`day` >= (current_date() - INTERVAL '7' DAYS) AND v.`day` <= current_date()

--@ case: this month
SELECT region, sum(amount) AS s FROM sales WHERE day >= trunc(current_date(), 'MONTH') AND day <= last_day(current_date()) GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`day` >= trunc(current_date(), 'MONTH') AND v.`day` <= last_day(current_date()) GROUP BY v.`region`

--@ case: equal to today, and a label of the day beside a label of today
SELECT region, count(*) AS c FROM sales WHERE day = current_date() OR month(day) = month(add_months(current_date(), -1)) GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_day__storage AS v WHERE ((v.`day` = current_date()) OR (month(v.`day`) = month(add_months(current_date(), -1)))) GROUP BY v.`region`

--@ case: an output, a condition of an aggregate and HAVING
SELECT region, current_date() AS today, sum(CASE WHEN day >= current_date() - 7 THEN amount END) AS week, max(day) AS last FROM sales GROUP BY region HAVING max(day) >= current_date() - 20
--@ rewritten using by_day
SELECT v.`region` AS region, current_date() AS today, sum(CASE WHEN v.`day` >= (current_date() - 7) THEN v.`total` END) AS week, max(v.`day`) AS last FROM lake.demo.by_day__storage AS v GROUP BY v.`region` HAVING max(v.`day`) >= (current_date() - 20)

--@ case: with names as Spark gives them
SELECT current_date(), year(now()), month(current_timestamp), sum(amount) FROM sales WHERE day > current_date()
--@ rewritten using by_day
SELECT current_date(), year(current_timestamp()), month(current_timestamp()), sum(v.`total`) FROM lake.demo.by_day__storage AS v WHERE v.`day` > current_date()

--@ case: a table's time from the start of a day, over hours
SELECT date_trunc('day', at) AS d, sum(amount) AS s FROM sales WHERE at >= current_date() - 30 GROUP BY 1
--@ rewritten using at_hour
SELECT date_trunc('DAY', v.`hour`) AS d, sum(v.`total`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`hour` >= (current_date() - 30) GROUP BY date_trunc('DAY', v.`hour`)

--@ case: before midnight of today
SELECT count(*) AS c FROM sales WHERE at < current_date() AND at >= date_trunc('month', current_date()) - INTERVAL 1 MONTH
--@ rewritten using at_hour
SELECT coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.at_hour__storage AS v WHERE v.`hour` < current_date() AND v.`hour` >= (date_trunc('month', current_date()) - INTERVAL '1' MONTH)

--@ case: whole hours
SELECT count(*) AS c FROM sales WHERE at >= date_trunc('hour', now()) - INTERVAL 168 HOURS
--@ rewritten using at_hour
SELECT coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.at_hour__storage AS v WHERE v.`hour` >= (date_trunc('hour', current_timestamp()) - INTERVAL '168' HOURS)

--@ case: the bucket of now by the name that views are made with
SELECT count(*) AS c FROM sales WHERE at >= timeseries(now(), 'hour')
--@ rewritten using at_hour
SELECT coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.at_hour__storage AS v WHERE v.`hour` >= date_trunc('hour', current_timestamp())

--@ case: the date of a time
SELECT count(*) AS c FROM sales WHERE CAST(at AS DATE) = current_date() OR to_date(at) = date_sub(now(), 7)
--@ rewritten using at_hour
SELECT coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.at_hour__storage AS v WHERE ((CAST(v.`hour` AS DATE) = current_date()) OR (CAST(v.`hour` AS DATE) = date_sub(current_timestamp(), 7)))

--@ case: months begin where a month does
SELECT sum(amount) AS s FROM sales WHERE local >= trunc(current_date(), 'MONTH') AND local < add_months(trunc(current_date(), 'month'), 1)
--@ rewritten using local_month
SELECT sum(v.`total`) AS s FROM lake.demo.local_month__storage AS v WHERE v.`month` >= trunc(current_date(), 'MONTH') AND v.`month` < add_months(trunc(current_date(), 'month'), 1)

--@ case: a quarter begins a month, a year does
SELECT sum(amount) AS s FROM sales WHERE local >= date_trunc('quarter', now()) - INTERVAL 1 YEAR
--@ rewritten using local_month
SELECT sum(v.`total`) AS s FROM lake.demo.local_month__storage AS v WHERE v.`month` >= (date_trunc('quarter', current_timestamp()) - INTERVAL '1' YEAR)

--@ case: no day begins a month for certain
SELECT sum(amount) AS s FROM sales WHERE local >= current_date()
--@ rewritten using local_month
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.local_month__storage VERSION AS OF 2002 AS v WHERE v.`month` >= (CAST(trunc(CAST(CAST(current_date() AS TIMESTAMP_NTZ) AS DATE), 'MONTH') AS TIMESTAMP_NTZ) + INTERVAL '1' MONTH) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.local >= current_date() AND sales_0.local < (CAST(trunc(CAST(CAST(current_date() AS TIMESTAMP_NTZ) AS DATE), 'MONTH') AS TIMESTAMP_NTZ) + INTERVAL '1' MONTH)) AS v

--@ case: nor does a week
SELECT sum(amount) AS s FROM sales WHERE local >= date_trunc('week', now())
--@ rewritten using local_month
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.local_month__storage VERSION AS OF 2002 AS v WHERE v.`month` >= (CAST(trunc(CAST(CAST(date_trunc('week', current_timestamp()) AS TIMESTAMP_NTZ) AS DATE), 'MONTH') AS TIMESTAMP_NTZ) + INTERVAL '1' MONTH) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.local >= date_trunc('week', current_timestamp()) AND sales_0.local < (CAST(trunc(CAST(CAST(date_trunc('week', current_timestamp()) AS TIMESTAMP_NTZ) AS DATE), 'MONTH') AS TIMESTAMP_NTZ) + INTERVAL '1' MONTH)) AS v

--@ case: an inclusive bound takes one instant of the next bucket
SELECT count(*) AS c FROM sales WHERE at <= current_date()
--@ rewritten using at_hour
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2001 AS v WHERE v.`hour` < date_trunc('HOUR', CAST(current_date() AS TIMESTAMP)) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at <= current_date() AND sales_0.at >= date_trunc('HOUR', CAST(current_date() AS TIMESTAMP))) AS v

--@ case: a moment of now divides an hour
SELECT count(*) AS c FROM sales WHERE at >= now() - INTERVAL 7 DAYS
--@ rewritten using at_hour
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2001 AS v WHERE v.`hour` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' HOUR) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at >= (current_timestamp() - INTERVAL '7' DAYS) AND sales_0.at < (date_trunc('HOUR', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' HOUR)) AS v

--@ case: half an hour is none
SELECT count(*) AS c FROM sales WHERE at >= date_trunc('hour', now()) - INTERVAL 30 MINUTES
--@ rewritten using at_hour
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2001 AS v WHERE v.`hour` >= (date_trunc('HOUR', date_trunc('hour', current_timestamp()) - INTERVAL '30' MINUTES) + INTERVAL '1' HOUR) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at >= (date_trunc('hour', current_timestamp()) - INTERVAL '30' MINUTES) AND sales_0.at < (date_trunc('HOUR', date_trunc('hour', current_timestamp()) - INTERVAL '30' MINUTES) + INTERVAL '1' HOUR)) AS v

--@ case: what the view leaves out comes from the table, on each day
SELECT id, amount FROM sales WHERE day >= current_date() - 7
--@ kept: at_hour COLUMN_NOT_IN_VIEW day; by_day GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; local_month COLUMN_NOT_IN_VIEW day; since_february VIEW_FILTERS_MORE day >= CAST('2024-02-01' AS DATE)

--@ case: rows of the view
SELECT id, amount FROM sales WHERE day >= DATE '2024-02-01' AND day < current_date()
--@ rewritten using since_february
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.since_february__storage AS v WHERE v.`day` < current_date()

--@ case: what is made of the time may be zero
SELECT id FROM sales WHERE day >= DATE '2024-02-01' AND score = day(current_date()) - 15
--@ kept: at_hour COLUMN_NOT_IN_VIEW day; by_day FLOAT_COMPARED score = day(current_date()) - 15; local_month COLUMN_NOT_IN_VIEW day; since_february FLOAT_COMPARED score = day(current_date()) - 15

--@ case: in subqueries
SELECT region, sum(amount) AS s FROM sales WHERE day >= (SELECT min(day) FROM sales WHERE day >= current_date() - 7) GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`day` >= (SELECT min(v.`day`) FROM lake.demo.by_day__storage AS v WHERE v.`day` >= (current_date() - 7)) GROUP BY v.`region`

--@ case: an output by the name of a clock
SELECT region AS current_date, sum(amount) AS s FROM sales GROUP BY region ORDER BY current_date
--@ kept: at_hour UNSUPPORTED current_date could be a column or a function: write current_date() for the function; by_day UNSUPPORTED current_date could be a column or a function: write current_date() for the function; local_month UNSUPPORTED current_date could be a column or a function: write current_date() for the function; since_february UNSUPPORTED current_date could be a column or a function: write current_date() for the function

--@ case: an alias beside it by that name
SELECT day AS current_date, region, current_date AS other FROM sales WHERE day >= DATE '2024-02-01'
--@ kept: at_hour UNSUPPORTED current_date could be a column or a function: write current_date() for the function; by_day UNSUPPORTED current_date could be a column or a function: write current_date() for the function; local_month UNSUPPORTED current_date could be a column or a function: write current_date() for the function; since_february UNSUPPORTED current_date could be a column or a function: write current_date() for the function

--@ case: a clock takes no argument
SELECT region, sum(amount) FROM sales WHERE day > current_date(1) GROUP BY region
--@ kept: at_hour UNSUPPORTED the function current_date() is not supported: read the tables in a subquery, which a view can answer, and call current_date() only in the SELECT around the subquery; by_day UNSUPPORTED the function current_date() is not supported: read the tables in a subquery, which a view can answer, and call current_date() only in the SELECT around the subquery; local_month UNSUPPORTED the function current_date() is not supported: read the tables in a subquery, which a view can answer, and call current_date() only in the SELECT around the subquery; since_february UNSUPPORTED the function current_date() is not supported: read the tables in a subquery, which a view can answer, and call current_date() only in the SELECT around the subquery
