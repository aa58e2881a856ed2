-- The spellings of buckets and labels: whatever is the same over a bucket is computed from any finer bucket.
--@ schema
CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, n BIGINT);
CREATE TABLE logs (local TIMESTAMP_NTZ, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '2023-12-31 23:59:59.999999', TIMESTAMP_NTZ '2023-12-31 23:59:59', DATE '2023-12-31', 1),
  (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', DATE '2024-01-01', 2),
  (TIMESTAMP '2024-01-07 10:20:30', TIMESTAMP_NTZ '2024-01-07 10:20:30', DATE '2024-01-07', 3),
  (TIMESTAMP '2024-02-29 12:34:56.5', TIMESTAMP_NTZ '2024-02-29 12:34:56', DATE '2024-02-29', 4),
  (TIMESTAMP '2024-02-29 12:59:59', TIMESTAMP_NTZ '2024-02-29 12:59:59', DATE '2024-02-29', 5),
  (TIMESTAMP '1969-12-31 23:30:00', TIMESTAMP_NTZ '1969-12-31 23:30:00', DATE '1969-12-31', 6),
  (TIMESTAMP '2024-12-30 00:00:01', TIMESTAMP_NTZ '2024-12-30 00:00:01', DATE '2024-12-30', 7),
  (NULL, NULL, NULL, 8), (NULL, NULL, NULL, NULL);
INSERT INTO logs VALUES
  (TIMESTAMP_NTZ '2023-12-31 23:59:59.999999', 1), (TIMESTAMP_NTZ '2024-01-01 00:00:00', 2), (TIMESTAMP_NTZ '2024-02-29 12:34:56', 3), (NULL, 4)
--@ view by_minute
SELECT date_trunc('minute', at) AS m, sum(n) AS s FROM events GROUP BY 1
--@ view by_day
SELECT to_date(at) AS d, max(n) AS top FROM events GROUP BY 1
--@ view by_fields
SELECT year(at) AS y, month(at) AS m, min(n) AS least FROM events GROUP BY year(at), month(at)
--@ view by_unix_hour
SELECT floor(unix_seconds(at) / 3600) * 3600 AS h, bit_or(n) AS bits FROM events GROUP BY 1
--@ view made_month
SELECT make_date(year(at), month(at), 1) AS m, bit_and(n) AS bits FROM events GROUP BY 1
--@ view by_date
SELECT day, bit_xor(n) AS bits FROM events GROUP BY day
--@ view local_hour
SELECT timeseries(local, 'hour') AS h, count(n) AS c FROM events GROUP BY 1
--@ view logs_by_hour
SELECT date_trunc('hour', local) AS h, sum(n) AS s FROM logs GROUP BY 1
--@ view by_label
SELECT date_format(at, 'yyyy-MM-dd HH') AS h, count_if(n > 2) AS c FROM events GROUP BY 1

--@ case: a text of year and month
SELECT date_format(at, 'yyyy-MM') AS m, sum(n) AS s FROM events GROUP BY date_format(at, 'yyyy-MM')
--@ rewritten using by_minute
SELECT date_format(v.`m`, 'yyyy-MM') AS m, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_format(v.`m`, 'yyyy-MM')

--@ case: a text with an hour, and literals for what is finer
SELECT date_format(at, 'yyyy-MM-dd HH:00:00') AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_format(v.`m`, 'yyyy-MM-dd HH:00:00') AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_format(v.`m`, 'yyyy-MM-dd HH:00:00')

--@ case: the same text from days lacks the hour
SELECT date_format(at, 'yyyy-MM-dd HH:00:00') AS h, max(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW max(n); by_unix_hour AGGREGATE_NOT_IN_VIEW max(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: from days, a text of days
SELECT date_format(at, 'dd.MM.yyyy') AS d, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT date_format(CAST(v.`d` AS TIMESTAMP), 'dd.MM.yyyy') AS d, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY date_format(CAST(v.`d` AS TIMESTAMP), 'dd.MM.yyyy')

--@ case: a text with fractions of a second
SELECT date_format(at, 'HH:mm:ss.SSS') AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: a text that names the offset
SELECT date_format(at, 'yyyy-MM-dd XXX') AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: quoted letters are no fields
SELECT date_format(at, "yyyy-MM-dd'T'HH:mm") AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_format(v.`m`, 'yyyy-MM-dd\'T\'HH:mm') AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_format(v.`m`, 'yyyy-MM-dd\'T\'HH:mm')

--@ case: hours counted from 1970
SELECT floor(unix_seconds(at) / 3600) * 3600 AS h, sum(n) AS s FROM events GROUP BY floor(unix_seconds(at) / 3600) * 3600
--@ rewritten using by_minute
SELECT floor(unix_seconds(v.`m`) / 3600) * 3600 AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY floor(unix_seconds(v.`m`) / 3600) * 3600

--@ case: as a time again
SELECT timestamp_seconds(floor(unix_seconds(at) / 3600) * 3600) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600)

--@ case: the other way round
SELECT timestamp_seconds(900 * floor(unix_seconds(at) / 900)) AS q, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT timestamp_seconds(900 * floor(unix_seconds(v.`m`) / 900)) AS q, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY timestamp_seconds(900 * floor(unix_seconds(v.`m`) / 900))

--@ case: less the rest
SELECT unix_seconds(at) - pmod(unix_seconds(at), 86400) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT unix_seconds(v.`m`) - pmod(unix_seconds(v.`m`), 86400) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY unix_seconds(v.`m`) - pmod(unix_seconds(v.`m`), 86400)

--@ case: DIV goes up before 1970
SELECT unix_seconds(at) DIV 3600 * 3600 AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_fields GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_unix_hour GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: the rest of % is negative before 1970
SELECT unix_seconds(at) - unix_seconds(at) % 3600 AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: ninety seconds are no minutes
SELECT floor(unix_seconds(at) / 90) AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: a text of seconds
SELECT from_unixtime(unix_seconds(at), 'yyyy-MM-dd HH') AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT from_unixtime(unix_seconds(v.`m`), 'yyyy-MM-dd HH') AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY from_unixtime(unix_seconds(v.`m`), 'yyyy-MM-dd HH')

--@ case: a text of hours counted from 1970
SELECT from_unixtime(floor(unix_seconds(at) / 3600) * 3600) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT from_unixtime(floor(unix_seconds(v.`m`) / 3600) * 3600) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY from_unixtime(floor(unix_seconds(v.`m`) / 3600) * 3600)

--@ case: seconds are finer than minutes
SELECT from_unixtime(unix_seconds(at)) AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: days of hours counted from 1970, in a zone without an offset
SELECT date_trunc('day', at) AS d, bit_or(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_unix_hour
SELECT date_trunc('DAY', timestamp_seconds(v.`h`)) AS d, bit_or(v.`bits`) AS bits FROM lake.demo.by_unix_hour__storage AS v GROUP BY date_trunc('DAY', timestamp_seconds(v.`h`))

--@ case: six of these hours
SELECT timestamp_seconds(floor(unix_seconds(at) / 21600) * 21600) AS d, bit_or(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_unix_hour
SELECT timestamp_seconds(floor(unix_seconds(timestamp_seconds(v.`h`)) / 21600) * 21600) AS d, bit_or(v.`bits`) AS bits FROM lake.demo.by_unix_hour__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(timestamp_seconds(v.`h`)) / 21600) * 21600)

--@ case: labels of these hours
SELECT hour(at) AS h, date_format(at, 'yyyy') AS y, bit_or(n) AS bits FROM events GROUP BY 1, 2
--@ rewritten using by_unix_hour
SELECT hour(timestamp_seconds(v.`h`)) AS h, date_format(timestamp_seconds(v.`h`), 'yyyy') AS y, bit_or(v.`bits`) AS bits FROM lake.demo.by_unix_hour__storage AS v GROUP BY hour(timestamp_seconds(v.`h`)), date_format(timestamp_seconds(v.`h`), 'yyyy')

--@ case: a quarter of such an hour
SELECT timestamp_seconds(floor(unix_seconds(at) / 900) * 900) AS d, bit_or(n) AS bits FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW bit_or(n); by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: the first day of a month
SELECT make_date(year(at), month(at), 1) AS m, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT make_date(year(v.`d`), month(v.`d`), 1) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY make_date(year(v.`d`), month(v.`d`), 1)

--@ case: quarters of months that were made
SELECT date_trunc('quarter', at) AS q, bit_and(n) AS bits FROM events GROUP BY 1
--@ rewritten using made_month
SELECT CAST(trunc(v.`m`, 'QUARTER') AS TIMESTAMP) AS q, bit_and(v.`bits`) AS bits FROM lake.demo.made_month__storage AS v GROUP BY CAST(trunc(v.`m`, 'QUARTER') AS TIMESTAMP)

--@ case: a year of months that were made
SELECT date_format(at, 'yyyy') AS y, bit_and(n) AS bits FROM events GROUP BY 1
--@ rewritten using made_month
SELECT date_format(CAST(v.`m` AS TIMESTAMP), 'yyyy') AS y, bit_and(v.`bits`) AS bits FROM lake.demo.made_month__storage AS v GROUP BY date_format(CAST(v.`m` AS TIMESTAMP), 'yyyy')

--@ case: weeks of months that were made
SELECT date_trunc('week', at) AS w, bit_and(n) AS bits FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day AGGREGATE_NOT_IN_VIEW bit_and(n); by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW bit_and(n); by_unix_hour AGGREGATE_NOT_IN_VIEW bit_and(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: months of years and months
SELECT trunc(at, 'MONTH') AS m, min(n) AS least FROM events GROUP BY 1
--@ rewritten using by_fields
SELECT make_date(v.`y`, v.`m`, 1) AS m, v.`least` AS least FROM lake.demo.by_fields__storage AS v

--@ case: their quarters, and a text
SELECT date_trunc('quarter', at) AS q, date_format(at, 'MMM yyyy') AS t, min(n) AS least FROM events GROUP BY 1, 2
--@ rewritten using by_fields
SELECT CAST(trunc(make_date(v.`y`, v.`m`, 1), 'QUARTER') AS TIMESTAMP) AS q, date_format(CAST(make_date(v.`y`, v.`m`, 1) AS TIMESTAMP), 'MMM yyyy') AS t, min(v.`least`) AS least FROM lake.demo.by_fields__storage AS v GROUP BY CAST(trunc(make_date(v.`y`, v.`m`, 1), 'QUARTER') AS TIMESTAMP), date_format(CAST(make_date(v.`y`, v.`m`, 1) AS TIMESTAMP), 'MMM yyyy')

--@ case: their days
SELECT to_date(at) AS d, min(n) AS least FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day AGGREGATE_NOT_IN_VIEW min(n); by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW min(n); by_unix_hour AGGREGATE_NOT_IN_VIEW min(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: a text of fields put together
SELECT concat(year(at), '-', lpad(month(at), 2, '0')) AS m, max(n) AS s FROM events GROUP BY concat(year(at), '-', lpad(month(at), 2, '0'))
--@ rewritten using by_day
SELECT concat(year(v.`d`), '-', lpad(month(v.`d`), 2, '0')) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY concat(year(v.`d`), '-', lpad(month(v.`d`), 2, '0'))

--@ case: a date of a text
SELECT to_date(date_format(at, 'yyyy-MM-01')) AS m, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT CAST(date_format(CAST(v.`d` AS TIMESTAMP), 'yyyy-MM-01') AS DATE) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY CAST(date_format(CAST(v.`d` AS TIMESTAMP), 'yyyy-MM-01') AS DATE)

--@ case: weeks from Sunday
SELECT date_sub(at, dayofweek(at) - 1) AS w, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT date_sub(v.`d`, dayofweek(v.`d`) - 1) AS w, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY date_sub(v.`d`, dayofweek(v.`d`) - 1)

--@ case: weeks from Sunday of minutes
SELECT date_sub(to_date(at), dayofweek(at) - 1) AS w, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_sub(CAST(v.`m` AS DATE), dayofweek(v.`m`) - 1) AS w, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_sub(CAST(v.`m` AS DATE), dayofweek(v.`m`) - 1)

--@ case: the Sunday that follows
SELECT next_day(at, 'SUN') AS w, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT next_day(v.`d`, 'SUN') AS w, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY next_day(v.`d`, 'SUN')

--@ case: ISO years and weeks
SELECT extract(YEAROFWEEK FROM at) AS y, weekofyear(at) AS w, max(n) AS s FROM events GROUP BY 1, 2
--@ rewritten using by_day
SELECT date_part('YEAROFWEEK', v.`d`) AS y, weekofyear(v.`d`) AS w, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY date_part('YEAROFWEEK', v.`d`), weekofyear(v.`d`)

--@ case: ISO weeks of months
SELECT extract(YEAROFWEEK FROM at) AS y, weekofyear(at) AS w, min(n) AS least FROM events GROUP BY 1, 2
--@ kept: by_date GROUPING_TOO_COARSE at; by_day AGGREGATE_NOT_IN_VIEW min(n); by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW min(n); by_unix_hour AGGREGATE_NOT_IN_VIEW min(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: fiscal years that begin in October
SELECT year(add_months(at, 3)) AS fiscal, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT year(add_months(v.`d`, 3)) AS fiscal, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY year(add_months(v.`d`, 3))

--@ case: fiscal quarters
SELECT year(add_months(to_date(at), 3)) AS y, quarter(add_months(at, 3)) AS q, sum(n) AS s FROM events GROUP BY 1, 2
--@ rewritten using by_minute
SELECT year(add_months(v.`m`, 3)) AS y, quarter(add_months(v.`m`, 3)) AS q, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY year(add_months(v.`m`, 3)), quarter(add_months(v.`m`, 3))

--@ case: the month before
SELECT add_months(trunc(at, 'MONTH'), -1) AS m, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT add_months(trunc(v.`d`, 'MONTH'), -1) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY add_months(trunc(v.`d`, 'MONTH'), -1)

--@ case: days to the end of the month
SELECT datediff(last_day(at), at) AS left, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT datediff(last_day(v.`d`), v.`d`) AS `left`, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY datediff(last_day(v.`d`), v.`d`)

--@ case: months between take the time of the day
SELECT floor(months_between(at, DATE '2024-01-01')) AS m, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because months_between() depends on the time of day: call months_between() with dates; by_fields GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because months_between() depends on the time of day: call months_between() with dates; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because months_between() depends on the time of day: call months_between() with dates; by_unix_hour GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because months_between() depends on the time of day: call months_between() with dates; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because months_between() depends on the time of day: call months_between() with dates

--@ case: names of days and months
SELECT dayname(at) AS d, monthname(at) AS m, max(n) AS s FROM events GROUP BY 1, 2
--@ rewritten using by_day
SELECT dayname(v.`d`) AS d, monthname(v.`d`) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY dayname(v.`d`), monthname(v.`d`)

--@ case: a label of a bucket is one of the time
SELECT month(date_trunc('hour', at)) AS m, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT month(v.`d`) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY month(v.`d`)

--@ case: texts of dates
SELECT date_format(day, 'yyyy-MM') AS m, bit_xor(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_date
SELECT date_format(v.`day`, 'yyyy-MM') AS m, bit_xor(v.`bits`) AS bits FROM lake.demo.by_date__storage AS v GROUP BY date_format(v.`day`, 'yyyy-MM')

--@ case: texts of a time without a zone
SELECT date_format(local, 'yyyy-MM-dd HH') AS h, count(n) AS c FROM events GROUP BY 1
--@ rewritten using local_hour
SELECT date_format(v.`h`, 'yyyy-MM-dd HH') AS h, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v GROUP BY date_format(v.`h`, 'yyyy-MM-dd HH')

--@ case: such a time has no seconds since 1970
SELECT floor(unix_timestamp(local) / 3600) AS h, count(n) AS c FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE local; by_day GROUPING_TOO_COARSE local; by_fields GROUPING_TOO_COARSE local; by_label GROUPING_TOO_COARSE local; by_minute GROUPING_TOO_COARSE local; by_unix_hour GROUPING_TOO_COARSE local; local_hour GROUPING_TOO_COARSE local; made_month GROUPING_TOO_COARSE local

--@ case: a label's own text
SELECT date_format(at, 'yyyy-MM-dd HH') AS h, count_if(n > 2) AS c FROM events GROUP BY 1
--@ rewritten using by_label
SELECT v.`h` AS h, v.`c` AS c FROM lake.demo.by_label__storage AS v

--@ case: but labels give no instants back
SELECT date_trunc('hour', at) AS h, count_if(n > 2) AS c FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute COLUMN_NOT_IN_VIEW n; by_unix_hour COLUMN_NOT_IN_VIEW n; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: what time it is now
SELECT unix_timestamp() > 1700000000 AS later, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT unix_timestamp(current_timestamp()) > 1700000000 AS later, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY unix_timestamp(current_timestamp()) > 1700000000

--@ case: milliseconds of a bucket
SELECT unix_millis(date_trunc('hour', at)) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT unix_millis(date_trunc('HOUR', v.`m`)) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY unix_millis(date_trunc('HOUR', v.`m`))

--@ case: days since 1970
SELECT unix_date(to_date(at)) AS d, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT unix_date(v.`d`) AS d, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY unix_date(v.`d`)

--@ case: milliseconds of the time itself
SELECT unix_millis(at) AS t, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: weeks that end on Saturday
SELECT date_trunc('week', at + INTERVAL '1' DAY) + INTERVAL '5' DAY AS w, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) + INTERVAL '5' DAY AS w, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('WEEK', v.`m` + INTERVAL '1' DAY) + INTERVAL '5' DAY

--@ case: days that begin at five
SELECT date_trunc('day', at - INTERVAL 5 HOURS) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', v.`m` - INTERVAL '5' HOURS) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', v.`m` - INTERVAL '5' HOURS)

--@ case: from days none that begin at five
SELECT date_trunc('day', at - INTERVAL 5 HOURS) AS d, max(n) AS top FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW max(n); by_unix_hour AGGREGATE_NOT_IN_VIEW max(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: the hour of a later day is that of this
SELECT hour(at + INTERVAL 2 DAYS) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT hour(v.`m` + INTERVAL '2' DAYS) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY hour(v.`m` + INTERVAL '2' DAYS)

--@ case: days of a later month follow from minutes
SELECT to_date(at + INTERVAL 1 MONTH) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT CAST(v.`m` + INTERVAL '1' MONTH AS DATE) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY CAST(v.`m` + INTERVAL '1' MONTH AS DATE)

--@ case: but not from months
SELECT to_date(at + INTERVAL 1 MONTH) AS d, min(n) AS least FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day AGGREGATE_NOT_IN_VIEW min(n); by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW min(n); by_unix_hour AGGREGATE_NOT_IN_VIEW min(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: half a minute is finer than minutes
SELECT date_trunc('minute', at + INTERVAL 30 SECONDS) AS m, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: of a clock without a zone
SELECT to_date(local + INTERVAL 2 HOURS) AS d, count(n) AS c FROM events GROUP BY 1
--@ rewritten using local_hour
SELECT CAST(v.`h` + INTERVAL '2' HOURS AS DATE) AS d, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v GROUP BY CAST(v.`h` + INTERVAL '2' HOURS AS DATE)

--@ case: the first characters of a time as text
SELECT substr(CAST(at AS STRING), 1, 13) AS h, sum(n) AS s FROM events GROUP BY substr(CAST(at AS STRING), 1, 13)
--@ rewritten using by_minute
SELECT substring(CAST(v.`m` AS STRING), 1, 13) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY substring(CAST(v.`m` AS STRING), 1, 13)

--@ case: days by them, without a cast, from days
SELECT substr(at, 1, 10) AS d, max(n) AS top FROM events GROUP BY substr(at, 1, 10)
--@ rewritten using by_day
SELECT substring(CAST(v.`d` AS TIMESTAMP), 1, 10) AS d, max(v.`top`) AS top FROM lake.demo.by_day__storage AS v GROUP BY substring(CAST(v.`d` AS TIMESTAMP), 1, 10)

--@ case: the hour of the day by its characters
SELECT substring(CAST(at AS STRING), 12, 2) AS h, sum(n) AS s FROM events GROUP BY substring(CAST(at AS STRING), 12, 2)
--@ rewritten using by_minute
SELECT substring(CAST(v.`m` AS STRING), 12, 2) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY substring(CAST(v.`m` AS STRING), 12, 2)

--@ case: those of a time without a zone
SELECT substr(CAST(local AS STRING), 6, 5) AS d, count(n) AS c FROM events GROUP BY substr(CAST(local AS STRING), 6, 5)
--@ rewritten using local_hour
SELECT substring(CAST(v.`h` AS STRING), 6, 5) AS d, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v GROUP BY substring(CAST(v.`h` AS STRING), 6, 5)

--@ case: characters of the hour are not told by days
SELECT substr(CAST(at AS STRING), 1, 12) AS h, max(n) AS top FROM events GROUP BY substr(CAST(at AS STRING), 1, 12)
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute AGGREGATE_NOT_IN_VIEW max(n); by_unix_hour AGGREGATE_NOT_IN_VIEW max(n); local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: fractions of a second are in no bucket
SELECT substr(CAST(at AS STRING), 1, 20) AS h, sum(n) AS s FROM events GROUP BY substr(CAST(at AS STRING), 1, 20)
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: the last characters may be of those fractions
SELECT substr(CAST(at AS STRING), -8, 2) AS h, sum(n) AS s FROM events GROUP BY substr(CAST(at AS STRING), -8, 2)
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: timestamp() casts
SELECT sum(n) AS s FROM events WHERE at >= timestamp('2024-01-01') AND at < timestamp('2024-02-29 12:40:00')
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= CAST('2024-01-01' AS TIMESTAMP) AND v.`m` < CAST('2024-02-29 12:40:00' AS TIMESTAMP)

--@ case: days of a time without zone, by its instant
SELECT date_trunc('day', local) AS d, count(n) AS c FROM events WHERE local >= '2024-01-01' GROUP BY 1
--@ rewritten using local_hour
SELECT date_trunc('DAY', CAST(v.`h` AS TIMESTAMP)) AS d, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v WHERE v.`h` >= '2024-01-01' GROUP BY date_trunc('DAY', CAST(v.`h` AS TIMESTAMP))

--@ case: the same from hours of its instant
SELECT date_trunc('month', local) AS m, sum(n) AS s FROM logs GROUP BY 1
--@ rewritten using logs_by_hour
SELECT date_trunc('MONTH', v.`h`) AS m, sum(v.`s`) AS s FROM lake.demo.logs_by_hour__storage AS v GROUP BY date_trunc('MONTH', v.`h`)

--@ case: its date, hour and text from those
SELECT to_date(local) AS d, hour(local) AS h, timeseries(local, 'week') AS w, date_format(local, 'yyyy-MM') AS t, sum(n) AS s FROM logs GROUP BY 1, 2, 3, 4
--@ rewritten using logs_by_hour
SELECT CAST(CAST(v.`h` AS TIMESTAMP_NTZ) AS DATE) AS d, hour(CAST(v.`h` AS TIMESTAMP_NTZ)) AS h, CAST(trunc(CAST(CAST(v.`h` AS TIMESTAMP_NTZ) AS DATE), 'WEEK') AS TIMESTAMP_NTZ) AS w, date_format(CAST(v.`h` AS TIMESTAMP_NTZ), 'yyyy-MM') AS t, sum(v.`s`) AS s FROM lake.demo.logs_by_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS TIMESTAMP_NTZ) AS DATE), hour(CAST(v.`h` AS TIMESTAMP_NTZ)), CAST(trunc(CAST(CAST(v.`h` AS TIMESTAMP_NTZ) AS DATE), 'WEEK') AS TIMESTAMP_NTZ), date_format(CAST(v.`h` AS TIMESTAMP_NTZ), 'yyyy-MM')

--@ case: a range of it
SELECT sum(n) AS s FROM logs WHERE local >= TIMESTAMP_NTZ '2024-01-01 00:00:00' AND local < '2024-02-29 13:00:00'
--@ rewritten using logs_by_hour
SELECT sum(v.`s`) AS s FROM lake.demo.logs_by_hour__storage AS v WHERE CAST(v.`h` AS TIMESTAMP_NTZ) >= CAST('2024-01-01 00:00:00' AS TIMESTAMP_NTZ) AND CAST(v.`h` AS TIMESTAMP_NTZ) < '2024-02-29 13:00:00'

--@ case: within an hour of it
SELECT date_trunc('minute', local) AS m, sum(n) AS s FROM logs GROUP BY 1
--@ kept: GROUPING_TOO_COARSE local

--@ case: a text of a month by to_char
SELECT to_char(at, 'yyyy-MM') AS m, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT date_format(CAST(v.`d` AS TIMESTAMP), 'yyyy-MM') AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY date_format(CAST(v.`d` AS TIMESTAMP), 'yyyy-MM')

--@ case: of a number it is another function
SELECT to_char(n, '999') AS t, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; by_day UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; by_fields UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; by_label UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; by_minute UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; by_unix_hour UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; local_hour UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery; made_month UNSUPPORTED to_char() is supported only for dates and timestamps, not for numbers: read the tables in a subquery, which a view can answer, and call to_char() only in the SELECT around the subquery

--@ case: the first characters of a text
SELECT left(CAST(at AS STRING), 7) AS m, max(n) AS s FROM events GROUP BY left(CAST(at AS STRING), 7)
--@ rewritten using by_day
SELECT substring(CAST(CAST(v.`d` AS TIMESTAMP) AS STRING), 1, 7) AS m, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY substring(CAST(CAST(v.`d` AS TIMESTAMP) AS STRING), 1, 7)

--@ case: casts by the names of types
SELECT int(year(at)) * 100 + int(month(at)) AS ym, string(year(at)) AS y, min(n) AS least FROM events GROUP BY 1, 2
--@ rewritten using by_fields
SELECT (CAST(v.`y` AS INT) * 100) + CAST(v.`m` AS INT) AS ym, CAST(v.`y` AS STRING) AS y, min(v.`least`) AS least FROM lake.demo.by_fields__storage AS v GROUP BY (CAST(v.`y` AS INT) * 100) + CAST(v.`m` AS INT), CAST(v.`y` AS STRING)

--@ case: units between a constant and a date
SELECT datediff(MONTH, DATE '2020-01-01', to_date(at)) AS months, max(n) AS s FROM events GROUP BY 1
--@ rewritten using by_day
SELECT timestampdiff(MONTH, CAST('2020-01-01' AS DATE), v.`d`) AS months, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v GROUP BY timestampdiff(MONTH, CAST('2020-01-01' AS DATE), v.`d`)

--@ case: units between a constant and a time take the time of the day
SELECT datediff(DAY, DATE '2020-01-01', at) AS days, max(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01' AS DATE): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_fields GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01' AS DATE): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01' AS DATE): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_unix_hour GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01' AS DATE): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01' AS DATE): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant

--@ case: whole units since a constant, of times that are later
SELECT timestampdiff(HOUR, TIMESTAMP '1970-01-01 00:00:00', at) AS hours, timestampdiff(MONTH, DATE '1970-01-01', at) AS months, sum(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1, 2
--@ rewritten using by_minute
SELECT timestampdiff(HOUR, CAST('1970-01-01 00:00:00' AS TIMESTAMP), v.`m`) AS hours, timestampdiff(MONTH, CAST('1970-01-01' AS DATE), v.`m`) AS months, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-01-01' GROUP BY timestampdiff(HOUR, CAST('1970-01-01 00:00:00' AS TIMESTAMP), v.`m`), timestampdiff(MONTH, CAST('1970-01-01' AS DATE), v.`m`)

--@ case: days since a constant, from days
SELECT datediff(DAY, DATE '2020-01-01', at) AS days, max(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ rewritten using by_day
SELECT timestampdiff(DAY, CAST('2020-01-01' AS DATE), CAST(v.`d` AS TIMESTAMP)) AS days, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`d` >= CAST('2024-01-01' AS DATE) GROUP BY timestampdiff(DAY, CAST('2020-01-01' AS DATE), CAST(v.`d` AS TIMESTAMP))

--@ case: weeks since a Thursday are none of the calendar
SELECT datediff(WEEK, DATE '1970-01-01', at) AS weeks, max(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ rewritten using by_day
SELECT timestampdiff(WEEK, CAST('1970-01-01' AS DATE), CAST(v.`d` AS TIMESTAMP)) AS weeks, max(v.`top`) AS s FROM lake.demo.by_day__storage AS v WHERE v.`d` >= CAST('2024-01-01' AS DATE) GROUP BY timestampdiff(WEEK, CAST('1970-01-01' AS DATE), CAST(v.`d` AS TIMESTAMP))

--@ case: days since half past six
SELECT datediff(DAY, TIMESTAMP '2020-01-01 06:30:00', at) AS days, max(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ kept: by_date COLUMN_NOT_IN_VIEW at; by_day GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01 06:30:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_fields GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01 06:30:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_label COLUMN_NOT_IN_VIEW at; by_minute GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01 06:30:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_unix_hour GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01 06:30:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; local_hour COLUMN_NOT_IN_VIEW at; made_month GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2020-01-01 06:30:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant

--@ case: whole units since a constant that may be later are counted towards it
SELECT timestampdiff(HOUR, TIMESTAMP '2024-02-01 00:00:00', at) AS hours, sum(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ kept: by_date COLUMN_NOT_IN_VIEW at; by_day GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2024-02-01 00:00:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_fields GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2024-02-01 00:00:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_label COLUMN_NOT_IN_VIEW at; by_minute GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2024-02-01 00:00:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; by_unix_hour GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2024-02-01 00:00:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant; local_hour COLUMN_NOT_IN_VIEW at; made_month GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because timestampdiff() rounds towards CAST('2024-02-01 00:00:00' AS TIMESTAMP): filter by a time at least two days after that constant, which must be the start of a bucket, or use an earlier constant

--@ case: an hour before
SELECT date_trunc('hour', dateadd(HOUR, -1, at)) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m` - INTERVAL '1' HOUR) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('HOUR', v.`m` - INTERVAL '1' HOUR)

--@ case: a text of numbers by a pattern
SELECT format_string('%d-%02d', year(at), month(at)) AS m, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT format_string('%d-%02d', year(v.`m`), month(v.`m`)) AS m, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY format_string('%d-%02d', year(v.`m`), month(v.`m`))

--@ case: seconds that are rounded up to hours end within a minute
SELECT ceil(unix_timestamp(at) / 3600) * 3600 AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: the nearest hour
SELECT round(unix_timestamp(at) / 3600) AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_date GROUPING_TOO_COARSE at; by_day GROUPING_TOO_COARSE at; by_fields GROUPING_TOO_COARSE at; by_label GROUPING_TOO_COARSE at; by_minute GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at; local_hour GROUPING_TOO_COARSE at; made_month GROUPING_TOO_COARSE at

--@ case: quarters as thirds of months rounded up, and months filled up with zeros
SELECT ceil(month(at) / 3) AS q, concat(year(at), '-', lpad(month(at), 2, '0')) AS m, min(n) AS least FROM events GROUP BY 1, 2
--@ rewritten using by_fields
SELECT ceil(v.`m` / 3) AS q, concat(v.`y`, '-', lpad(v.`m`, 2, '0')) AS m, min(v.`least`) AS least FROM lake.demo.by_fields__storage AS v GROUP BY ceil(v.`m` / 3), concat(v.`y`, '-', lpad(v.`m`, 2, '0'))

--@ case: a number of hours as an INT
SELECT CAST(unix_timestamp(at) / 3600 AS INT) AS h, sum(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ rewritten using by_minute (not proved: only one of the query and the rewritten query groups by CAST(unix_seconds(timeseries(at, 'minute')) / 3600 AS INT))
SELECT CAST(unix_timestamp(v.`m`) / 3600 AS INT) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-01-01' GROUP BY CAST(unix_timestamp(v.`m`) / 3600 AS INT)
