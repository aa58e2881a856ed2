-- Edges of time: the bucket that is still open, empty ranges, times before 1970, leap days, the ends of years.
--@ schema
CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP_NTZ '1969-12-31 23:59:59.999999', DATE '1969-12-31', 1),
  (TIMESTAMP '1969-12-31 23:00:00', TIMESTAMP_NTZ '1969-12-31 23:00:00', DATE '1969-12-31', 2),
  (TIMESTAMP '1970-01-01 00:00:00', TIMESTAMP_NTZ '1970-01-01 00:00:00', DATE '1970-01-01', 3),
  (TIMESTAMP '1900-02-28 23:59:59', TIMESTAMP_NTZ '1900-02-28 23:59:59', DATE '1900-02-28', 4),
  (TIMESTAMP '1900-03-01 00:00:00', TIMESTAMP_NTZ '1900-03-01 00:00:00', DATE '1900-03-01', 5),
  (TIMESTAMP '2000-02-29 12:00:00', TIMESTAMP_NTZ '2000-02-29 12:00:00', DATE '2000-02-29', 6),
  (TIMESTAMP '2024-02-28 23:59:59.999999', TIMESTAMP_NTZ '2024-02-28 23:59:59.999999', DATE '2024-02-28', 7),
  (TIMESTAMP '2024-02-29 00:00:00', TIMESTAMP_NTZ '2024-02-29 00:00:00', DATE '2024-02-29', 8),
  (TIMESTAMP '2024-03-01 00:00:00', TIMESTAMP_NTZ '2024-03-01 00:00:00', DATE '2024-03-01', 9),
  (TIMESTAMP '2024-12-31 23:59:59.999999', TIMESTAMP_NTZ '2024-12-31 23:59:59.999999', DATE '2024-12-31', 10),
  (TIMESTAMP '2024-02-15 09:59:59.999999', TIMESTAMP_NTZ '2024-02-15 09:59:59', DATE '2024-02-15', 11),
  (TIMESTAMP '2024-02-15 10:20:30', TIMESTAMP_NTZ '2024-02-15 10:20:30', DATE '2024-02-15', 12),
  (NULL, NULL, NULL, 13)
--@ view by_minute
SELECT date_trunc('minute', at) AS m, sum(n) AS s, count(*) AS c FROM events GROUP BY 1
--@ view by_day
SELECT to_date(at) AS d, max(n) AS top FROM events GROUP BY 1
--@ view by_local_hour
SELECT timeseries(local, 'hour') AS h, min(n) AS low FROM events GROUP BY 1
--@ view by_month
SELECT trunc(day, 'MONTH') AS m, bit_xor(n) AS bits FROM events GROUP BY 1

--@ case: buckets that are over
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events WHERE at < date_trunc('hour', now()) GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` < date_trunc('hour', current_timestamp()) GROUP BY date_trunc('HOUR', v.`m`)

--@ case: the bucket that is still open, too
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events WHERE at >= date_trunc('day', now()) GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= date_trunc('day', current_timestamp()) GROUP BY date_trunc('HOUR', v.`m`)

--@ case: up to now is within a bucket
SELECT max(n) AS top FROM events WHERE at < now()
--@ rewritten using by_day
SELECT max(v.`c0`) AS top FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` < CAST(date_trunc('DAY', current_timestamp()) AS DATE) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at < current_timestamp() AND events_0.at >= date_trunc('DAY', current_timestamp())) AS v

--@ case: today's dates
SELECT to_date(at) AS d, max(n) AS top FROM events WHERE to_date(at) >= date_trunc('month', current_date()) AND to_date(at) <= current_date() GROUP BY 1
--@ rewritten using by_day
SELECT v.`d` AS d, v.`top` AS top FROM lake.demo.by_day__storage AS v WHERE v.`d` >= date_trunc('month', current_date()) AND v.`d` <= current_date()

--@ case: a range that nothing is in
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events WHERE at >= '2030-01-01' AND at < '2030-01-02' GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2030-01-01' AND v.`m` < '2030-01-02' GROUP BY date_trunc('HOUR', v.`m`)

--@ case: figures of nothing
SELECT sum(n) AS s, count(*) AS c FROM events WHERE at >= '2030-01-01' AND at < '2030-01-02'
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2030-01-01' AND v.`m` < '2030-01-02'

--@ case: a range that ends before it begins
SELECT sum(n) AS s, count(*) AS c FROM events WHERE at >= '2024-03-01' AND at < '2024-02-01'
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-03-01' AND v.`m` < '2024-02-01'

--@ case: a range that begins where it ends
SELECT sum(n) AS s, count(*) AS c FROM events WHERE at >= '2024-03-01' AND at < '2024-03-01'
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-03-01' AND v.`m` < '2024-03-01'

--@ case: one instant
SELECT sum(n) AS s, count(*) AS c FROM events WHERE at BETWEEN '2024-03-01' AND '2024-03-01'
--@ kept: by_day COLUMN_NOT_IN_VIEW at: at <= '2024-03-01' may select a part of one of the view's buckets (day): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_local_hour COLUMN_NOT_IN_VIEW at; by_minute COLUMN_NOT_IN_VIEW at: at <= '2024-03-01' may select a part of one of the view's buckets (minute): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at

--@ case: hours before 1970
SELECT date_trunc('hour', at) AS h, floor(unix_seconds(at) / 3600) AS k, sum(n) AS s FROM events WHERE at < '1970-01-01' GROUP BY 1, 2
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`) AS h, floor(unix_seconds(v.`m`) / 3600) AS k, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` < '1970-01-01' GROUP BY date_trunc('HOUR', v.`m`), floor(unix_seconds(v.`m`) / 3600)

--@ case: hours before 1970, of a clock
SELECT timeseries(local, 'hour') AS h, min(n) AS low FROM events WHERE local < TIMESTAMP_NTZ '1970-01-01 00:00:00' GROUP BY 1
--@ rewritten using by_local_hour
SELECT v.`h` AS h, v.`low` AS low FROM lake.demo.by_local_hour__storage AS v WHERE v.`h` < CAST('1970-01-01 00:00:00' AS TIMESTAMP_NTZ)

--@ case: decades
SELECT floor(year(at) / 10) * 10 AS decade, max(n) AS top FROM events GROUP BY 1
--@ rewritten using by_day
SELECT floor(year(v.`d`) / 10) * 10 AS decade, max(v.`top`) AS top FROM lake.demo.by_day__storage AS v GROUP BY floor(year(v.`d`) / 10) * 10

--@ case: the last day of February
SELECT last_day(at) AS d, dayofyear(at) AS n, max(n) AS top FROM events WHERE month(at) = 2 GROUP BY 1, 2
--@ rewritten using by_day
SELECT last_day(v.`d`) AS d, dayofyear(v.`d`) AS n, max(v.`top`) AS top FROM lake.demo.by_day__storage AS v WHERE month(v.`d`) = 2 GROUP BY last_day(v.`d`), dayofyear(v.`d`)

--@ case: until a leap day
SELECT bit_xor(n) AS bits FROM events WHERE day >= '2024-02-01' AND day <= '2024-02-29'
--@ rewritten using by_month
SELECT bit_xor(v.`bits`) AS bits FROM lake.demo.by_month__storage AS v WHERE v.`m` >= '2024-02-01' AND v.`m` <= '2024-02-29'

--@ case: until the day before
SELECT bit_xor(n) AS bits FROM events WHERE day >= '2024-02-01' AND day < '2024-02-29'
--@ kept: by_day COLUMN_NOT_IN_VIEW day; by_local_hour COLUMN_NOT_IN_VIEW day; by_minute COLUMN_NOT_IN_VIEW day; by_month COLUMN_NOT_IN_VIEW day: day < '2024-02-29' may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: 1900 had none
SELECT bit_xor(n) AS bits FROM events WHERE day >= '1900-02-01' AND day <= '1900-02-28'
--@ rewritten using by_month
SELECT bit_xor(v.`bits`) AS bits FROM lake.demo.by_month__storage AS v WHERE v.`m` >= '1900-02-01' AND v.`m` <= '1900-02-28'

--@ case: a year from a leap day on
SELECT sum(n) AS s FROM events WHERE at >= add_months(DATE '2024-02-29', -12) AND at < DATE '2024-02-29'
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= CAST('2023-02-28' AS DATE) AND v.`m` < CAST('2024-02-29' AS DATE)

--@ case: the last microsecond of a year
SELECT sum(n) AS s FROM events WHERE at BETWEEN '2024-01-01' AND '2024-12-31 23:59:59.999999'
--@ rewritten using by_minute
SELECT sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-01-01' AND v.`m` <= '2024-12-31 23:59:59.999999'

--@ case: the last second of a year leaves out what is behind
SELECT sum(n) AS s FROM events WHERE at BETWEEN '2024-01-01' AND '2024-12-31 23:59:59'
--@ rewritten using by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= '2024-01-01' AND v.`m` < CAST('2024-12-31 23:59:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at <= '2024-12-31 23:59:59' AND events_0.at >= CAST('2024-12-31 23:59:00' AS TIMESTAMP)) AS v

--@ case: rows that have no time
SELECT date_trunc('hour', at) IS NULL AS none, count(*) AS c FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('HOUR', v.`m`) IS NULL AS none, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('HOUR', v.`m`) IS NULL
