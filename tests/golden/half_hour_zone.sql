-- A session whose days begin at half past an hour of UTC.
--@ schema
CREATE TABLE events (at TIMESTAMP, n INT);
--@ rows
INSERT INTO events VALUES (TIMESTAMP '2024-01-31 23:59:59', 1), (TIMESTAMP '2024-02-01 00:00:00', 2), (TIMESTAMP '2024-02-01 00:29:59', 4), (TIMESTAMP '2024-02-01 00:30:00', 8), (NULL, 16)
--@ settings
spark.sql.session.timeZone = +05:30
--@ least
2023-01-01
--@ view by_hour_of_utc
SELECT timestamp_seconds(floor(unix_seconds(at) / 3600) * 3600) AS h, sum(n) AS s FROM events GROUP BY 1

--@ case: the days of UTC
SELECT date_trunc('day', convert_timezone('+05:30', 'UTC', CAST(at AS TIMESTAMP_NTZ))) AS x, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_hour_of_utc (not proved: only one of the query and the rewritten query groups by CAST(timeseries(convert_timezone('+05)
SELECT date_trunc('DAY', CAST(convert_timezone('+05:30', 'UTC', CAST(v.`h` AS TIMESTAMP_NTZ)) AS TIMESTAMP)) AS x, sum(v.`s`) AS s FROM lake.demo.by_hour_of_utc__storage AS v GROUP BY date_trunc('DAY', CAST(convert_timezone('+05:30', 'UTC', CAST(v.`h` AS TIMESTAMP_NTZ)) AS TIMESTAMP))

--@ case: a date is not the time that it was cast from
SELECT date_trunc('day', convert_timezone('+05:30', 'UTC', CAST(at AS DATE))) AS x, sum(n) AS s FROM events GROUP BY 1
--@ kept: ZONE_NOT_PROVED the view's buckets may cross borders of the query's buckets in the time zone +05:30: use finer buckets in the view
