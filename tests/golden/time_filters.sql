-- Filters by time over buckets: a bound that begins a bucket is one of the bucket, in every form in which it is written.
--@ schema
CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '2023-12-31 23:59:59.999999', TIMESTAMP_NTZ '2023-12-31 23:59:59.999999', DATE '2023-12-31', 1),
  (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', DATE '2024-01-01', 2),
  (TIMESTAMP '2024-01-31 23:59:59.999999', TIMESTAMP_NTZ '2024-01-31 23:59:59.999999', DATE '2024-01-31', 4),
  (TIMESTAMP '2024-02-01 00:00:00', TIMESTAMP_NTZ '2024-02-01 00:00:00', DATE '2024-02-01', 8),
  (TIMESTAMP '2024-02-15 10:00:00', TIMESTAMP_NTZ '2024-02-15 10:00:00', DATE '2024-02-15', 16),
  (TIMESTAMP '2024-03-01 00:00:00.000001', TIMESTAMP_NTZ '2024-03-01 00:00:00.000001', DATE '2024-03-01', 32),
  (TIMESTAMP '2025-03-01 00:00:00', TIMESTAMP_NTZ '2025-03-01 00:00:00', DATE '2025-03-01', 64),
  (NULL, NULL, NULL, 128)
--@ view at_hour
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events GROUP BY 1
--@ view at_month
SELECT date_trunc('month', at) AS m, max(n) AS top FROM events GROUP BY 1
--@ view local_day
SELECT timeseries(local, 'day') AS d, min(n) AS least FROM events GROUP BY 1
--@ view by_month
SELECT trunc(day, 'MONTH') AS m, bit_or(n) AS bits FROM events GROUP BY 1
--@ view unix_day
SELECT floor(unix_seconds(at) / 86400) AS d, bit_xor(n) AS bits FROM events GROUP BY 1

--@ case: half open
SELECT sum(n) AS s FROM events WHERE at >= '2024-01-01' AND at < '2024-02-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-01-01' AND v.`h` < '2024-02-01'

--@ case: half open, turned round
SELECT sum(n) AS s FROM events WHERE '2024-01-01' <= at AND TIMESTAMP '2024-02-01' > at
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-01-01' AND v.`h` < CAST('2024-02-01' AS TIMESTAMP)

--@ case: up to the last microsecond
SELECT sum(n) AS s FROM events WHERE at BETWEEN '2024-01-01' AND '2024-01-31 23:59:59.999999'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-01-01' AND v.`h` <= '2024-01-31 23:59:59.999999'

--@ case: from the last microsecond on
SELECT sum(n) AS s FROM events WHERE at > TIMESTAMP '2023-12-31 23:59:59.999999'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` > CAST('2023-12-31 23:59:59.999999' AS TIMESTAMP)

--@ case: the last second is less than the last microsecond
SELECT max(n) AS s FROM events WHERE at <= TIMESTAMP '2024-01-31 23:59:59'
--@ rewritten using at_month
SELECT max(v.`c0`) AS s FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.at_month__storage VERSION AS OF 2001 AS v WHERE v.`m` < CAST('2024-01-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at <= CAST('2024-01-31 23:59:59' AS TIMESTAMP) AND events_0.at >= CAST('2024-01-01 00:00:00' AS TIMESTAMP)) AS v

--@ case: a date closes nothing for a time
SELECT max(n) AS s FROM events WHERE at >= DATE '2024-01-01' AND at <= DATE '2024-02-01'
--@ rewritten using at_month
SELECT max(v.`c0`) AS s FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.at_month__storage VERSION AS OF 2001 AS v WHERE v.`m` >= CAST('2024-01-01' AS DATE) AND v.`m` < CAST('2024-02-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at <= CAST('2024-02-01' AS DATE) AND events_0.at >= CAST('2024-02-01 00:00:00' AS TIMESTAMP)) AS v

--@ case: a date closes its month for a date
SELECT bit_or(n) AS s FROM events WHERE day BETWEEN DATE '2024-01-01' AND '2024-01-31'
--@ rewritten using by_month
SELECT bit_or(v.`bits`) AS s FROM lake.demo.by_month__storage AS v WHERE v.`m` >= CAST('2024-01-01' AS DATE) AND v.`m` <= '2024-01-31'

--@ case: after the last day of a month
SELECT bit_or(n) AS s FROM events WHERE day > '2024-01-31'
--@ rewritten using by_month
SELECT bit_or(v.`bits`) AS s FROM lake.demo.by_month__storage AS v WHERE v.`m` > '2024-01-31'

--@ case: one day of a month
SELECT bit_or(n) AS s FROM events WHERE day = DATE '2024-01-01'
--@ kept: at_hour COLUMN_NOT_IN_VIEW day; at_month COLUMN_NOT_IN_VIEW day; by_month COLUMN_NOT_IN_VIEW day: day = CAST('2024-01-01' AS DATE) may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; local_day COLUMN_NOT_IN_VIEW day; unix_day COLUMN_NOT_IN_VIEW day

--@ case: equal to a border is less than a bucket
SELECT sum(n) AS s FROM events WHERE at = TIMESTAMP '2024-01-01 00:00:00'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at: at = CAST('2024-01-01 00:00:00' AS TIMESTAMP) may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; at_month COLUMN_NOT_IN_VIEW at: at = CAST('2024-01-01 00:00:00' AS TIMESTAMP) may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at = CAST('2024-01-01 00:00:00' AS TIMESTAMP) may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: borders listed
SELECT sum(n) AS s FROM events WHERE at IN (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-02-01 00:00:00')
--@ kept: at_hour COLUMN_NOT_IN_VIEW at: at IN (CAST('2024-01-01 00:00:00' AS TIMESTAMP), CAST('2024-02-01 00:00:00' AS TIMESTAMP)) may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; at_month COLUMN_NOT_IN_VIEW at: at IN (CAST('2024-01-01 00:00:00' AS TIMESTAMP), CAST('2024-02-01 00:00:00' AS TIMESTAMP)) may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at IN (CAST('2024-01-01 00:00:00' AS TIMESTAMP), CAST('2024-02-01 00:00:00' AS TIMESTAMP)) may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: a bucket equal to its begin
SELECT sum(n) AS s FROM events WHERE date_trunc('month', at) = '2024-01-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE date_trunc('MONTH', v.`h`) = '2024-01-01'

--@ case: buckets listed
SELECT max(n) AS s FROM events WHERE date_trunc('quarter', at) IN (TIMESTAMP '2024-01-01', TIMESTAMP '2025-01-01')
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE date_trunc('QUARTER', v.`m`) IN (CAST('2024-01-01' AS TIMESTAMP), CAST('2025-01-01' AS TIMESTAMP))

--@ case: dates listed
SELECT sum(n) AS s FROM events WHERE CAST(at AS DATE) IN (DATE '2024-01-01', DATE '2024-02-01')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE CAST(v.`h` AS DATE) IN (CAST('2024-01-01' AS DATE), CAST('2024-02-01' AS DATE))

--@ case: dates in a range
SELECT sum(n) AS s FROM events WHERE to_date(at) BETWEEN '2024-01-01' AND '2024-01-31'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE CAST(v.`h` AS DATE) >= '2024-01-01' AND CAST(v.`h` AS DATE) <= '2024-01-31'

--@ case: a date over months
SELECT max(n) AS s FROM events WHERE to_date(at) >= DATE '2024-02-01'
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE CAST(v.`m` AS DATE) >= CAST('2024-02-01' AS DATE)

--@ case: a date within a month
SELECT max(n) AS s FROM events WHERE to_date(at) > DATE '2024-02-01'
--@ kept: at_hour AGGREGATE_NOT_IN_VIEW max(n); at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day AGGREGATE_NOT_IN_VIEW max(n)

--@ case: year and month
SELECT sum(n) AS s FROM events WHERE year(at) = 2024 AND month(at) = 2
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE year(v.`h`) = 2024 AND month(v.`h`) = 2

--@ case: year and month by months
SELECT max(n) AS s FROM events WHERE year(at) = 2024 AND month(at) IN (1, 2)
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE year(v.`m`) = 2024 AND month(v.`m`) IN (1, 2)

--@ case: the day of months
SELECT max(n) AS s FROM events WHERE day(at) = 1
--@ kept: at_hour AGGREGATE_NOT_IN_VIEW max(n); at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day AGGREGATE_NOT_IN_VIEW max(n)

--@ case: a text of the month
SELECT max(n) AS s FROM events WHERE date_format(at, 'yyyy-MM') = '2024-02'
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE date_format(v.`m`, 'yyyy-MM') = '2024-02'

--@ case: texts of months in a range
SELECT max(n) AS s FROM events WHERE date_format(at, 'yyyy-MM') BETWEEN '2024-01' AND '2024-02'
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE date_format(v.`m`, 'yyyy-MM') >= '2024-01' AND date_format(v.`m`, 'yyyy-MM') <= '2024-02'

--@ case: date arithmetic with constants
SELECT sum(n) AS s FROM events WHERE at >= DATE '2024-01-31' + 1 AND at < TIMESTAMP '2024-02-01' + INTERVAL 1 MONTH
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= CAST('2024-02-01' AS DATE) AND v.`h` < date_trunc('HOUR', CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' MONTH) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-02-01' AS DATE) AND events_0.at < (CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' MONTH) AND events_0.at >= date_trunc('HOUR', CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' MONTH)) AS v

--@ case: add_months of a constant
SELECT max(n) AS s FROM events WHERE at < add_months(DATE '2024-01-01', 2)
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE v.`m` < CAST('2024-03-01' AS DATE)

--@ case: today
SELECT sum(n) AS s FROM events WHERE at >= current_date() AND at < current_date() + 1
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= current_date() AND v.`h` < (current_date() + 1)

--@ case: this month
SELECT max(n) AS s FROM events WHERE at >= trunc(current_date(), 'MONTH')
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE v.`m` >= trunc(current_date(), 'MONTH')

--@ case: the last three months
SELECT max(n) AS s FROM events WHERE at >= add_months(trunc(current_date(), 'MONTH'), -3) AND at < date_trunc('month', now())
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE v.`m` >= add_months(trunc(current_date(), 'MONTH'), -3) AND v.`m` < date_trunc('month', current_timestamp())

--@ case: since now is within a bucket
SELECT max(n) AS s FROM events WHERE at >= now()
--@ rewritten using at_month
SELECT max(v.`c0`) AS s FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.at_month__storage VERSION AS OF 2001 AS v WHERE v.`m` >= (date_trunc('MONTH', current_timestamp()) + INTERVAL '1' MONTH) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= current_timestamp() AND events_0.at < (date_trunc('MONTH', current_timestamp()) + INTERVAL '1' MONTH)) AS v

--@ case: a border that is none of months
SELECT max(n) AS s FROM events WHERE at < '2024-02-15'
--@ rewritten using at_month
SELECT max(v.`c0`) AS s FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.at_month__storage VERSION AS OF 2001 AS v WHERE v.`m` < CAST('2024-02-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at < '2024-02-15' AND events_0.at >= CAST('2024-02-01 00:00:00' AS TIMESTAMP)) AS v

--@ case: negated
SELECT sum(n) AS s FROM events WHERE NOT (at < '2024-02-01')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE NOT (v.`h` < '2024-02-01')

--@ case: two ranges
SELECT sum(n) AS s FROM events WHERE at < '2024-01-01' OR at >= '2024-03-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE ((v.`h` < '2024-01-01') OR (v.`h` >= '2024-03-01'))

--@ case: no time at all
SELECT max(n) AS s FROM events WHERE at IS NULL
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE v.`m` IS NULL

--@ case: any time
SELECT max(n) AS s FROM events WHERE at IS NOT NULL
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE NOT (v.`m` IS NULL)

--@ case: days without a zone
SELECT min(n) AS s FROM events WHERE local >= '2024-01-01' AND local <= TIMESTAMP_NTZ '2024-01-31 23:59:59.999999'
--@ rewritten using local_day
SELECT min(v.`least`) AS s FROM lake.demo.local_day__storage AS v WHERE v.`d` >= '2024-01-01' AND v.`d` <= CAST('2024-01-31 23:59:59.999999' AS TIMESTAMP_NTZ)

--@ case: noon divides a day without a zone
SELECT min(n) AS s FROM events WHERE local < TIMESTAMP_NTZ '2024-01-31 12:00:00'
--@ rewritten using local_day
SELECT min(v.`c0`) AS s FROM (SELECT CAST(min(v.`least`) AS bigint) AS c0 FROM lake.demo.local_day__storage VERSION AS OF 2002 AS v WHERE v.`d` < CAST('2024-01-31 00:00:00' AS TIMESTAMP_NTZ) UNION ALL SELECT min(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.local < CAST('2024-01-31 12:00:00' AS TIMESTAMP_NTZ) AND events_0.local >= CAST('2024-01-31 00:00:00' AS TIMESTAMP_NTZ)) AS v

--@ case: days counted from 1970
SELECT bit_xor(n) AS s FROM events WHERE at >= '2024-01-01' AND at < '2024-02-01'
--@ rewritten using unix_day
SELECT bit_xor(v.`bits`) AS s FROM lake.demo.unix_day__storage AS v WHERE timestamp_seconds(v.`d` * 86400) >= '2024-01-01' AND timestamp_seconds(v.`d` * 86400) < '2024-02-01'

--@ case: hours divide these days
SELECT bit_xor(n) AS s FROM events WHERE at >= '2024-01-01 01:00:00'
--@ kept: at_hour AGGREGATE_NOT_IN_VIEW bit_xor(n); at_month AGGREGATE_NOT_IN_VIEW bit_xor(n); by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at >= '2024-01-01 01:00:00' may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: days counted from 1970, equal
SELECT bit_xor(n) AS s FROM events WHERE CAST(at AS DATE) = '2024-02-15'
--@ rewritten using unix_day
SELECT bit_xor(v.`bits`) AS s FROM lake.demo.unix_day__storage AS v WHERE CAST(timestamp_seconds(v.`d` * 86400) AS DATE) = '2024-02-15'

--@ case: seconds compared
SELECT bit_xor(n) AS s FROM events WHERE floor(unix_seconds(at) / 86400) = 19723
--@ rewritten using unix_day
SELECT bit_xor(v.`bits`) AS s FROM lake.demo.unix_day__storage AS v WHERE v.`d` = 19723

--@ case: the last seven days of a constant
SELECT sum(n) AS s FROM events WHERE at >= date_sub(DATE '2024-02-22', 7)
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-02-15' AS DATE)

--@ case: an empty range
SELECT sum(n) AS s FROM events WHERE at >= '2024-02-01' AND at < '2024-01-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-02-01' AND v.`h` < '2024-01-01'

--@ case: before 1970
SELECT sum(n) AS s FROM events WHERE at < '1969-12-31'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` < '1969-12-31'

--@ case: a leap day
SELECT sum(n) AS s FROM events WHERE at >= '2024-02-29' AND at < '2024-03-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-02-29' AND v.`h` < '2024-03-01'

--@ case: instants, as programs write them
SELECT sum(n) AS s FROM events WHERE at >= '2024-01-01T00:00:00Z' AND at < '2024-02-01T00:00:00.000Z'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= '2024-01-01T00:00:00Z' AND v.`h` < '2024-02-01T00:00:00.000Z'

--@ case: instants with another offset
SELECT sum(n) AS s FROM events WHERE at >= TIMESTAMP '2024-01-01 02:00:00+02:00' AND at < TIMESTAMP '2024-01-31 19:00:00-05:00'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 02:00:00+02:00' AS TIMESTAMP) AND v.`h` < CAST('2024-01-31 19:00:00-05:00' AS TIMESTAMP)

--@ case: half an hour off
SELECT sum(n) AS s FROM events WHERE at >= TIMESTAMP '2024-01-01 05:00:00+05:30' AND at < TIMESTAMP '2024-02-01 05:30:00+05:30'
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < CAST('2024-02-01 05:30:00+05:30' AS TIMESTAMP) AND v.`h` >= CAST('2024-01-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-01-01 05:00:00+05:30' AS TIMESTAMP) AND events_0.at < CAST('2024-01-01 00:00:00' AS TIMESTAMP)) AS v

--@ case: seconds and milliseconds since 1970
SELECT sum(n) AS s FROM events WHERE at >= timestamp_seconds(1704067200) AND at < timestamp_millis(1706745600000)
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: milliseconds within an hour
SELECT sum(n) AS s FROM events WHERE at >= timestamp_millis(1704067200001) AND at < timestamp_millis(1706745600000)
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP) AND v.`h` >= CAST('2024-01-01 01:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-01-01 00:00:00.001000Z' AS TIMESTAMP) AND events_0.at < CAST('2024-01-01 01:00:00' AS TIMESTAMP)) AS v

--@ case: texts as times
SELECT sum(n) AS s FROM events WHERE at >= to_timestamp('2024-01-01 00:00:00') AND at < to_timestamp('2024-02-01', 'yyyy-MM-dd')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01' AS TIMESTAMP)

--@ case: a text in another pattern
SELECT sum(n) AS s FROM events WHERE at >= to_timestamp('01.02.2024', 'dd.MM.yyyy')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-02-01 00:00:00' AS TIMESTAMP)

--@ case: an instant beside a time without zone
SELECT min(n) AS least FROM events WHERE local >= '2024-01-01T00:00:00Z'
--@ kept: at_hour COLUMN_NOT_IN_VIEW local; at_month COLUMN_NOT_IN_VIEW local; by_month COLUMN_NOT_IN_VIEW local; local_day COLUMN_NOT_IN_VIEW local: local >= '2024-01-01T00:00:00Z' may select a part of one of the view's buckets (day): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; unix_day COLUMN_NOT_IN_VIEW local

--@ case: seconds since 1970
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= 1704067200 AND unix_timestamp(at) < 1706745600
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: up to the last second, and the last fraction of it
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) BETWEEN 1704067200 AND 1706745599
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: above a second, and up to one
SELECT sum(n) AS s FROM events WHERE unix_seconds(at) > 1704067199 AND 1706745599 >= unix_seconds(at)
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: seconds as a cast
SELECT sum(n) AS s FROM events WHERE CAST(at AS BIGINT) BETWEEN 1704067200 AND 1706745599
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: milliseconds, in which the last fraction is in the millisecond before
SELECT sum(n) AS s FROM events WHERE unix_millis(at) >= 1704067200000 AND unix_millis(at) <= 1706745599999
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: microseconds
SELECT sum(n) AS s FROM events WHERE unix_micros(at) >= 1704067200000000 AND unix_micros(at) < 1706745600000000
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: seconds by a thousand
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) * 1000 >= 1704067200000 AND 1000 * unix_timestamp(at) < 1706745599001
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: seconds by a million
SELECT sum(n) AS s FROM events WHERE unix_seconds(at) * 1000000 >= 1704067200000000
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP)

--@ case: nanoseconds, whose number wraps around in the year 2262 without ANSI mode
SELECT sum(n) AS s FROM events WHERE unix_micros(at) * 1000 >= 1704067200000000000
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: nanoseconds of seconds
SELECT sum(n) AS s FROM events WHERE unix_seconds(at) * 1000000000 >= 1704067200000000000
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: seconds within an hour
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= 1704067201 AND unix_timestamp(at) < 1706745600
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP) AND v.`h` >= CAST('2024-01-01 01:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-01-01 00:00:01Z' AS TIMESTAMP) AND events_0.at < CAST('2024-01-01 01:00:00' AS TIMESTAMP)) AS v

--@ case: the seconds of a time divide it by months
SELECT max(n) AS s FROM events WHERE unix_timestamp(at) < 1706745600
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE v.`m` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: a second is no bucket
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) = 1704067200
--@ kept: at_hour COLUMN_NOT_IN_VIEW at: at < CAST('2024-01-01 00:00:01Z' AS TIMESTAMP) may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; at_month COLUMN_NOT_IN_VIEW at: at < CAST('2024-01-01 00:00:01Z' AS TIMESTAMP) may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at < CAST('2024-01-01 00:00:01Z' AS TIMESTAMP) may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: 0 is also the last fraction of a second before 1970
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= 0
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: nothing else is above 0
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) > 0 AND unix_seconds(at) >= -3600
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= CAST('1970-01-01 01:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('1970-01-01 00:00:01Z' AS TIMESTAMP) AND events_0.at >= CAST('1969-12-31 23:00:00Z' AS TIMESTAMP) AND events_0.at < CAST('1970-01-01 01:00:00' AS TIMESTAMP)) AS v

--@ case: the last day in seconds
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= unix_timestamp() - 86400
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) - 86400)) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= timestamp_seconds(unix_timestamp(current_timestamp()) - 86400) AND events_0.at < (date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) - 86400)) + INTERVAL '1' HOUR)) AS v

--@ case: up to the second that has begun
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) <= unix_timestamp(now())
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) + 1)) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at < timestamp_seconds(unix_timestamp(current_timestamp()) + 1) AND events_0.at >= date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) + 1))) AS v

--@ case: seconds of a text
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= '1704067200'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: seconds of a text in a pattern
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= unix_timestamp('2024-01-01', 'yyyy-MM-dd') AND unix_timestamp(at) < unix_timestamp('2024-02-01 00:00:00')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00' AS TIMESTAMP)

--@ case: up to such a second, and its last fraction
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) BETWEEN unix_timestamp('2024-01-01', 'yyyy-MM-dd') AND unix_timestamp('2024-02-01', 'yyyy-MM-dd')
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= CAST('2024-01-01' AS TIMESTAMP) AND v.`h` < date_trunc('HOUR', CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' SECOND) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-01-01' AS TIMESTAMP) AND events_0.at < (CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' SECOND) AND events_0.at >= date_trunc('HOUR', CAST('2024-02-01' AS TIMESTAMP) + INTERVAL '1' SECOND)) AS v

--@ case: a number as a time
SELECT sum(n) AS s FROM events WHERE at >= CAST(1704067200 AS TIMESTAMP) AND at < CAST(1706745600 AS TIMESTAMP)
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= CAST('2024-01-01 00:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-02-01 00:00:00Z' AS TIMESTAMP)

--@ case: the text of a number
SELECT sum(n) AS s FROM events WHERE at >= from_unixtime(1704067200) AND at < from_unixtime(1706745600)
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', CAST(from_unixtime(1704067200) AS TIMESTAMP)) + INTERVAL '1' HOUR) AND v.`h` < date_trunc('HOUR', CAST(from_unixtime(1706745600) AS TIMESTAMP)) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST(from_unixtime(1704067200) AS TIMESTAMP) AND events_0.at < CAST(from_unixtime(1706745600) AS TIMESTAMP) AND ((events_0.at < (date_trunc('HOUR', CAST(from_unixtime(1704067200) AS TIMESTAMP)) + INTERVAL '1' HOUR)) OR (events_0.at >= date_trunc('HOUR', CAST(from_unixtime(1706745600) AS TIMESTAMP))))) AS v

--@ case: dateadd, which begins with a unit
SELECT sum(n) AS s FROM events WHERE at >= dateadd(DAY, -31, current_date()) AND at < dateadd(MONTH, 1, DATE '2024-02-01')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= (CAST(current_date() AS TIMESTAMP) - INTERVAL '31' DAY) AND v.`h` < (CAST(CAST('2024-02-01' AS DATE) AS TIMESTAMP) + INTERVAL '1' MONTH)

--@ case: a quarter and two weeks on
SELECT max(n) AS s FROM events WHERE at >= timestampadd(QUARTER, -1, TIMESTAMP '2024-04-01 00:00:00') AND at < date_add(WEEK, 2, TIMESTAMP '2024-02-15 00:00:00')
--@ rewritten using at_month
SELECT max(v.`c0`) AS s FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.at_month__storage VERSION AS OF 2001 AS v WHERE v.`m` >= (date_trunc('MONTH', CAST('2024-04-01 00:00:00' AS TIMESTAMP) - INTERVAL '3' MONTH) + INTERVAL '1' MONTH) AND v.`m` < date_trunc('MONTH', CAST('2024-02-15 00:00:00' AS TIMESTAMP) + INTERVAL '14' DAY) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= (CAST('2024-04-01 00:00:00' AS TIMESTAMP) - INTERVAL '3' MONTH) AND events_0.at < (CAST('2024-02-15 00:00:00' AS TIMESTAMP) + INTERVAL '14' DAY) AND ((events_0.at < (date_trunc('MONTH', CAST('2024-04-01 00:00:00' AS TIMESTAMP) - INTERVAL '3' MONTH) + INTERVAL '1' MONTH)) OR (events_0.at >= date_trunc('MONTH', CAST('2024-02-15 00:00:00' AS TIMESTAMP) + INTERVAL '14' DAY)))) AS v

--@ case: a column that is called as a unit is none
SELECT bit_or(n) AS s FROM events WHERE date_add(day, 1) > '2024-02-01'
--@ kept: at_hour COLUMN_NOT_IN_VIEW day; at_month COLUMN_NOT_IN_VIEW day; by_month COLUMN_NOT_IN_VIEW day; local_day COLUMN_NOT_IN_VIEW day; unix_day COLUMN_NOT_IN_VIEW day

--@ case: no unit of these
SELECT sum(n) AS s FROM events WHERE at >= dateadd(FORTNIGHT, -1, current_date())
--@ kept: at_hour UNSUPPORTED dateadd(): the unit FORTNIGHT is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR; at_month UNSUPPORTED dateadd(): the unit FORTNIGHT is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR; by_month UNSUPPORTED dateadd(): the unit FORTNIGHT is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR; local_day UNSUPPORTED dateadd(): the unit FORTNIGHT is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR; unix_day UNSUPPORTED dateadd(): the unit FORTNIGHT is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR

--@ case: years and months in pairs
SELECT max(n) AS s FROM events WHERE (year(at), month(at)) IN ((2024, 1), (2024, 2))
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE year(v.`m`) IS NOT DISTINCT FROM 2024 AND ((month(v.`m`) IS NOT DISTINCT FROM 1) OR (month(v.`m`) IS NOT DISTINCT FROM 2))

--@ case: not in these pairs, in which a NULL is not either
SELECT max(n) AS s FROM events WHERE (year(at), month(at)) NOT IN ((2024, 1), (2024, 2))
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE NOT (((year(v.`m`) IS NOT DISTINCT FROM 2024) AND (month(v.`m`) IS NOT DISTINCT FROM 1)) OR ((year(v.`m`) IS NOT DISTINCT FROM 2024) AND (month(v.`m`) IS NOT DISTINCT FROM 2)))

--@ case: a text in a pair may be coerced otherwise
SELECT max(n) AS s FROM events WHERE (year(at), month(at)) IN (('2024', '1'))
--@ kept: at_hour UNSUPPORTED (YEAR(at), MONTH(at)) IN (('2024', '1')): IN with several columns is supported only for integers and strings that are compared with literals of the same kind: compare the columns one by one, with AND and OR; at_month UNSUPPORTED (YEAR(at), MONTH(at)) IN (('2024', '1')): IN with several columns is supported only for integers and strings that are compared with literals of the same kind: compare the columns one by one, with AND and OR; by_month UNSUPPORTED (YEAR(at), MONTH(at)) IN (('2024', '1')): IN with several columns is supported only for integers and strings that are compared with literals of the same kind: compare the columns one by one, with AND and OR; local_day UNSUPPORTED (YEAR(at), MONTH(at)) IN (('2024', '1')): IN with several columns is supported only for integers and strings that are compared with literals of the same kind: compare the columns one by one, with AND and OR; unix_day UNSUPPORTED (YEAR(at), MONTH(at)) IN (('2024', '1')): IN with several columns is supported only for integers and strings that are compared with literals of the same kind: compare the columns one by one, with AND and OR

--@ case: a number of year and month
SELECT max(n) AS s FROM events WHERE year(at) * 100 + month(at) BETWEEN 202401 AND 202402
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE ((year(v.`m`) * 100) + month(v.`m`)) >= 202401 AND ((year(v.`m`) * 100) + month(v.`m`)) <= 202402

--@ case: what a text begins with
SELECT max(n) AS s FROM events WHERE CAST(at AS STRING) LIKE '2024-02%'
--@ rewritten using at_month
SELECT max(v.`top`) AS s FROM lake.demo.at_month__storage AS v WHERE substring(CAST(v.`m` AS STRING), 1, 7) = '2024-02'

--@ case: what it does not begin with, without a cast
SELECT sum(n) AS s FROM events WHERE NOT at LIKE '2024-02-15 10%'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE NOT (substring(CAST(v.`h` AS STRING), 1, 13) = '2024-02-15 10')

--@ case: what a text ends with
SELECT sum(n) AS s FROM events WHERE CAST(at AS STRING) LIKE '%00:00'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: more of it than an hour
SELECT sum(n) AS s FROM events WHERE CAST(at AS STRING) LIKE '2024-02-15 10:0%'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: a time on another clock
SELECT sum(n) AS s FROM events WHERE from_utc_timestamp(at, 'America/New_York') >= '2024-01-01' AND from_utc_timestamp(at, 'America/New_York') < '2024-02-01 05:00:00'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE date_trunc('DAY', from_utc_timestamp(v.`h`, 'America/New_York')) >= '2024-01-01' AND date_trunc('HOUR', from_utc_timestamp(v.`h`, 'America/New_York')) < '2024-02-01 05:00:00'

--@ case: within an hour of it
SELECT sum(n) AS s FROM events WHERE from_utc_timestamp(at, 'America/New_York') >= '2024-01-01 00:30:00'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: half an hour off
SELECT sum(n) AS s FROM events WHERE from_utc_timestamp(at, 'Asia/Kolkata') >= '2024-01-01'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at; at_month COLUMN_NOT_IN_VIEW at; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at

--@ case: a constant on another clock
SELECT sum(n) AS s FROM events WHERE at >= to_utc_timestamp('2024-01-01', 'America/New_York') AND at < to_utc_timestamp('2024-02-01 00:00:00', 'America/New_York')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= to_utc_timestamp('2024-01-01', 'America/New_York') AND v.`h` < to_utc_timestamp('2024-02-01 00:00:00', 'America/New_York')

--@ case: a constant half an hour off
SELECT sum(n) AS s FROM events WHERE at >= to_utc_timestamp('2024-01-01', 'Asia/Kolkata')
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', to_utc_timestamp('2024-01-01', 'Asia/Kolkata')) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= to_utc_timestamp('2024-01-01', 'Asia/Kolkata') AND events_0.at < (date_trunc('HOUR', to_utc_timestamp('2024-01-01', 'Asia/Kolkata')) + INTERVAL '1' HOUR)) AS v

--@ case: a shifted time
SELECT sum(n) AS s FROM events WHERE at + INTERVAL 7 DAYS >= '2024-02-01' AND at - INTERVAL 5 HOURS < '2024-03-01'
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE date_trunc('DAY', v.`h` + INTERVAL '7' DAYS) >= '2024-02-01' AND date_trunc('DAY', v.`h` - INTERVAL '5' HOURS) < '2024-03-01'

--@ case: days before today
SELECT sum(n) AS s FROM events WHERE datediff(current_date(), at) BETWEEN 0 AND 30
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE CAST(v.`h` AS DATE) <= date_sub(current_date(), 0) AND CAST(v.`h` AS DATE) >= date_sub(current_date(), 30)

--@ case: days before now are those of its date
SELECT sum(n) AS s FROM events WHERE date_diff(now(), at) = 15
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE CAST(v.`h` AS DATE) = date_sub(CAST(current_timestamp() AS DATE), 15)

--@ case: whole units between dates
SELECT sum(n) AS s FROM events WHERE datediff(DAY, to_date(at), current_date()) < 31
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE timestampdiff(DAY, CAST(v.`h` AS DATE), current_date()) < 31

--@ case: hours back, which are counted one by one
SELECT sum(n) AS s FROM events WHERE at >= dateadd(HOUR, -24, date_trunc('hour', now()))
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE v.`h` >= timestampadd(HOUR, -24, date_trunc('hour', current_timestamp()))

--@ case: minutes back from now
SELECT sum(n) AS s FROM events WHERE at >= timestampadd(MINUTE, -90, now())
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '90' MINUTE) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= (current_timestamp() - INTERVAL '90' MINUTE) AND events_0.at < (date_trunc('HOUR', current_timestamp() - INTERVAL '90' MINUTE) + INTERVAL '1' HOUR)) AS v

--@ case: the seconds to go back are a product
SELECT sum(n) AS s FROM events WHERE unix_timestamp(at) >= unix_timestamp() - 86400 * 700
--@ rewritten using at_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.at_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) - (86400 * 700))) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= timestamp_seconds(unix_timestamp(current_timestamp()) - (86400 * 700)) AND events_0.at < (date_trunc('HOUR', timestamp_seconds(unix_timestamp(current_timestamp()) - (86400 * 700))) + INTERVAL '1' HOUR)) AS v

--@ case: an excluded range needs the last of its instants, and the first one behind it
SELECT sum(n) AS s FROM events WHERE at NOT BETWEEN '2024-01-01' AND '2024-02-01'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at: at <= '2024-02-01' may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; at_month COLUMN_NOT_IN_VIEW at: at <= '2024-02-01' may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at <= '2024-02-01' may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: an excluded range of whole buckets does not
SELECT sum(n) AS s FROM events WHERE NOT (at >= '2024-01-01' AND at < '2024-02-01')
--@ rewritten using at_hour
SELECT sum(v.`s`) AS s FROM lake.demo.at_hour__storage AS v WHERE NOT ((v.`h` >= '2024-01-01') AND (v.`h` < '2024-02-01'))

--@ case: a missing time, or one instant
SELECT sum(n) AS s FROM events WHERE at IS NULL OR at = '2024-02-01'
--@ kept: at_hour COLUMN_NOT_IN_VIEW at: at = '2024-02-01' may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; at_month COLUMN_NOT_IN_VIEW at: at = '2024-02-01' may select a part of one of the view's buckets (month): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_month COLUMN_NOT_IN_VIEW at; local_day COLUMN_NOT_IN_VIEW at; unix_day COLUMN_NOT_IN_VIEW at: at = '2024-02-01' may select a part of one of the view's buckets (86400 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <
