-- A zone whose offset changes: buckets at the view's own grain, none rolled up without a proof.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, local TIMESTAMP_NTZ, price BIGINT);
--@ rows
INSERT INTO sales VALUES (TIMESTAMP '2016-02-23 09:01:30', TIMESTAMP_NTZ '2016-02-23 09:01:30', 2), (NULL, NULL, 1)
--@ settings
spark.sql.session.timeZone = Europe/Berlin
--@ view by_hour
SELECT timeseries(order_time, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(order_time, 'hour')
--@ view local_hour
SELECT timeseries(local, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(local, 'hour')
--@ view by_date
SELECT CAST(order_time AS DATE) AS d, max(price) AS top FROM sales GROUP BY CAST(order_time AS DATE)

--@ case: rolling up is not proved
SELECT timeseries(order_time, 'day'), sum(price) FROM sales GROUP BY 1
--@ kept: by_date AGGREGATE_NOT_IN_VIEW sum(price); by_hour ZONE_NOT_PROVED buckets of Europe/Berlin are not known to nest; local_hour GROUPING_TOO_COARSE order_time
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, sum(price) FROM sales GROUP BY 1

--@ case: a time without zone rolls up anywhere
SELECT timeseries(local, 'day'), sum(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), sum(v.`s`) FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ)

--@ case: dates are of months in any zone
SELECT date_trunc('MONTH', order_time) AS m, year(order_time) AS y, max(price) AS top FROM sales GROUP BY 1, 2
--@ rewritten using by_date
SELECT CAST(trunc(v.`d`, 'MONTH') AS TIMESTAMP) AS m, year(v.`d`) AS y, max(v.`top`) AS top FROM lake.demo.by_date__storage AS v GROUP BY CAST(trunc(v.`d`, 'MONTH') AS TIMESTAMP), year(v.`d`)

--@ case: but when a day begins is not proved
SELECT max(price) AS top FROM sales WHERE order_time >= '2016-02-01'
--@ kept: by_date COLUMN_NOT_IN_VIEW order_time; by_hour COLUMN_NOT_IN_VIEW order_time; local_hour COLUMN_NOT_IN_VIEW order_time

--@ case: nor of which time of the day a moment is
SELECT sum(price) AS s FROM sales WHERE local >= CAST(date_trunc('day', now()) AS TIMESTAMP_NTZ)
--@ kept: by_date COLUMN_NOT_IN_VIEW local; by_hour COLUMN_NOT_IN_VIEW local; local_hour COLUMN_NOT_IN_VIEW local, and local >= CAST(date_trunc('day', current_timestamp()) AS TIMESTAMP_NTZ) may divide one of its buckets (hour)

--@ case: nor when this one does
SELECT max(price) AS top FROM sales WHERE order_time >= current_date()
--@ kept: by_date COLUMN_NOT_IN_VIEW order_time, and order_time >= current_date() may divide one of its buckets (day); by_hour COLUMN_NOT_IN_VIEW order_time, and order_time >= current_date() may divide one of its buckets (hour); local_hour COLUMN_NOT_IN_VIEW order_time

--@ case: what day it is does not matter to dates
SELECT max(price) AS top FROM sales WHERE to_date(order_time) >= current_date() - 7
--@ rewritten using by_date
SELECT max(v.`top`) AS top FROM lake.demo.by_date__storage AS v WHERE v.`d` >= (current_date() - 7)

--@ case: the hour of a bucket's begin may be another where the zone's offset changed by minutes
SELECT hour(order_time), sum(price) FROM sales GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE order_time; by_hour ZONE_NOT_PROVED buckets of Europe/Berlin are not known to nest; local_hour GROUPING_TOO_COARSE order_time

--@ case: so may the text of its hour
SELECT date_format(order_time, 'yyyy-MM-dd HH'), sum(price) FROM sales GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE order_time; by_hour ZONE_NOT_PROVED buckets of Europe/Berlin are not known to nest; local_hour GROUPING_TOO_COARSE order_time

--@ case: of a time without zone it is the same
SELECT hour(local), sum(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT hour(v.`h`), sum(v.`s`) FROM lake.demo.local_hour__storage AS v GROUP BY hour(v.`h`)
