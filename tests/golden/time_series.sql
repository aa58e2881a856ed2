-- Time buckets: minute to year, what rolls up, what does not, and filters on time.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, local TIMESTAMP_NTZ, day DATE, price BIGINT);
--@ rows
INSERT INTO sales VALUES
  (TIMESTAMP '2016-02-23 09:01:30', TIMESTAMP_NTZ '2016-02-23 09:01:30', DATE '2016-02-23', 2),
  (TIMESTAMP '2016-02-23 09:01:50', TIMESTAMP_NTZ '2016-02-23 09:01:50', DATE '2016-02-23', 5),
  (TIMESTAMP '2016-02-23 09:59:59', TIMESTAMP_NTZ '2016-02-23 09:59:59', DATE '2016-02-23', 1),
  (TIMESTAMP '2016-02-29 23:59:50', TIMESTAMP_NTZ '2016-02-29 23:59:50', DATE '2016-02-29', 5),
  (TIMESTAMP '2016-03-01 00:00:00', TIMESTAMP_NTZ '2016-03-01 00:00:00', DATE '2016-03-01', 5),
  (TIMESTAMP '2017-01-01 00:00:00', TIMESTAMP_NTZ '2017-01-01 00:00:00', DATE '2017-01-01', 7),
  (NULL, NULL, NULL, NULL), (NULL, NULL, NULL, 4)
--@ view by_minute
SELECT timeseries(order_time, 'minute') AS m, avg(price) AS a, count(*) AS c FROM sales GROUP BY timeseries(order_time, 'minute')
--@ view by_week
SELECT timeseries(order_time, 'week') AS w, max(price) AS top FROM sales GROUP BY timeseries(order_time, 'week')
--@ view local_ten
SELECT timeseries(local, 'ten_minute') AS t, sum(price) AS s FROM sales GROUP BY timeseries(local, 'ten_minute')
--@ view by_month
SELECT timeseries(day, 'month') AS month, sum(price) AS s FROM sales GROUP BY timeseries(day, 'month')

--@ case: the view's own grain
SELECT timeseries(order_time, 'minute'), avg(price) FROM sales GROUP BY timeseries(order_time, 'minute')
--@ rewritten using by_minute
SELECT v.`m`, v.`a` FROM lake.demo.by_minute__storage AS v

--@ case: minutes to hours
SELECT timeseries(order_time,'hour'), avg(price) FROM sales GROUP BY timeseries(order_time,'hour')
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`), CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('HOUR', v.`m`)

--@ case: minutes to a quarter of an hour
SELECT timeseries(order_time, 'fifteen_minute') AS q, count(*) FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT timestamp_seconds(unix_seconds(date_trunc('HOUR', v.`m`)) + ((unix_seconds(v.`m`) - unix_seconds(date_trunc('HOUR', v.`m`))) DIV 900) * 900) AS q, coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY timestamp_seconds(unix_seconds(date_trunc('HOUR', v.`m`)) + ((unix_seconds(v.`m`) - unix_seconds(date_trunc('HOUR', v.`m`))) DIV 900) * 900)

--@ case: a number of minutes names the same grain
SELECT timeseries(order_time, '15 minutes') AS q, count(*) FROM sales GROUP BY timeseries(order_time, '15 min')
--@ rewritten using by_minute
SELECT timestamp_seconds(unix_seconds(date_trunc('HOUR', v.`m`)) + ((unix_seconds(v.`m`) - unix_seconds(date_trunc('HOUR', v.`m`))) DIV 900) * 900) AS q, coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY timestamp_seconds(unix_seconds(date_trunc('HOUR', v.`m`)) + ((unix_seconds(v.`m`) - unix_seconds(date_trunc('HOUR', v.`m`))) DIV 900) * 900)

--@ case: ten minutes do not divide fifteen, however they are written
SELECT timeseries(local, '15 minutes') AS q, sum(price) FROM sales GROUP BY 1
--@ kept: by_minute GROUPING_TOO_COARSE local; by_month GROUPING_TOO_COARSE local; by_week GROUPING_TOO_COARSE local; local_ten GROUPING_TOO_COARSE local
SELECT make_timestamp_ntz(year(local), month(local), day(local), hour(local), CAST((minute(local) DIV 15) * 15 AS INT), 0) AS q, sum(price) FROM sales GROUP BY 1

--@ case: buckets of buckets, in a window and a join
SELECT h, sum(c) OVER (PARTITION BY timeseries(h, '1 day') ORDER BY h) AS so_far FROM (SELECT timeseries(order_time, '1 hour') AS h, count(*) AS c FROM sales GROUP BY 1) AS q
--@ rewritten using by_minute
SELECT h, sum(c) OVER (PARTITION BY date_trunc('DAY', h) ORDER BY h) AS so_far FROM (SELECT date_trunc('HOUR', v.`m`) AS h, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('HOUR', v.`m`)) AS q

--@ case: a filter by a bucket
SELECT timeseries(order_time, 'day') AS d, count(*) AS c FROM sales WHERE timeseries(order_time, 'hour') >= '2016-02-29' GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', v.`m`) AS d, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v WHERE date_trunc('HOUR', v.`m`) >= '2016-02-29' GROUP BY date_trunc('DAY', v.`m`)

--@ case: date_trunc is a spelling of the same bucket
SELECT date_trunc('month', order_time), count(*) FROM sales GROUP BY date_trunc('month', order_time) ORDER BY 1
--@ rewritten using by_minute
SELECT date_trunc('MONTH', v.`m`), coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('MONTH', v.`m`) ORDER BY 1 ASC NULLS FIRST

--@ case: labels that are constant over each bucket
SELECT year(order_time), month(order_time), hour(order_time), count(*) FROM sales GROUP BY year(order_time), month(order_time), hour(order_time)
--@ rewritten using by_minute
SELECT year(v.`m`), month(v.`m`), hour(v.`m`), coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY year(v.`m`), month(v.`m`), hour(v.`m`)

--@ case: a date is a label
SELECT CAST(order_time AS DATE), count(*) FROM sales GROUP BY CAST(order_time AS DATE)
--@ rewritten using by_minute
SELECT CAST(v.`m` AS DATE), coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY CAST(v.`m` AS DATE)

--@ case: finer than the view
SELECT timeseries(order_time, 'second'), count(*) FROM sales GROUP BY 1
--@ kept: by_minute GROUPING_TOO_COARSE order_time; by_month GROUPING_TOO_COARSE order_time; by_week GROUPING_TOO_COARSE order_time; local_ten GROUPING_TOO_COARSE order_time
SELECT date_trunc('SECOND', order_time) AS `timeseries(order_time, 'second')`, count(*) FROM sales GROUP BY 1

--@ case: weeks straddle months
SELECT timeseries(order_time, 'month'), max(price) FROM sales GROUP BY timeseries(order_time, 'month')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(price); by_month GROUPING_TOO_COARSE order_time; by_week GROUPING_TOO_COARSE order_time; local_ten GROUPING_TOO_COARSE order_time
SELECT date_trunc('MONTH', order_time) AS `timeseries(order_time, 'month')`, max(price) FROM sales GROUP BY date_trunc('MONTH', order_time)

--@ case: ten minutes do not divide fifteen
SELECT timeseries(local, 'fifteen_minute'), sum(price) FROM sales GROUP BY timeseries(local, 'fifteen_minute')
--@ kept: by_minute GROUPING_TOO_COARSE local; by_month GROUPING_TOO_COARSE local; by_week GROUPING_TOO_COARSE local; local_ten GROUPING_TOO_COARSE local
SELECT make_timestamp_ntz(year(local), month(local), day(local), hour(local), CAST((minute(local) DIV 15) * 15 AS INT), 0) AS `timeseries(local, 'fifteen_minute')`, sum(price) FROM sales GROUP BY make_timestamp_ntz(year(local), month(local), day(local), hour(local), CAST((minute(local) DIV 15) * 15 AS INT), 0)

--@ case: ten minutes to half an hour, without a zone
SELECT timeseries(local, 'thirty_minute'), sum(price) FROM sales GROUP BY timeseries(local, 'thirty_minute')
--@ rewritten using local_ten
SELECT make_timestamp_ntz(year(v.`t`), month(v.`t`), day(v.`t`), hour(v.`t`), CAST((minute(v.`t`) DIV 30) * 30 AS INT), 0), sum(v.`s`) FROM lake.demo.local_ten__storage AS v GROUP BY make_timestamp_ntz(year(v.`t`), month(v.`t`), day(v.`t`), hour(v.`t`), CAST((minute(v.`t`) DIV 30) * 30 AS INT), 0)

--@ case: months of dates to quarters
SELECT timeseries(day, 'quarter'), sum(price) FROM sales GROUP BY timeseries(day, 'quarter')
--@ rewritten using by_month
SELECT trunc(v.`month`, 'QUARTER'), sum(v.`s`) FROM lake.demo.by_month__storage AS v GROUP BY trunc(v.`month`, 'QUARTER')

--@ case: trunc is a spelling for dates
SELECT trunc(day, 'YEAR') AS y, sum(price) FROM sales GROUP BY trunc(day, 'YEAR')
--@ rewritten using by_month
SELECT trunc(v.`month`, 'YEAR') AS y, sum(v.`s`) FROM lake.demo.by_month__storage AS v GROUP BY trunc(v.`month`, 'YEAR')

--@ case: a half-open range on borders is a range of buckets
SELECT timeseries(order_time, 'hour'), count(*) FROM sales WHERE order_time >= '2016-02-23' AND order_time < TIMESTAMP '2016-03-01 00:00:00' GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`), coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2016-02-23' AND v.`m` < CAST('2016-03-01 00:00:00' AS TIMESTAMP) GROUP BY date_trunc('HOUR', v.`m`)

--@ case: equality on the time is less than a bucket
SELECT count(*) FROM sales WHERE order_time = '2016-02-23 09:01:00'
--@ kept: by_minute COLUMN_NOT_IN_VIEW order_time: order_time = '2016-02-23 09:01:00' may select a part of one of the view's buckets (minute): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW order_time; by_week COLUMN_NOT_IN_VIEW order_time: order_time = '2016-02-23 09:01:00' may select a part of one of the view's buckets (week): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; local_ten COLUMN_NOT_IN_VIEW order_time

--@ case: an inclusive upper bound takes one instant of a bucket
SELECT count(*) FROM sales WHERE order_time <= '2016-02-23 09:01:00'
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` < CAST('2016-02-23 09:01:00' AS TIMESTAMP) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.order_time <= '2016-02-23 09:01:00' AND sales_0.order_time >= CAST('2016-02-23 09:01:00' AS TIMESTAMP)) AS v

--@ case: a bound within a bucket
SELECT count(*) FROM sales WHERE order_time >= '2016-02-23 09:01:30'
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= CAST('2016-02-23 09:02:00' AS TIMESTAMP) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.order_time >= '2016-02-23 09:01:30' AND sales_0.order_time < CAST('2016-02-23 09:02:00' AS TIMESTAMP)) AS v

--@ case: an inclusive bound on a date closes its month
SELECT sum(price) FROM sales WHERE day >= '2016-02-01' AND day <= '2016-02-29'
--@ rewritten using by_month
SELECT sum(v.`s`) FROM lake.demo.by_month__storage AS v WHERE v.`month` >= '2016-02-01' AND v.`month` <= '2016-02-29'

--@ case: a date within a month
SELECT sum(price) FROM sales WHERE day <= '2016-02-28'
--@ rewritten using by_month
SELECT sum(v.`c0`) FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2003 AS v WHERE v.`month` < CAST('2016-02-01' AS DATE) UNION ALL SELECT sum(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.day <= '2016-02-28' AND sales_0.day >= CAST('2016-02-01' AS DATE)) AS v

--@ case: without any view it is still put into Spark's functions, named as typed
SELECT timeseries(order_time, 'day'), timeseries(day, 'week') AS w, min(price) FROM sales GROUP BY 1, 2
--@ kept: by_minute GROUPING_TOO_COARSE day; by_month GROUPING_TOO_COARSE order_time; by_week GROUPING_TOO_COARSE order_time; local_ten GROUPING_TOO_COARSE order_time
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, trunc(day, 'WEEK') AS w, min(price) FROM sales GROUP BY 1, 2

--@ case: the midnight on which a quarter of a date begins, from months of it
SELECT date_trunc('quarter', day) AS q, sum(price) AS s FROM sales WHERE date_trunc('month', day) >= TIMESTAMP '2017-01-01' GROUP BY 1
--@ rewritten using by_month
SELECT date_trunc('quarter', v.`month`) AS q, sum(v.`s`) AS s FROM lake.demo.by_month__storage AS v WHERE date_trunc('month', v.`month`) >= CAST('2017-01-01' AS TIMESTAMP) GROUP BY date_trunc('quarter', v.`month`)

--@ case: weeks of a date do not follow from its months
SELECT date_trunc('week', day) AS w, sum(price) AS s FROM sales GROUP BY 1
--@ kept: by_minute GROUPING_TOO_COARSE day; by_month GROUPING_TOO_COARSE day; by_week GROUPING_TOO_COARSE day; local_ten GROUPING_TOO_COARSE day
