-- Views made in other zones: their buckets are read where both zones have the same, of what the session asks by its own.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, local TIMESTAMP_NTZ, region STRING, price BIGINT);
--@ rows
INSERT INTO sales VALUES
  (TIMESTAMP '2024-03-10 01:59:59', TIMESTAMP_NTZ '2024-03-10 01:59:59', 'eu', 1),
  (TIMESTAMP '2024-03-10 03:00:00', TIMESTAMP_NTZ '2024-03-10 03:00:00', 'eu', 2),
  (TIMESTAMP '2024-11-03 01:30:00', TIMESTAMP_NTZ '2024-11-03 01:30:00', 'us', 4),
  (TIMESTAMP '2024-11-03 23:59:59', TIMESTAMP_NTZ '2024-11-03 23:59:59', 'us', 8),
  (TIMESTAMP '2024-11-04 00:00:00', TIMESTAMP_NTZ '2024-11-04 00:00:00', 'us', 16),
  (NULL, NULL, 'eu', 32)
--@ settings
spark.sql.session.timeZone = America/New_York
--@ least
2024-01-01
--@ view by_minute IN UTC
SELECT timeseries(order_time, 'minute') AS m, region, sum(price) AS s, count(*) AS c, count(DISTINCT price) AS prices, min(order_time) AS first FROM sales GROUP BY timeseries(order_time, 'minute'), region
--@ view by_date IN Etc/UTC
SELECT CAST(order_time AS DATE) AS d, max(price) AS top FROM sales GROUP BY CAST(order_time AS DATE)
--@ view since_march IN UTC
SELECT timeseries(order_time, 'minute') AS m, avg(price) AS mean FROM sales WHERE order_time >= '2024-03-10' GROUP BY timeseries(order_time, 'minute')
--@ view midnights IN UTC
SELECT timeseries(order_time, 'minute') AS m, bool_or(price > 1) AS dear FROM sales WHERE date_trunc('DAY', order_time) = order_time GROUP BY timeseries(order_time, 'minute')
--@ view by_hour IN Asia/Kolkata
SELECT timeseries(order_time, 'hour') AS h, bit_or(price) AS bits FROM sales GROUP BY timeseries(order_time, 'hour')
--@ view local_hour IN Asia/Tokyo
SELECT timeseries(local, 'hour') AS h, bit_and(price) AS bits FROM sales GROUP BY timeseries(local, 'hour')

--@ case: days of New York from minutes of UTC
SELECT timeseries(order_time, 'day'), sum(price) FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', v.`m`), sum(v.`s`) FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', v.`m`)

--@ case: by the name of the unit
SELECT date_trunc('MONTH', order_time) AS month, count(*) FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('MONTH', v.`m`) AS month, coalesce(sum(v.`c`), 0) FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('MONTH', v.`m`)

--@ case: the very minutes
SELECT timeseries(order_time, 'minute') AS m, region, count(DISTINCT price) AS prices FROM sales GROUP BY 1, 2
--@ rewritten using by_minute
SELECT v.`m` AS m, v.`region` AS region, v.`prices` AS prices FROM lake.demo.by_minute__storage AS v

--@ case: a range of days, of which one has 23 hours
SELECT region, sum(price) FROM sales WHERE order_time >= '2024-03-10' AND order_time < '2024-03-11' GROUP BY region
--@ rewritten using by_minute
SELECT v.`region` AS region, sum(v.`s`) FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-03-10' AND v.`m` < '2024-03-11' GROUP BY v.`region`

--@ case: dates and hours of the session
SELECT CAST(order_time AS DATE) AS d, hour(order_time) AS h, sum(price) AS s FROM sales WHERE CAST(order_time AS DATE) = '2024-11-03' GROUP BY 1, 2
--@ rewritten using by_minute
SELECT CAST(v.`m` AS DATE) AS d, hour(v.`m`) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE CAST(v.`m` AS DATE) = '2024-11-03' GROUP BY CAST(v.`m` AS DATE), hour(v.`m`)

--@ case: texts of the session's clock
SELECT date_format(order_time, 'yyyy-MM-dd HH:mm') AS t, sum(price) AS s FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT date_format(v.`m`, 'yyyy-MM-dd HH:mm') AS t, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_format(v.`m`, 'yyyy-MM-dd HH:mm')

--@ case: an instant is one anywhere
SELECT region, min(order_time) AS first FROM sales GROUP BY region
--@ rewritten using by_minute
SELECT v.`region` AS region, min(v.`first`) AS first FROM lake.demo.by_minute__storage AS v GROUP BY v.`region`

--@ case: the last days
SELECT region, sum(price) FROM sales WHERE order_time >= current_date() - INTERVAL 7 DAYS GROUP BY region
--@ rewritten using by_minute
SELECT v.`region` AS region, sum(v.`s`) FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= (current_date() - INTERVAL '7' DAYS) GROUP BY v.`region`

--@ case: a second is finer than a minute
SELECT timeseries(order_time, 'second'), sum(price) FROM sales GROUP BY 1
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute GROUPING_TOO_COARSE order_time; local_hour GROUPING_TOO_COARSE order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result
SELECT date_trunc('SECOND', order_time) AS `timeseries(order_time, 'second')`, sum(price) FROM sales GROUP BY 1

--@ case: a date of another zone is not the session's
SELECT CAST(order_time AS DATE) AS d, max(price) AS top FROM sales GROUP BY 1
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute AGGREGATE_NOT_IN_VIEW max(price); local_hour GROUPING_TOO_COARSE order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: nor its month
SELECT date_trunc('MONTH', order_time) AS month, max(price) AS top FROM sales GROUP BY 1
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute AGGREGATE_NOT_IN_VIEW max(price); local_hour GROUPING_TOO_COARSE order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: a filter by a time that was read in another zone
SELECT avg(price) FROM sales WHERE order_time >= '2024-03-10'
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute AGGREGATE_NOT_IN_VIEW avg(price); local_hour COLUMN_NOT_IN_VIEW order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: its midnights are not the session's
SELECT bool_or(price > 1) AS dear FROM sales WHERE date_trunc('DAY', order_time) = order_time
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute COLUMN_NOT_IN_VIEW order_time; local_hour COLUMN_NOT_IN_VIEW order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: hours that begin at half past
SELECT timeseries(order_time, 'day'), bit_or(price) FROM sales GROUP BY 1
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute AGGREGATE_NOT_IN_VIEW bit_or(price); local_hour GROUPING_TOO_COARSE order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, bit_or(price) FROM sales GROUP BY 1

--@ case: times without zone are the same in all
SELECT timeseries(local, 'day'), bit_and(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), bit_and(v.`bits`) FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ)

--@ case: a view that is named computes in its own zone
SELECT d, top FROM by_date
--@ kept: by_date SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in Etc/UTC: create a view in this session, or run SET TIME ZONE 'Etc/UTC', which can change the query's result; by_hour UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_minute AGGREGATE_NOT_IN_VIEW max(price); local_hour UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; local_hour GROUPING_TOO_COARSE order_time; midnights UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: a range that ends within a minute
SELECT timeseries(order_time, 'day') AS d, sum(price) AS s FROM sales WHERE order_time >= '2024-03-10' AND order_time < '2024-11-03 23:59:59.5' GROUP BY 1
--@ rewritten using by_minute
SELECT v.`c0` AS d, sum(v.`c1`) AS s FROM (SELECT CAST(date_trunc('DAY', v.`m`) AS timestamp) AS c0, CAST(sum(v.`s`) AS bigint) AS c1 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= '2024-03-10' AND v.`m` < CAST('2024-11-03 23:59:00' AS TIMESTAMP) GROUP BY date_trunc('DAY', v.`m`) UNION ALL SELECT date_trunc('DAY', sales_0.order_time) AS c0, sum(sales_0.price) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.order_time < '2024-11-03 23:59:59.5' AND sales_0.order_time >= CAST('2024-11-03 23:59:00' AS TIMESTAMP) GROUP BY date_trunc('DAY', sales_0.order_time)) AS v GROUP BY v.`c0`

--@ case: a range that begins within an hour of Kolkata, and ends within one of UTC
SELECT bit_or(price) AS bits FROM sales WHERE order_time >= '2024-03-10 00:10:00' AND order_time < '2024-11-04 00:00:30'
--@ kept: by_date ZONE_NOT_PROVED the view's buckets of the time zone Etc/UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour ZONE_NOT_PROVED the view's buckets of the time zone Asia/Kolkata differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_minute AGGREGATE_NOT_IN_VIEW bit_or(price); local_hour COLUMN_NOT_IN_VIEW order_time; midnights VIEW_FILTERS_MORE timeseries(order_time, 'day') in UTC = order_time; since_march SETTINGS_DIFFER the session's time zone is America/New_York, but the view was computed in UTC: create a view in this session, or run SET TIME ZONE 'UTC', which can change the query's result

--@ case: since now
SELECT count(*) AS c FROM sales WHERE order_time >= now() - INTERVAL 400 DAYS
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', current_timestamp() - INTERVAL '400' DAYS) + INTERVAL '1' MINUTE) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.order_time >= (current_timestamp() - INTERVAL '400' DAYS) AND sales_0.order_time < (date_trunc('MINUTE', current_timestamp() - INTERVAL '400' DAYS) + INTERVAL '1' MINUTE)) AS v
