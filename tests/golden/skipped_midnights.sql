-- Brazil until 2019: summer began at midnight, so that a day began at one o'clock. Such a beginning plus a day is no beginning.
--@ schema
CREATE TABLE events (at TIMESTAMP, n BIGINT);
--@ rows
INSERT INTO events SELECT timestamp_seconds(s), n FROM VALUES
  (1541300399, 1), (1541300400, 2), (1541383199, 4), (1541383200, 8), (1541385000, 16), (1541386799, 32), (1541386800, 64),
  (1541469600, 128), (1541473200, 256) AS e(s, n)
--@ settings
spark.sql.session.timeZone = America/Sao_Paulo
--@ least
2018-06-01
--@ view by_hour
SELECT date_trunc('HOUR', at) AS h, sum(n) AS s FROM events GROUP BY 1
--@ view by_day
SELECT date_trunc('DAY', at) AS d, max(n) AS top FROM events GROUP BY 1
--@ view by_date
SELECT to_date(at) AS d, min(n) AS low FROM events GROUP BY 1

--@ case: a day after the beginning of a day
SELECT max(n) AS top FROM events WHERE at >= date_trunc('day', TIMESTAMP '2018-11-04 05:00:00') + INTERVAL 1 DAY
--@ kept: by_date COLUMN_NOT_IN_VIEW at: at >= timeseries(CAST('2018-11-04 05:00:00' AS TIMESTAMP), 'day') + INTERVAL '1' DAY may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_day COLUMN_NOT_IN_VIEW at: at >= timeseries(CAST('2018-11-04 05:00:00' AS TIMESTAMP), 'day') + INTERVAL '1' DAY may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_hour AGGREGATE_NOT_IN_VIEW max(n)

--@ case: by dates
SELECT min(n) AS low FROM events WHERE at >= CAST(DATE '2018-11-04' AS TIMESTAMP) + INTERVAL 24 HOURS
--@ kept: by_date COLUMN_NOT_IN_VIEW at: at >= CAST(CAST('2018-11-04' AS DATE) AS TIMESTAMP) + INTERVAL '24' HOURS may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_day COLUMN_NOT_IN_VIEW at: at >= CAST(CAST('2018-11-04' AS DATE) AS TIMESTAMP) + INTERVAL '24' HOURS may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_hour AGGREGATE_NOT_IN_VIEW min(n)

--@ case: a date and an interval of days and hours
SELECT min(n) AS low FROM events WHERE at < DATE '2018-11-04' + INTERVAL '1 day 0 hours'
--@ kept: by_date COLUMN_NOT_IN_VIEW at: at < CAST(CAST('2018-11-04' AS DATE) AS TIMESTAMP) + INTERVAL '1' DAY may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_day COLUMN_NOT_IN_VIEW at: at < CAST(CAST('2018-11-04' AS DATE) AS TIMESTAMP) + INTERVAL '1' DAY may select a part of one of the view's time buckets (day): if whole buckets are meant, round the bound, for example by date_trunc(); by_hour AGGREGATE_NOT_IN_VIEW min(n)

--@ case: it is a beginning of an hour
SELECT sum(n) AS s FROM events WHERE at >= date_trunc('day', TIMESTAMP '2018-11-04 05:00:00') + INTERVAL 1 DAY
--@ rewritten using by_hour
SELECT sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v WHERE v.`h` >= (date_trunc('DAY', CAST('2018-11-04 05:00:00' AS TIMESTAMP)) + INTERVAL '1' DAY)

--@ case: the beginning of a day, and a date plus days
SELECT max(n) AS top FROM events WHERE at >= date_trunc('day', TIMESTAMP '2018-11-04 05:00:00') AND at < DATE '2018-11-04' + INTERVAL '1 week 1 day'
--@ rewritten using by_day
SELECT max(v.`top`) AS top FROM lake.demo.by_day__storage AS v WHERE v.`d` >= date_trunc('DAY', CAST('2018-11-04 05:00:00' AS TIMESTAMP)) AND v.`d` < CAST('2018-11-12' AS DATE)

--@ case: no midnight is skipped now
SELECT max(n) AS top FROM events WHERE at >= date_trunc('day', now()) - INTERVAL 30 DAYS
--@ rewritten using by_day
SELECT max(v.`top`) AS top FROM lake.demo.by_day__storage AS v WHERE v.`d` >= (date_trunc('day', current_timestamp()) - INTERVAL '30' DAYS)

--@ case: a text of a skipped midnight plus a day
SELECT sum(n) AS s FROM events WHERE at >= '2018-11-04' + INTERVAL 1 DAY
--@ rewritten using by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', CAST('2018-11-04' + INTERVAL '1' DAY AS TIMESTAMP)) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2018-11-04' + INTERVAL '1' DAY AS TIMESTAMP) AND events_0.at < (date_trunc('HOUR', CAST('2018-11-04' + INTERVAL '1' DAY AS TIMESTAMP)) + INTERVAL '1' HOUR)) AS v
