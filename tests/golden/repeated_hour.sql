-- The hour that comes twice: in Berlin clocks went back from 3:00 to 2:00 on 27 October 2024, and forward from 2:00 on 31 March.
--@ schema
CREATE TABLE events (at TIMESTAMP, n BIGINT);
--@ rows
INSERT INTO events SELECT timestamp_seconds(s), n FROM VALUES
  (1729983599, 1), (1729983600, 2), (1729985400, 4), (1729987199, 8), (1729987200, 16), (1729989000, 32), (1729990800, 64),
  (1711846799, 128), (1711846800, 256), (1711843200, 512), (1729980000, 1024), (1730066400, 2048) AS e(s, n)
--@ settings
spark.sql.session.timeZone = Europe/Berlin
--@ least
2024-01-01
--@ view by_quarter
SELECT timeseries(at, '15 minutes') AS q, sum(n) AS s FROM events GROUP BY 1
--@ view by_hour
SELECT date_trunc('hour', at) AS h, max(n) AS top FROM events GROUP BY 1
--@ view by_label
SELECT date_format(at, 'yyyy-MM-dd HH') AS h, bit_xor(n) AS bits FROM events GROUP BY 1
--@ view by_day
SELECT date_trunc('day', at) AS d, min(n) AS low FROM events GROUP BY 1

--@ case: hours are two buckets
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_quarter
SELECT date_trunc('HOUR', v.`q`) AS h, sum(v.`s`) AS s FROM lake.demo.by_quarter__storage AS v GROUP BY date_trunc('HOUR', v.`q`)

--@ case: labels are one
SELECT date_format(at, 'yyyy-MM-dd HH') AS h, hour(at) AS k, max(n) AS top FROM events GROUP BY 1, 2
--@ rewritten using by_hour
SELECT date_format(v.`h`, 'yyyy-MM-dd HH') AS h, hour(v.`h`) AS k, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_format(v.`h`, 'yyyy-MM-dd HH'), hour(v.`h`)

--@ case: a label tells no bucket
SELECT date_trunc('hour', at) AS h, bit_xor(n) AS bits FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour AGGREGATE_NOT_IN_VIEW bit_xor(n); by_label GROUPING_TOO_COARSE at; by_quarter AGGREGATE_NOT_IN_VIEW bit_xor(n)

--@ case: a day of 25 hours, and one of 23
SELECT date_trunc('day', at) AS d, to_date(at) AS k, sum(n) AS s FROM events GROUP BY 1, 2
--@ rewritten using by_quarter
SELECT date_trunc('DAY', v.`q`) AS d, CAST(v.`q` AS DATE) AS k, sum(v.`s`) AS s FROM lake.demo.by_quarter__storage AS v GROUP BY date_trunc('DAY', v.`q`), CAST(v.`q` AS DATE)

--@ case: from its hours
SELECT to_date(at) AS d, max(n) AS top FROM events WHERE at >= '2024-10-27' AND at < '2024-10-28' GROUP BY 1
--@ rewritten using by_hour
SELECT CAST(v.`h` AS DATE) AS d, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '2024-10-27' AND v.`h` < '2024-10-28' GROUP BY CAST(v.`h` AS DATE)

--@ case: an hour that comes twice has its first and its second begin
SELECT max(n) AS top FROM events WHERE at >= '2024-10-27 02:00:00' AND at < '2024-10-27 03:00:00'
--@ rewritten using by_hour
SELECT max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '2024-10-27 02:00:00' AND v.`h` < '2024-10-27 03:00:00'

--@ case: within the hour that comes twice
SELECT sum(n) AS s FROM events WHERE at >= '2024-10-27 02:30:00' AND at < '2024-10-27 03:15:00'
--@ rewritten using by_quarter
SELECT sum(v.`s`) AS s FROM lake.demo.by_quarter__storage AS v WHERE v.`q` >= '2024-10-27 02:30:00' AND v.`q` < '2024-10-27 03:15:00'

--@ case: an hour that never was
SELECT sum(n) AS s FROM events WHERE at >= '2024-03-31 02:00:00' AND at < '2024-03-31 02:30:00'
--@ rewritten using by_quarter
SELECT sum(v.`s`) AS s FROM lake.demo.by_quarter__storage AS v WHERE v.`q` >= '2024-03-31 02:00:00' AND v.`q` < '2024-03-31 02:30:00'

--@ case: windows of six hours are instants
SELECT window.start, sum(n) AS s FROM events GROUP BY window(at, '6 hours')
--@ rewritten using by_quarter
SELECT timestamp_seconds(floor(unix_seconds(v.`q`) / 21600) * 21600) AS start, sum(v.`s`) AS s FROM lake.demo.by_quarter__storage AS v WHERE NOT (v.`q` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`q`) / 21600) * 21600)

--@ case: a window of a day begins at one or two o'clock
SELECT window.start, max(n) AS top FROM events GROUP BY window(at, '1 day')
--@ rewritten using by_hour
SELECT timestamp_seconds(floor(unix_seconds(v.`h`) / 86400) * 86400) AS start, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE NOT (v.`h` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`h`) / 86400) * 86400)

--@ case: which days of the session do not divide
SELECT window.start, min(n) AS low FROM events GROUP BY window(at, '1 day')
--@ kept: by_day ZONE_NOT_PROVED the view's buckets may cross borders of the query's buckets in the time zone Europe/Berlin: use finer buckets in the view; by_hour AGGREGATE_NOT_IN_VIEW min(n); by_label COLUMN_NOT_IN_VIEW at; by_quarter AGGREGATE_NOT_IN_VIEW min(n)

--@ case: months of days
SELECT trunc(at, 'MONTH') AS m, min(n) AS low FROM events GROUP BY 1
--@ rewritten using by_day
SELECT trunc(CAST(v.`d` AS DATE), 'MONTH') AS m, min(v.`low`) AS low FROM lake.demo.by_day__storage AS v GROUP BY trunc(CAST(v.`d` AS DATE), 'MONTH')

--@ case: a day more may be 23 hours, but leads to the next day
SELECT date_trunc('day', at + INTERVAL 1 DAY) AS d, max(n) AS top FROM events GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', v.`h` + INTERVAL '1' DAY) AS d, max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('DAY', v.`h` + INTERVAL '1' DAY)

--@ case: instants on an hour, one of which comes twice on the clock
SELECT max(n) AS top FROM events WHERE at >= '2024-10-27T00:00:00Z' AND at < TIMESTAMP '2024-10-27 02:00:00+00:00'
--@ rewritten using by_hour
SELECT max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= '2024-10-27T00:00:00Z' AND v.`h` < CAST('2024-10-27 02:00:00+00:00' AS TIMESTAMP)

--@ case: seconds since 1970 on an hour
SELECT max(n) AS top FROM events WHERE unix_timestamp(at) BETWEEN 1729983600 AND 1729987199
--@ rewritten using by_hour
SELECT max(v.`top`) AS top FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= CAST('2024-10-26 23:00:00Z' AS TIMESTAMP) AND v.`h` < CAST('2024-10-27 00:00:00Z' AS TIMESTAMP)

--@ case: an instant on a quarter of an hour is none of hours
SELECT max(n) AS top FROM events WHERE at >= timestamp_seconds(1729984500)
--@ rewritten using by_hour
SELECT max(v.`c0`) AS top FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v WHERE v.`h` >= (date_trunc('HOUR', CAST('2024-10-26 23:15:00Z' AS TIMESTAMP)) + INTERVAL '1' HOUR) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2024-10-26 23:15:00Z' AS TIMESTAMP) AND events_0.at < (date_trunc('HOUR', CAST('2024-10-26 23:15:00Z' AS TIMESTAMP)) + INTERVAL '1' HOUR)) AS v

--@ case: up to an instant, which is in the next hour
SELECT max(n) AS top FROM events WHERE at <= '2024-10-27T01:00:00Z'
--@ rewritten using by_hour
SELECT max(v.`c0`) AS top FROM (SELECT CAST(max(v.`top`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v WHERE v.`h` < date_trunc('HOUR', CAST('2024-10-27T01:00:00Z' AS TIMESTAMP)) UNION ALL SELECT max(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at <= '2024-10-27T01:00:00Z' AND events_0.at >= date_trunc('HOUR', CAST('2024-10-27T01:00:00Z' AS TIMESTAMP))) AS v

--@ case: at which instant a day begins is told by one edition of the zone data
SELECT min(n) AS low FROM events WHERE at >= '2024-10-26T22:00:00Z'
--@ kept: by_day COLUMN_NOT_IN_VIEW at: at >= '2024-10-26T22:00:00Z' may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_hour AGGREGATE_NOT_IN_VIEW min(n); by_label COLUMN_NOT_IN_VIEW at; by_quarter AGGREGATE_NOT_IN_VIEW min(n)

--@ case: the midnight of the clock is told by all
SELECT min(n) AS low FROM events WHERE at >= '2024-10-27'
--@ rewritten using by_day
SELECT min(v.`low`) AS low FROM lake.demo.by_day__storage AS v WHERE v.`d` >= '2024-10-27'
