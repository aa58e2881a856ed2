-- A zone whose offset changes by whole hours: buckets of an hour are put together for times after it did otherwise.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, local TIMESTAMP_NTZ, price BIGINT);
--@ rows
INSERT INTO sales VALUES (TIMESTAMP '2016-02-23 09:01:30', TIMESTAMP_NTZ '2016-02-23 09:01:30', 2), (NULL, NULL, 1)
--@ settings
spark.sql.session.timeZone = Europe/Berlin
--@ least
2016-01-01
--@ view by_hour
SELECT timeseries(order_time, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(order_time, 'hour')
--@ view local_hour
SELECT timeseries(local, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(local, 'hour')
--@ view by_date
SELECT CAST(order_time AS DATE) AS d, max(price) AS top FROM sales GROUP BY CAST(order_time AS DATE)

--@ case: hours of days with 23, 24 or 25 of them
SELECT timeseries(order_time, 'day'), sum(price) FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h`), sum(v.`s`) FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('DAY', v.`h`)

--@ case: a time without zone rolls up anywhere
SELECT timeseries(local, 'day'), sum(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), sum(v.`s`) FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ)

--@ case: dates are of months in any zone
SELECT date_trunc('MONTH', order_time) AS m, year(order_time) AS y, max(price) AS top FROM sales GROUP BY 1, 2
--@ rewritten using by_date
SELECT CAST(trunc(v.`d`, 'MONTH') AS TIMESTAMP) AS m, year(v.`d`) AS y, max(v.`top`) AS top FROM lake.demo.by_date__storage AS v GROUP BY CAST(trunc(v.`d`, 'MONTH') AS TIMESTAMP), year(v.`d`)

--@ case: a day begins where its date does
SELECT max(price) AS top FROM sales WHERE order_time >= '2016-02-01'
--@ rewritten using by_date
SELECT max(v.`top`) AS top FROM lake.demo.by_date__storage AS v WHERE v.`d` >= CAST('2016-02-01' AS DATE)

--@ case: the day's begin has a time of the day without zone
SELECT sum(price) AS s FROM sales WHERE local >= CAST(date_trunc('day', now()) AS TIMESTAMP_NTZ)
--@ rewritten using local_hour
SELECT sum(v.`s`) AS s FROM lake.demo.local_hour__storage AS v WHERE v.`h` >= CAST(date_trunc('day', current_timestamp()) AS TIMESTAMP_NTZ)

--@ case: nor does it matter which day it is
SELECT max(price) AS top FROM sales WHERE order_time >= current_date()
--@ rewritten using by_date
SELECT max(v.`top`) AS top FROM lake.demo.by_date__storage AS v WHERE v.`d` >= CAST(current_date() AS DATE)

--@ case: what day it is does not matter to dates
SELECT max(price) AS top FROM sales WHERE to_date(order_time) >= current_date() - 7
--@ rewritten using by_date
SELECT max(v.`top`) AS top FROM lake.demo.by_date__storage AS v WHERE v.`d` >= (current_date() - 7)

--@ case: the hour of a bucket's begin
SELECT hour(order_time), sum(price) FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT hour(v.`h`), sum(v.`s`) FROM lake.demo.by_hour__storage AS v GROUP BY hour(v.`h`)

--@ case: the text of its hour
SELECT date_format(order_time, 'yyyy-MM-dd HH'), sum(price) FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_format(v.`h`, 'yyyy-MM-dd HH'), sum(v.`s`) FROM lake.demo.by_hour__storage AS v GROUP BY date_format(v.`h`, 'yyyy-MM-dd HH')

--@ case: of a time without zone it is the same
SELECT hour(local), sum(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT hour(v.`h`), sum(v.`s`) FROM lake.demo.local_hour__storage AS v GROUP BY hour(v.`h`)
