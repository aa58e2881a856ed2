-- A company in New York, whose views were made in UTC: what BI tools send, from minutes, hours and days.
--@ schema
CREATE TABLE sales (ts TIMESTAMP, local TIMESTAMP_NTZ, region STRING, price BIGINT);
CREATE TABLE dates (day DATE, quarter INT);
--@ rows
INSERT INTO sales SELECT timestamp_seconds(s), timestamp_ntz, region, price FROM VALUES
  (1704067199, TIMESTAMP_NTZ '2023-12-31 23:59:59', 'eu', 1), (1704085200, TIMESTAMP_NTZ '2024-01-01 05:00:00', 'eu', 2),
  (1710053999, TIMESTAMP_NTZ '2024-03-10 06:59:59', 'eu', 4), (1710054000, TIMESTAMP_NTZ '2024-03-10 07:00:00', 'us', 8),
  (1710057600, TIMESTAMP_NTZ '2024-03-10 08:00:00', 'us', 16), (1710129599, TIMESTAMP_NTZ '2024-03-11 03:59:59', 'us', 32),
  (1710129600, TIMESTAMP_NTZ '2024-03-11 04:00:00', 'eu', 64), (1730610000, TIMESTAMP_NTZ '2024-11-03 05:00:00', 'eu', 128),
  (1730613599, TIMESTAMP_NTZ '2024-11-03 05:59:59', 'us', 256), (1730613600, TIMESTAMP_NTZ '2024-11-03 06:00:00', 'us', 512),
  (1730617200, TIMESTAMP_NTZ '2024-11-03 07:00:00', NULL, 1024), (1707992430, TIMESTAMP_NTZ '2024-02-15 10:20:30', 'eu', 2048),
  (1707992400, TIMESTAMP_NTZ '2024-02-15 10:20:00', 'eu', 4096), (1707388199, TIMESTAMP_NTZ '2024-02-08 10:29:59', 'eu', 8192),
  (1707388200, TIMESTAMP_NTZ '2024-02-08 10:30:00', 'us', 16384), (NULL, NULL, 'eu', 32768)
  AS e(s, timestamp_ntz, region, price);
INSERT INTO dates VALUES (DATE '2024-02-08', 1), (DATE '2024-03-10', 1), (DATE '2024-03-11', 1), (DATE '2024-11-02', 4), (DATE '2024-11-03', 4), (NULL, 5)
--@ settings
spark.sql.session.timeZone = America/New_York
--@ least
2023-12-01
--@ view by_minute IN UTC
SELECT date_trunc('MINUTE', ts) AS m, region, sum(price) AS s, count(*) AS c, min(price) AS low FROM sales GROUP BY 1, 2
--@ view by_hour IN UTC
SELECT date_trunc('HOUR', ts) AS h, region, max(price) AS top FROM sales GROUP BY 1, 2
--@ view by_day IN UTC
SELECT date_trunc('DAY', ts) AS d, bit_or(price) AS bits FROM sales GROUP BY 1
--@ view by_local_minute IN UTC
SELECT timeseries(local, 'minute') AS m, bit_xor(price) AS bits FROM sales GROUP BY 1
--@ view by_hour_of_local
SELECT date_trunc('HOUR', local) AS h, bit_and(price) AS bits FROM sales GROUP BY 1

--@ case: weeks from Sunday, as Superset asks Databricks
SELECT date_trunc('week', ts + INTERVAL '1 day') - INTERVAL '1 day' AS w, sum(price) AS s FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) - INTERVAL '1' DAY AS w, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) - INTERVAL '1' DAY

--@ case: weeks by their last day
SELECT date_trunc('week', ts + INTERVAL '1 day') + INTERVAL '5 days' AS w, sum(price) AS s FROM sales GROUP BY date_trunc('week', ts + INTERVAL '1 day') + INTERVAL '5 days'
--@ rewritten using by_minute
SELECT date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) + INTERVAL '5' DAYS AS w, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) + INTERVAL '5' DAYS

--@ case: as Metabase does, as a date, from hours
SELECT CAST(date_trunc('week', ts + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE) AS w, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT CAST(date_trunc('WEEK', v.`h` + INTERVAL '1' DAY) - INTERVAL '1' DAY AS DATE) AS w, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY CAST(date_trunc('WEEK', v.`h` + INTERVAL '1' DAY) - INTERVAL '1' DAY AS DATE)

--@ case: days of UTC are no days of New York, moved by a day or not
SELECT date_trunc('week', ts + INTERVAL 1 DAY) AS w, bit_or(price) AS bits FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour AGGREGATE_NOT_IN_VIEW bit_or(price); by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute AGGREGATE_NOT_IN_VIEW bit_or(price)

--@ case: a fiscal year from July, by months added
SELECT year(ts + INTERVAL 6 MONTHS) AS y, quarter(ts + INTERVAL 6 MONTHS) AS q, max(price) AS top FROM sales GROUP BY 1, 2
--@ rewritten using by_hour
SELECT year(v.`h` + INTERVAL '6' MONTHS) AS y, quarter(v.`h` + INTERVAL '6' MONTHS) AS q, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY year(v.`h` + INTERVAL '6' MONTHS), quarter(v.`h` + INTERVAL '6' MONTHS)

--@ case: the day a month later
SELECT date_trunc('day', ts + INTERVAL 1 MONTH) AS d, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h` + INTERVAL '1' MONTH) AS d, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('DAY', v.`h` + INTERVAL '1' MONTH)

--@ case: the hour a month later is not proved
SELECT date_trunc('hour', ts + INTERVAL 1 MONTH) AS h, max(price) AS top FROM sales GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE ts; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute GROUPING_TOO_COARSE ts

--@ case: days that begin at six, from hours
SELECT date_trunc('day', ts - INTERVAL 6 HOURS) AS d, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h` - INTERVAL '6' HOURS) AS d, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('DAY', v.`h` - INTERVAL '6' HOURS)

--@ case: days that begin at half past five, not from hours
SELECT date_trunc('day', ts - INTERVAL 330 MINUTES) AS d, max(price) AS top FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute AGGREGATE_NOT_IN_VIEW max(price)

--@ case: but from minutes
SELECT date_trunc('day', ts - INTERVAL 330 MINUTES) AS d, sum(price) AS s FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', v.`m` - INTERVAL '330' MINUTES) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', v.`m` - INTERVAL '330' MINUTES)

--@ case: the hour a day before
SELECT date_trunc('hour', ts - INTERVAL 1 DAY) AS h, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('HOUR', v.`h` - INTERVAL '1' DAY) AS h, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('HOUR', v.`h` - INTERVAL '1' DAY)

--@ case: a date of a moved time, and its text
SELECT CAST(ts + INTERVAL 1 DAY AS DATE) AS d, date_format(ts - INTERVAL 1 WEEK, 'yyyy-MM-dd') AS t, max(price) AS top FROM sales GROUP BY 1, 2
--@ rewritten using by_hour
SELECT CAST(v.`h` + INTERVAL '1' DAY AS DATE) AS d, date_format(v.`h` - INTERVAL '1' WEEK, 'yyyy-MM-dd') AS t, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY CAST(v.`h` + INTERVAL '1' DAY AS DATE), date_format(v.`h` - INTERVAL '1' WEEK, 'yyyy-MM-dd')

--@ case: hours as Superset asks Hive
SELECT from_unixtime(unix_timestamp(ts), 'yyyy-MM-dd HH:00:00') AS h, max(price) AS top FROM sales GROUP BY from_unixtime(unix_timestamp(ts), 'yyyy-MM-dd HH:00:00')
--@ rewritten using by_hour
SELECT from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-dd HH:00:00') AS h, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-dd HH:00:00')

--@ case: days and months in the same way
SELECT from_unixtime(unix_timestamp(ts), 'yyyy-MM-dd 00:00:00') AS d, from_unixtime(unix_timestamp(ts), 'yyyy-MM-01 00:00:00') AS m, max(price) AS top FROM sales GROUP BY 1, 2
--@ rewritten using by_hour
SELECT from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-dd 00:00:00') AS d, from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-01 00:00:00') AS m, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-dd 00:00:00'), from_unixtime(unix_timestamp(v.`h`), 'yyyy-MM-01 00:00:00')

--@ case: seconds are finer than minutes
SELECT from_unixtime(unix_timestamp(ts)) AS t, sum(price) AS s FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute GROUPING_TOO_COARSE ts

--@ case: five minutes of instants
SELECT from_unixtime(floor(unix_timestamp(ts) / 300) * 300) AS t, sum(price) AS s FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT from_unixtime(floor(unix_timestamp(v.`m`) / 300) * 300) AS t, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY from_unixtime(floor(unix_timestamp(v.`m`) / 300) * 300)

--@ case: as a time
SELECT to_timestamp(date_trunc('hour', ts)) AS h, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT CAST(v.`h` AS TIMESTAMP) AS h, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY CAST(v.`h` AS TIMESTAMP)

--@ case: milliseconds, as Grafana wants them
SELECT unix_timestamp(ts) DIV 60 * 60 * 1000 AS t, sum(price) AS s FROM sales WHERE ts >= from_unixtime(1707388200) AND ts <= from_unixtime(1710054000) GROUP BY 1 ORDER BY 1
--@ rewritten using by_minute
SELECT v.`c0` AS t, sum(v.`c1`) AS s FROM (SELECT CAST(((unix_timestamp(v.`m`) DIV 60) * 60) * 1000 AS bigint) AS c0, CAST(sum(v.`s`) AS bigint) AS c1 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= CAST(from_unixtime(1707388200) AS TIMESTAMP) AND v.`m` < date_trunc('MINUTE', CAST(from_unixtime(1710054000) AS TIMESTAMP)) GROUP BY ((unix_timestamp(v.`m`) DIV 60) * 60) * 1000 UNION ALL SELECT ((unix_timestamp(sales_0.ts) DIV 60) * 60) * 1000 AS c0, sum(sales_0.price) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= CAST(from_unixtime(1707388200) AS TIMESTAMP) AND sales_0.ts <= CAST(from_unixtime(1710054000) AS TIMESTAMP) AND sales_0.ts >= date_trunc('MINUTE', CAST(from_unixtime(1710054000) AS TIMESTAMP)) GROUP BY ((unix_timestamp(sales_0.ts) DIV 60) * 60) * 1000) AS v GROUP BY v.`c0` ORDER BY 1 ASC NULLS FIRST

--@ case: the nearest hour changes at half past
SELECT round(unix_timestamp(ts) / 3600) * 3600 AS h, sum(price) AS s FROM sales GROUP BY 1
--@ rewritten using by_minute
SELECT round(unix_timestamp(v.`m`) / 3600) * 3600 AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY round(unix_timestamp(v.`m`) / 3600) * 3600

--@ case: which hours do not tell
SELECT round(unix_timestamp(ts) / 3600) * 3600 AS h, max(price) AS top FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute AGGREGATE_NOT_IN_VIEW max(price)

--@ case: the nearest two hours are told by hours
SELECT round(unix_timestamp(ts) / 7200) * 7200 AS h, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT round(unix_timestamp(v.`h`) / 7200) * 7200 AS h, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY round(unix_timestamp(v.`h`) / 7200) * 7200

--@ case: the nearest five minutes change within a minute
SELECT from_unixtime(round(unix_timestamp(ts) / 300) * 300) AS t, sum(price) AS s FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute GROUPING_TOO_COARSE ts

--@ case: the next hour begins a second after the hour
SELECT ceil(unix_timestamp(ts) / 3600) * 3600 AS h, sum(price) AS s FROM sales GROUP BY 1
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour GROUPING_TOO_COARSE ts; by_hour_of_local GROUPING_TOO_COARSE ts; by_local_minute GROUPING_TOO_COARSE ts; by_minute GROUPING_TOO_COARSE ts

--@ case: windows between instants, as Grafana writes them
SELECT window.start AS t, sum(price) AS s FROM sales WHERE ts BETWEEN '2024-02-08T10:29:59Z' AND '2024-03-10T07:00:00Z' GROUP BY window(ts, '5 minutes')
--@ rewritten using by_minute
SELECT v.`c0` AS t, sum(v.`c1`) AS s FROM (SELECT CAST(timestamp_seconds(floor(unix_seconds(v.`m`) / 300) * 300) AS timestamp) AS c0, CAST(sum(v.`s`) AS bigint) AS c1 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', CAST('2024-02-08T10:29:59Z' AS TIMESTAMP)) + INTERVAL '1' MINUTE) AND v.`m` < date_trunc('MINUTE', CAST('2024-03-10T07:00:00Z' AS TIMESTAMP)) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 300) * 300) UNION ALL SELECT timestamp_seconds(floor(unix_seconds(sales_0.ts) / 300) * 300) AS c0, sum(sales_0.price) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= '2024-02-08T10:29:59Z' AND sales_0.ts <= '2024-03-10T07:00:00Z' AND ((sales_0.ts < (date_trunc('MINUTE', CAST('2024-02-08T10:29:59Z' AS TIMESTAMP)) + INTERVAL '1' MINUTE)) OR (sales_0.ts >= date_trunc('MINUTE', CAST('2024-03-10T07:00:00Z' AS TIMESTAMP)))) GROUP BY timestamp_seconds(floor(unix_seconds(sales_0.ts) / 300) * 300)) AS v GROUP BY v.`c0`

--@ case: days ago, as Metabase counts them
SELECT count(*) AS c FROM sales WHERE ts >= date_trunc('day', now() + (INTERVAL '-30' DAY)) AND ts < date_trunc('day', now())
--@ rewritten using by_hour
SELECT coalesce(sum(v.`viewgate_rows_0`), 0) AS c FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= date_trunc('day', current_timestamp() - INTERVAL '30' DAY) AND v.`h` < date_trunc('day', current_timestamp())

--@ case: days added with a sign
SELECT sum(price) AS s FROM sales WHERE ts >= date_trunc('month', date_add(now(), -365)) AND ts < date_add(current_date(), -1)
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= date_trunc('month', date_add(current_timestamp(), -365)) AND v.`m` < date_add(current_date(), -1)

--@ case: an interval of several units
SELECT count(*) AS c FROM sales WHERE ts >= now() - INTERVAL '7 days 2 hours'
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', (current_timestamp() - INTERVAL '7' DAY) - INTERVAL '2' HOUR) + INTERVAL '1' MINUTE) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= ((current_timestamp() - INTERVAL '7' DAY) - INTERVAL '2' HOUR) AND sales_0.ts < (date_trunc('MINUTE', (current_timestamp() - INTERVAL '7' DAY) - INTERVAL '2' HOUR) + INTERVAL '1' MINUTE)) AS v

--@ case: an interval of a clock
SELECT count(*) AS c FROM sales WHERE ts >= now() - INTERVAL '01:30:00' HOUR TO SECOND AND ts < now() + INTERVAL '30:00:00' HOUR TO SECOND
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', current_timestamp() - INTERVAL '90' MINUTE) + INTERVAL '1' MINUTE) AND v.`m` < date_trunc('MINUTE', (current_timestamp() + INTERVAL '1' DAY) + INTERVAL '6' HOUR) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= (current_timestamp() - INTERVAL '90' MINUTE) AND sales_0.ts < ((current_timestamp() + INTERVAL '1' DAY) + INTERVAL '6' HOUR) AND ((sales_0.ts < (date_trunc('MINUTE', current_timestamp() - INTERVAL '90' MINUTE) + INTERVAL '1' MINUTE)) OR (sales_0.ts >= date_trunc('MINUTE', (current_timestamp() + INTERVAL '1' DAY) + INTERVAL '6' HOUR)))) AS v

--@ case: an interval that is made
SELECT count(*) AS c FROM sales WHERE ts >= now() - make_interval(0, 0, 0, 7) AND ts < current_date() + make_dt_interval(1)
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` < (CAST(current_date() AS TIMESTAMP) + INTERVAL '1' DAY) AND v.`m` >= (date_trunc('MINUTE', current_timestamp() - INTERVAL '7' DAY) + INTERVAL '1' MINUTE) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= (current_timestamp() - INTERVAL '7' DAY) AND sales_0.ts < (CAST(current_date() AS TIMESTAMP) + INTERVAL '1' DAY) AND sales_0.ts < (date_trunc('MINUTE', current_timestamp() - INTERVAL '7' DAY) + INTERVAL '1' MINUTE)) AS v

--@ case: hours that are made are no days
SELECT count(*) AS c FROM sales WHERE ts >= now() - make_interval(0, 0, 0, 0, 48) AND ts < current_timestamp() + make_ym_interval(1, 2)
--@ rewritten using by_minute
SELECT coalesce(sum(v.`c0`), 0) AS c FROM (SELECT CAST(coalesce(sum(v.`c`), 0) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', timestampadd(HOUR, -48, current_timestamp())) + INTERVAL '1' MINUTE) AND v.`m` < date_trunc('MINUTE', current_timestamp() + INTERVAL '14' MONTH) UNION ALL SELECT count(*) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= timestampadd(HOUR, -48, current_timestamp()) AND sales_0.ts < (current_timestamp() + INTERVAL '14' MONTH) AND ((sales_0.ts < (date_trunc('MINUTE', timestampadd(HOUR, -48, current_timestamp())) + INTERVAL '1' MINUTE)) OR (sales_0.ts >= date_trunc('MINUTE', current_timestamp() + INTERVAL '14' MONTH)))) AS v

--@ case: an interval of a column is none of a constant
SELECT count(*) AS c FROM sales WHERE ts >= now() - make_interval(0, 0, 0, price)
--@ kept: by_day UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_hour UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_hour_of_local UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_local_minute UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_minute UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery

--@ case: a date and hours that are made are an error in Spark
SELECT count(*) AS c FROM sales WHERE ts >= current_date() - make_interval(0, 0, 0, 0, 6)
--@ kept: by_day UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_hour UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_hour_of_local UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_local_minute UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery; by_minute UNSUPPORTED the function make_interval() is not supported: read the tables in a subquery, which a view can answer, and call make_interval() only in the SELECT around the subquery

--@ case: the first day of this year and month
SELECT sum(price) AS s FROM sales WHERE ts >= make_date(year(current_date()), 1, 1) AND ts < make_date(year(current_date()), month(current_date()), 1)
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= make_date(year(current_date()), 1, 1) AND v.`m` < make_date(year(current_date()), month(current_date()), 1)

--@ case: by texts that are cast
SELECT sum(price) AS s FROM sales WHERE ts >= CAST(date_format(current_date(), 'yyyy-MM-01') AS DATE) AND ts >= CAST(concat(year(current_date()), '-01-01') AS DATE)
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= CAST(date_format(current_date(), 'yyyy-MM-01') AS DATE) AND v.`m` >= CAST(concat(year(current_date()), '-01-01') AS DATE)

--@ case: the last month by its last days
SELECT sum(price) AS s FROM sales WHERE ts >= last_day(add_months(current_date(), -2)) + 1 AND ts < last_day(add_months(current_date(), -1)) + 1
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= (last_day(add_months(current_date(), -2)) + 1) AND v.`m` < (last_day(add_months(current_date(), -1)) + 1)

--@ case: from last Sunday on
SELECT sum(price) AS s FROM sales WHERE ts >= next_day(current_date(), 'SUN') - 7
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= (next_day(current_date(), 'SUN') - 7)

--@ case: dates and times that are made of numbers
SELECT sum(price) AS s FROM sales WHERE ts >= make_date(2024, 1, 1) AND ts < make_timestamp(2024, 11, 3, 1, 0, 0)
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= CAST('2024-01-01' AS DATE) AND v.`m` < CAST('2024-11-03 01:00:00' AS TIMESTAMP)

--@ case: texts by a pattern
SELECT sum(price) AS s FROM sales WHERE ts >= to_date('01/02/2024', 'dd/MM/yyyy') AND ts < to_timestamp('2024-11-03 00:00:00.000', 'yyyy-MM-dd HH:mm:ss.SSS')
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= CAST('2024-02-01' AS DATE) AND v.`m` < CAST('2024-11-03 00:00:00' AS TIMESTAMP)

--@ case: a text that the pattern does not read is left to Spark
SELECT sum(price) AS s FROM sales WHERE ts >= to_timestamp('2024-2', 'yyyy-MM')
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour COLUMN_NOT_IN_VIEW ts: ts >= to_timestamp('2024-2', 'yyyy-MM') may select a part of one of the view's time buckets (hour): if whole buckets are meant, round the bound, for example by date_trunc(); by_hour_of_local COLUMN_NOT_IN_VIEW ts; by_local_minute COLUMN_NOT_IN_VIEW ts; by_minute COLUMN_NOT_IN_VIEW ts: ts >= to_timestamp('2024-2', 'yyyy-MM') may select a part of one of the view's time buckets (minute): if whole buckets are meant, round the bound, for example by date_trunc()

--@ case: seconds since 1970 that are shown as a time
SELECT sum(price) AS s FROM sales WHERE ts BETWEEN from_unixtime(1707388200) AND from_unixtime(1710053999)
--@ rewritten using by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= CAST(from_unixtime(1707388200) AS TIMESTAMP) AND v.`m` < date_trunc('MINUTE', CAST(from_unixtime(1710053999) AS TIMESTAMP)) UNION ALL SELECT sum(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= CAST(from_unixtime(1707388200) AS TIMESTAMP) AND sales_0.ts <= CAST(from_unixtime(1710053999) AS TIMESTAMP) AND sales_0.ts >= date_trunc('MINUTE', CAST(from_unixtime(1710053999) AS TIMESTAMP))) AS v

--@ case: a day ago by seconds
SELECT sum(price) AS s FROM sales WHERE ts >= from_unixtime(unix_timestamp() - 604830)
--@ rewritten using by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', CAST(from_unixtime(unix_timestamp(current_timestamp()) - 604830) AS TIMESTAMP)) + INTERVAL '1' MINUTE) UNION ALL SELECT sum(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= CAST(from_unixtime(unix_timestamp(current_timestamp()) - 604830) AS TIMESTAMP) AND sales_0.ts < (date_trunc('MINUTE', CAST(from_unixtime(unix_timestamp(current_timestamp()) - 604830) AS TIMESTAMP)) + INTERVAL '1' MINUTE)) AS v

--@ case: a text of a time that is a time
SELECT date_format(to_timestamp(ts), 'yyyy-MM-dd') AS d, max(price) AS top FROM sales GROUP BY 1
--@ rewritten using by_hour
SELECT date_format(v.`h`, 'yyyy-MM-dd') AS d, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_format(v.`h`, 'yyyy-MM-dd')

--@ case: a window that slides on a clock without a zone
SELECT window.start, window.end, bit_xor(price) AS bits FROM sales GROUP BY window(local, '1 hour', '15 minutes')
--@ rewritten using by_local_minute
SELECT timestampadd(SECOND, -slides_0.back, make_timestamp_ntz(year(v.`m`), month(v.`m`), day(v.`m`), hour(v.`m`), CAST((minute(v.`m`) DIV 15) * 15 AS INT), 0)) AS start, timestampadd(SECOND, -slides_0.back, make_timestamp_ntz(year(v.`m`), month(v.`m`), day(v.`m`), hour(v.`m`), CAST((minute(v.`m`) DIV 15) * 15 AS INT), 0)) + INTERVAL '3600' SECOND AS `end`, bit_xor(v.`bits`) AS bits FROM lake.demo.by_local_minute__storage AS v, (SELECT explode(sequence(0, 2700, 900)) AS back) AS slides_0 WHERE NOT (v.`m` IS NULL) GROUP BY timestampadd(SECOND, -slides_0.back, make_timestamp_ntz(year(v.`m`), month(v.`m`), day(v.`m`), hour(v.`m`), CAST((minute(v.`m`) DIV 15) * 15 AS INT), 0)), timestampadd(SECOND, -slides_0.back, make_timestamp_ntz(year(v.`m`), month(v.`m`), day(v.`m`), hour(v.`m`), CAST((minute(v.`m`) DIV 15) * 15 AS INT), 0)) + INTERVAL '3600' SECOND

--@ case: a slide that is the length of no bucket
SELECT window.start, bit_xor(price) AS bits FROM sales GROUP BY window(local, '1 hour', '20 minutes')
--@ kept: by_day UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_hour UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_hour_of_local UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_local_minute UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_minute UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP

--@ case: a slide with an offset
SELECT window.start, bit_xor(price) AS bits FROM sales GROUP BY window(local, '1 hour', '30 minutes', '5 minutes')
--@ kept: by_day UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_hour UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_hour_of_local UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_local_minute UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_minute UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP

--@ case: sessions depend on each time
SELECT session_window.start, count(*) AS c FROM sales GROUP BY session_window(ts, '5 minutes')
--@ kept: by_day UNSUPPORTED session_window() is not supported: the end of a session depends on each single time, not on time buckets; by_hour UNSUPPORTED session_window() is not supported: the end of a session depends on each single time, not on time buckets; by_hour_of_local UNSUPPORTED session_window() is not supported: the end of a session depends on each single time, not on time buckets; by_local_minute UNSUPPORTED session_window() is not supported: the end of a session depends on each single time, not on time buckets; by_minute UNSUPPORTED session_window() is not supported: the end of a session depends on each single time, not on time buckets

--@ case: the times from a day of a calendar to the next
SELECT d.day, max(s.price) AS top FROM dates AS d LEFT JOIN sales AS s ON s.ts >= d.day AND s.ts < date_add(d.day, 1) GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, max(v.`top`) AS top FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2001 AS v ON CAST(v.`h` AS DATE) >= dates_0.day AND CAST(v.`h` AS DATE) < date_add(dates_0.day, 1) GROUP BY dates_0.day

--@ case: a week from each day on
SELECT d.quarter, max(s.price) AS top FROM dates AS d JOIN sales AS s ON s.ts >= d.day AND s.ts < d.day + INTERVAL 7 DAYS GROUP BY d.quarter
--@ rewritten using by_hour
SELECT dates_0.quarter AS quarter, max(v.`top`) AS top FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE CAST(v.`h` AS DATE) >= dates_0.day AND CAST(v.`h` AS DATE) < (dates_0.day + INTERVAL '7' DAYS) GROUP BY dates_0.quarter

--@ case: up to a midnight, which is one instant of its bucket
SELECT d.day, max(s.price) AS top FROM dates AS d JOIN sales AS s ON s.ts >= d.day AND s.ts <= date_add(d.day, 1) GROUP BY d.day
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour COLUMN_NOT_IN_VIEW ts: ts <= date_add(day, 1) may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_hour_of_local COLUMN_NOT_IN_VIEW ts; by_local_minute COLUMN_NOT_IN_VIEW ts; by_minute COLUMN_NOT_IN_VIEW ts: ts <= date_add(day, 1) may select a part of one of the view's buckets (minute): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: days of a calendar are no days of UTC
SELECT d.day, bit_or(s.price) AS bits FROM dates AS d JOIN sales AS s ON s.ts >= d.day AND s.ts < date_add(d.day, 1) GROUP BY d.day
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour AGGREGATE_NOT_IN_VIEW bit_or(price); by_hour_of_local COLUMN_NOT_IN_VIEW ts; by_local_minute COLUMN_NOT_IN_VIEW ts; by_minute AGGREGATE_NOT_IN_VIEW bit_or(price)

--@ case: a text plus days, which Spark casts
SELECT sum(price) AS s FROM sales WHERE ts >= '2024-02-01' + INTERVAL 7 DAYS AND ts < '2024-11-10 00:00:00' - INTERVAL 1 WEEK
--@ rewritten using by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', CAST('2024-02-01' + INTERVAL '7' DAYS AS TIMESTAMP)) + INTERVAL '1' MINUTE) AND v.`m` < date_trunc('MINUTE', CAST('2024-11-10 00:00:00' - INTERVAL '1' WEEK AS TIMESTAMP)) UNION ALL SELECT sum(sales_0.price) AS c0 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 WHERE sales_0.ts >= CAST('2024-02-01' + INTERVAL '7' DAYS AS TIMESTAMP) AND sales_0.ts < CAST('2024-11-10 00:00:00' - INTERVAL '1' WEEK AS TIMESTAMP) AND ((sales_0.ts < (date_trunc('MINUTE', CAST('2024-02-01' + INTERVAL '7' DAYS AS TIMESTAMP)) + INTERVAL '1' MINUTE)) OR (sales_0.ts >= date_trunc('MINUTE', CAST('2024-11-10 00:00:00' - INTERVAL '1' WEEK AS TIMESTAMP))))) AS v

--@ case: a local time that clocks skip is moved into the next hour
SELECT max(price) AS top FROM sales WHERE ts >= '2024-03-10 02:30:00'
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour COLUMN_NOT_IN_VIEW ts: ts >= '2024-03-10 02:30:00' may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_hour_of_local COLUMN_NOT_IN_VIEW ts; by_local_minute COLUMN_NOT_IN_VIEW ts; by_minute AGGREGATE_NOT_IN_VIEW max(price)

--@ case: the first one that they skip names the instant of the change
SELECT max(price) AS top FROM sales WHERE ts >= '2024-03-10 02:00:00'
--@ rewritten using by_hour
SELECT max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '2024-03-10 02:00:00'

--@ case: the zone divides no range, neither of days of UTC nor of a TIMESTAMP_NTZ
SELECT bit_or(price) AS bits FROM sales WHERE ts >= '2024-03-10'
--@ kept: by_day ZONE_NOT_PROVED the view's buckets of the time zone UTC differ from those of the session's zone America/New_York: create a view in this session, or set the session's time zone to the view's, which changes the query's buckets, too; by_hour AGGREGATE_NOT_IN_VIEW bit_or(price); by_hour_of_local COLUMN_NOT_IN_VIEW ts; by_local_minute COLUMN_NOT_IN_VIEW ts; by_minute AGGREGATE_NOT_IN_VIEW bit_or(price)

--@ case: a date of a TIMESTAMP_NTZ from hours of the TIMESTAMP that it is in the session's zone
SELECT CAST(local AS DATE) AS d, bit_and(price) AS bits FROM sales GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE local; by_hour GROUPING_TOO_COARSE local; by_hour_of_local ZONE_NOT_PROVED the type of local is TIMESTAMP_NTZ; in the time zone America/New_York, whose clocks change, the buckets of local differ from the buckets of its cast to TIMESTAMP: call timeseries() with the same type in the view and in the query, or use a session in UTC, which can change the query's result; by_local_minute AGGREGATE_NOT_IN_VIEW bit_and(price); by_minute GROUPING_TOO_COARSE local
