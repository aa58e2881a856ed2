-- Days that are dates: parts of times under all their names, and coarser buckets of them.
--@ schema
CREATE TABLE sales (region STRING, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ, text STRING, amount INT);
--@ rows
INSERT INTO sales VALUES
  ('eu', DATE '2023-12-31', TIMESTAMP '2023-12-31 23:59:59', TIMESTAMP_NTZ '2023-12-31 23:59:59', '2023-12-31', 1),
  ('eu', DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', '2024-01-01', 10),
  ('us', DATE '2024-01-07', TIMESTAMP '2024-01-07 10:20:30', TIMESTAMP_NTZ '2024-01-07 10:20:30', '2024-01-07', 20),
  ('us', DATE '2024-01-31', TIMESTAMP '2024-01-31 23:59:59', TIMESTAMP_NTZ '2024-01-31 23:59:59', '2024-01-31', 30),
  (NULL, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP_NTZ '2024-02-29 12:00:00', '2024-02-29', NULL),
  ('eu', DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', TIMESTAMP_NTZ '2024-02-29 12:00:00', '2024-02-29', 50),
  ('eu', DATE '2024-04-01', TIMESTAMP '2024-04-01 00:00:00', TIMESTAMP_NTZ '2024-04-01 00:00:00', '2024-04-01', 60),
  ('us', NULL, NULL, NULL, NULL, 70)
--@ view by_day
SELECT region, day, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region, day
--@ view by_date
SELECT to_date(at) AS date, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY to_date(at)
--@ view by_local
SELECT CAST(local AS DATE) AS date, sum(amount) AS total FROM sales GROUP BY 1
--@ view by_month
SELECT extract(YEAR FROM at) AS y, month(at) AS m, max(amount) AS top FROM sales GROUP BY extract(YEAR FROM at), month(at)
--@ view local_month
SELECT date_trunc('month', at) AS month, min(amount) AS least FROM sales GROUP BY 1
--@ view texts
SELECT to_date(text) AS date, max(amount) AS top FROM sales GROUP BY 1

--@ case: extract of a key
SELECT extract(YEAR FROM day) AS y, extract(month FROM day) AS m, sum(amount) AS s FROM sales GROUP BY extract(YEAR FROM day), extract(month FROM day)
--@ rewritten using by_day
SELECT year(v.`day`) AS y, month(v.`day`) AS m, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v GROUP BY year(v.`day`), month(v.`day`)

--@ case: date_part and datepart
SELECT date_part('quarter', day) AS q, datepart('MON', day) AS w, sum(amount) AS s FROM sales WHERE date_part('YEAR', day) = 2024 GROUP BY 1, 2
--@ rewritten using by_day
SELECT quarter(v.`day`) AS q, month(v.`day`) AS w, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v WHERE year(v.`day`) = 2024 GROUP BY quarter(v.`day`), month(v.`day`)

--@ case: weeks, days of the year
SELECT extract(WEEK FROM day) AS w, extract(DOY FROM day) AS d, sum(amount) AS s FROM sales GROUP BY 1, 2
--@ rewritten using by_day
SELECT weekofyear(v.`day`) AS w, dayofyear(v.`day`) AS d, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v GROUP BY weekofyear(v.`day`), dayofyear(v.`day`)

--@ case: one spelling for another
SELECT year(at) AS y, extract(MONTHS FROM at) AS m, max(amount) AS t FROM sales GROUP BY year(at), extract(MONTHS FROM at)
--@ rewritten using by_month
SELECT v.`y` AS y, v.`m` AS m, v.`top` AS t FROM lake.demo.by_month__storage AS v

--@ case: seconds with their fraction are another type
SELECT extract(SECOND FROM day) AS s, sum(amount) FROM sales GROUP BY 1
--@ kept: by_date UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR; by_day UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR; by_local UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR; by_month UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR; local_month UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR; texts UNSUPPORTED EXTRACT('SECOND', day): this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR

--@ case: of an interval it is another thing
SELECT sum(amount) FROM sales WHERE extract(DAY FROM at - local) > 1
--@ kept: by_date UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp; by_day UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp; by_local UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp; by_month UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp; local_month UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp; texts UNSUPPORTED EXTRACT('DAY', at - local): the argument could be an interval, whose fields are not supported: cast the argument to a date or timestamp

--@ case: the last day of months
SELECT last_day(day) AS l, sum(amount) AS s FROM sales GROUP BY last_day(day)
--@ rewritten using by_day
SELECT last_day(v.`day`) AS l, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v GROUP BY last_day(v.`day`)

--@ case: the last day of a time's months, from its months
SELECT last_day(at) AS l, min(amount) AS s FROM sales GROUP BY last_day(at)
--@ rewritten using local_month
SELECT last_day(v.`month`) AS l, min(v.`least`) AS s FROM lake.demo.local_month__storage AS v GROUP BY last_day(v.`month`)

--@ case: months of dates
SELECT trunc(day, 'MONTH') AS m, sum(amount) AS s FROM sales GROUP BY 1
--@ rewritten using by_day
SELECT trunc(v.`day`, 'MONTH') AS m, sum(v.`total`) AS s FROM lake.demo.by_day__storage AS v GROUP BY trunc(v.`day`, 'MONTH')

--@ case: months, quarters and weeks of a time from its dates
SELECT date_trunc('month', at) AS m, count(*) AS c FROM sales GROUP BY 1
--@ rewritten using by_month
SELECT CAST(make_date(v.`y`, v.`m`, 1) AS TIMESTAMP) AS m, v.`viewgate_rows_0` AS c FROM lake.demo.by_month__storage AS v

--@ case: years as dates
SELECT CAST(trunc(at, 'YEAR') AS DATE) AS y, count(*) AS c FROM sales GROUP BY 1
--@ rewritten using by_date
SELECT CAST(trunc(v.`date`, 'YEAR') AS DATE) AS y, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_date__storage AS v GROUP BY CAST(trunc(v.`date`, 'YEAR') AS DATE)

--@ case: the date of a month, from the view's months
SELECT CAST(trunc(at, 'MONTH') AS DATE) AS m, min(amount) AS c FROM sales GROUP BY 1
--@ rewritten using local_month
SELECT CAST(CAST(date_trunc('MONTH', v.`month`) AS DATE) AS DATE) AS m, min(v.`least`) AS c FROM lake.demo.local_month__storage AS v GROUP BY CAST(CAST(date_trunc('MONTH', v.`month`) AS DATE) AS DATE)

--@ case: days of a time
SELECT date_trunc('day', at) AS d, date(at) AS e, count(*) AS c FROM sales GROUP BY 1, 2
--@ rewritten using by_date
SELECT CAST(v.`date` AS TIMESTAMP) AS d, v.`date` AS e, v.`cnt` AS c FROM lake.demo.by_date__storage AS v

--@ case: labels of a time
SELECT year(at) AS y, weekofyear(at) AS w, dayofweek(at) AS d, count(*) AS c FROM sales GROUP BY 1, 2, 3
--@ rewritten using by_date
SELECT year(v.`date`) AS y, weekofyear(v.`date`) AS w, dayofweek(v.`date`) AS d, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_date__storage AS v GROUP BY year(v.`date`), weekofyear(v.`date`), dayofweek(v.`date`)

--@ case: wall clock times
SELECT timeseries(local, 'quarter') AS q, weekday(local) AS w, sum(amount) AS s FROM sales WHERE local >= '2024-01-01' AND local < TIMESTAMP_NTZ '2024-04-01 00:00:00' GROUP BY 1, 2
--@ rewritten using by_local
SELECT CAST(trunc(v.`date`, 'QUARTER') AS TIMESTAMP_NTZ) AS q, weekday(v.`date`) AS w, sum(v.`total`) AS s FROM lake.demo.by_local__storage AS v WHERE v.`date` >= CAST('2024-01-01' AS DATE) AND v.`date` < CAST(CAST('2024-04-01 00:00:00' AS TIMESTAMP_NTZ) AS DATE) GROUP BY CAST(trunc(v.`date`, 'QUARTER') AS TIMESTAMP_NTZ), weekday(v.`date`)

--@ case: a time from the start of a day on
SELECT to_date(at) AS d, sum(amount) AS s FROM sales WHERE at >= '2024-01-01' AND at < DATE '2024-02-29' GROUP BY 1
--@ rewritten using by_date
SELECT v.`date` AS d, v.`total` AS s FROM lake.demo.by_date__storage AS v WHERE v.`date` >= CAST('2024-01-01' AS DATE) AND v.`date` < CAST('2024-02-29' AS DATE)

--@ case: an inclusive end takes an instant of the next day, which comes from the table
SELECT sum(amount) AS s FROM sales WHERE at >= '2024-01-01' AND at <= TIMESTAMP '2024-04-01 00:00:00'
--@ rewritten using by_date
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_date__storage VERSION AS OF 2001 AS v WHERE v.`date` >= CAST('2024-01-01' AS DATE) AND v.`date` < CAST(CAST('2024-04-01 00:00:00' AS TIMESTAMP) AS DATE) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at <= CAST('2024-04-01 00:00:00' AS TIMESTAMP) AND sales_0.at >= CAST('2024-04-01 00:00:00' AS TIMESTAMP)) AS v

--@ case: noon divides a day
SELECT sum(amount) AS s FROM sales WHERE at >= TIMESTAMP '2024-01-01 12:00:00'
--@ rewritten using by_date
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_date__storage VERSION AS OF 2001 AS v WHERE v.`date` >= CAST(CAST('2024-01-02 00:00:00' AS TIMESTAMP) AS DATE) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at >= CAST('2024-01-01 12:00:00' AS TIMESTAMP) AND sales_0.at < CAST('2024-01-02 00:00:00' AS TIMESTAMP)) AS v

--@ case: the last thirty days of now
SELECT sum(amount) AS s FROM sales WHERE at >= now() - INTERVAL 30 DAYS AND at < current_date()
--@ rewritten using by_date
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_date__storage VERSION AS OF 2001 AS v WHERE v.`date` < CAST(current_date() AS DATE) AND v.`date` >= CAST(date_trunc('DAY', current_timestamp() - INTERVAL '30' DAYS) + INTERVAL '1' DAY AS DATE) UNION ALL SELECT sum(sales_0.amount) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.at >= (current_timestamp() - INTERVAL '30' DAYS) AND sales_0.at < current_date() AND sales_0.at < (date_trunc('DAY', current_timestamp() - INTERVAL '30' DAYS) + INTERVAL '1' DAY)) AS v

--@ case: hours are within a day
SELECT hour(at) AS h, count(*) AS c FROM sales GROUP BY hour(at)
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_local GROUPING_TOO_COARSE at; by_month GROUPING_TOO_COARSE at; local_month GROUPING_TOO_COARSE at; texts GROUPING_TOO_COARSE at

--@ case: texts are not compared as dates
SELECT max(amount) AS s FROM sales WHERE text >= '2024-01-01'
--@ kept: by_date COLUMN_NOT_IN_VIEW text; by_day COLUMN_NOT_IN_VIEW text; by_local COLUMN_NOT_IN_VIEW text; by_month COLUMN_NOT_IN_VIEW text; local_month COLUMN_NOT_IN_VIEW text; texts COLUMN_NOT_IN_VIEW text

--@ case: the year of a text
SELECT year(text) AS y, max(amount) AS s FROM sales GROUP BY year(text)
--@ rewritten using texts
SELECT year(v.`date`) AS y, max(v.`top`) AS s FROM lake.demo.texts__storage AS v GROUP BY year(v.`date`)
