-- A zone whose offset changes, with times from before it did so by whole hours.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, price BIGINT);
--@ rows
INSERT INTO sales VALUES (TIMESTAMP '1890-02-23 09:01:30', 2), (TIMESTAMP '2016-02-23 09:01:30', 3), (NULL, 1)
--@ settings
spark.sql.session.timeZone = Europe/Berlin
--@ least
1890-01-01
--@ view by_hour
SELECT timeseries(order_time, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(order_time, 'hour')

--@ case: hours of a local mean time are not proved to be of days
SELECT timeseries(order_time, 'day'), sum(price) FROM sales GROUP BY 1
--@ kept: ZONE_NOT_PROVED the view's buckets may cross borders of the query's buckets in the time zone Europe/Berlin: use finer buckets in the view, or exclude times before changes of the zone's offset, as by order_time >= '2000-01-01'
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, sum(price) FROM sales GROUP BY 1

--@ case: those of a filter that begins later are
SELECT timeseries(order_time, 'day'), sum(price) FROM sales WHERE order_time >= '2016-01-01' GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h`), sum(v.`s`) FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '2016-01-01' GROUP BY date_trunc('DAY', v.`h`)

--@ case: whatever day it is
SELECT hour(order_time), sum(price) FROM sales WHERE order_time >= current_date() - 30 GROUP BY 1
--@ rewritten using by_hour
SELECT hour(v.`h`), sum(v.`s`) FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= (current_date() - 30) GROUP BY hour(v.`h`)

--@ case: a filter by the year
SELECT month(order_time), sum(price) FROM sales WHERE year(order_time) IN (2015, 2016) GROUP BY 1
--@ rewritten using by_hour
SELECT month(v.`h`), sum(v.`s`) FROM lake.demo.by_hour__storage AS v WHERE year(v.`h`) IN (2015, 2016) GROUP BY month(v.`h`)

--@ case: one that only ends
SELECT timeseries(order_time, 'day'), sum(price) FROM sales WHERE order_time < '2016-01-01' GROUP BY 1
--@ kept: ZONE_NOT_PROVED the view's buckets may cross borders of the query's buckets in the time zone Europe/Berlin: use finer buckets in the view, or exclude times before changes of the zone's offset, as by order_time >= '2000-01-01'
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, sum(price) FROM sales WHERE order_time < '2016-01-01' GROUP BY 1

--@ case: one that begins too early
SELECT timeseries(order_time, 'day'), sum(price) FROM sales WHERE order_time >= '1892-01-01' GROUP BY 1
--@ kept: ZONE_NOT_PROVED order_time >= '1892-01-01' may select a part of one of the view's time buckets (hour) in the time zone Europe/Berlin: use finer buckets in the view or, if earlier rows do not matter, a later bound
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, sum(price) FROM sales WHERE order_time >= '1892-01-01' GROUP BY 1

--@ case: a filter from the year after the change of the offset
SELECT timeseries(order_time, 'day') AS d, sum(price) AS s FROM sales WHERE order_time >= '1894-01-01' GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h`) AS d, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '1894-01-01' GROUP BY date_trunc('DAY', v.`h`)

--@ case: a filter from the month after it
SELECT timeseries(order_time, 'day') AS d, sum(price) AS s FROM sales WHERE order_time >= '1893-05-05' GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h`) AS d, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '1893-05-05' GROUP BY date_trunc('DAY', v.`h`)

--@ case: a filter from the day of the change
SELECT timeseries(order_time, 'day') AS d, sum(price) AS s FROM sales WHERE order_time >= '1893-04-01' GROUP BY 1
--@ kept: ZONE_NOT_PROVED order_time >= '1893-04-01' may select a part of one of the view's time buckets (hour) in the time zone Europe/Berlin: use finer buckets in the view or, if earlier rows do not matter, a later bound
SELECT date_trunc('DAY', order_time) AS d, sum(price) AS s FROM sales WHERE order_time >= '1893-04-01' GROUP BY 1
