-- The clock of another zone in a session of UTC: from_utc_timestamp() over buckets that are the same on both clocks.
--@ schema
CREATE TABLE events (at TIMESTAMP, n BIGINT);
--@ rows
INSERT INTO events SELECT timestamp_seconds(s), n FROM VALUES
  (1710053999, 1), (1710054000, 2), (1710057600, 4), (1730613599, 8), (1730613600, 16), (1730617200, 32), (1704067200, 64),
  (1704085199, 128), (1704085200, 256), (1711846799, 512), (1711846800, 1024), (NULL, 2048), (1704045600, 4096) AS e(s, n)
--@ least
2023-01-01
--@ view by_hour
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events GROUP BY 1
--@ view by_quarter
SELECT floor(unix_timestamp(at) / 900) * 900 AS q, max(n) AS top FROM events GROUP BY 1
--@ view by_day
SELECT to_date(at) AS d, min(n) AS low FROM events GROUP BY 1

--@ case: days of New York
SELECT date_trunc('day', from_utc_timestamp(at, 'America/New_York')) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('DAY', from_utc_timestamp(v.`h`, 'America/New_York')) AS d, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('DAY', from_utc_timestamp(v.`h`, 'America/New_York'))

--@ case: its dates, hours and texts
SELECT to_date(from_utc_timestamp(at, 'America/New_York')) AS d, hour(from_utc_timestamp(at, 'America/New_York')) AS h, date_format(from_utc_timestamp(at, 'America/New_York'), 'yyyy-MM') AS m, sum(n) AS s FROM events GROUP BY 1, 2, 3
--@ rewritten using by_hour
SELECT CAST(from_utc_timestamp(v.`h`, 'America/New_York') AS DATE) AS d, hour(from_utc_timestamp(v.`h`, 'America/New_York')) AS h, date_format(from_utc_timestamp(v.`h`, 'America/New_York'), 'yyyy-MM') AS m, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v GROUP BY CAST(from_utc_timestamp(v.`h`, 'America/New_York') AS DATE), hour(from_utc_timestamp(v.`h`, 'America/New_York')), date_format(from_utc_timestamp(v.`h`, 'America/New_York'), 'yyyy-MM')

--@ case: hours do not lie within hours of Kolkata
SELECT date_trunc('hour', from_utc_timestamp(at, 'Asia/Kolkata')) AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour GROUPING_TOO_COARSE at; by_quarter GROUPING_TOO_COARSE at

--@ case: nor within its days
SELECT date_trunc('day', from_utc_timestamp(at, 'Asia/Kolkata')) AS d, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour GROUPING_TOO_COARSE at; by_quarter GROUPING_TOO_COARSE at

--@ case: quarters of an hour do
SELECT date_trunc('day', from_utc_timestamp(at, 'Asia/Kolkata')) AS d, max(n) AS top FROM events WHERE at >= '2024-01-01' GROUP BY 1
--@ rewritten using by_quarter
SELECT date_trunc('DAY', from_utc_timestamp(timestamp_seconds(v.`q`), 'Asia/Kolkata')) AS d, max(v.`top`) AS top FROM lake.demo.by_quarter__storage AS v WHERE timestamp_seconds(v.`q`) >= '2024-01-01' GROUP BY date_trunc('DAY', from_utc_timestamp(timestamp_seconds(v.`q`), 'Asia/Kolkata'))

--@ case: a zone without daylight saving
SELECT date_trunc('week', from_utc_timestamp(at, 'Asia/Tokyo')) AS w, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('WEEK', from_utc_timestamp(v.`h`, 'Asia/Tokyo')) AS w, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('WEEK', from_utc_timestamp(v.`h`, 'Asia/Tokyo'))

--@ case: days do not lie within days of another zone
SELECT to_date(from_utc_timestamp(at, 'Europe/Berlin')) AS d, min(n) AS low FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour AGGREGATE_NOT_IN_VIEW min(n); by_quarter GROUPING_TOO_COARSE at

--@ case: minutes of an hour are finer than the view
SELECT date_trunc('minute', from_utc_timestamp(at, 'America/New_York')) AS m, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour GROUPING_TOO_COARSE at; by_quarter GROUPING_TOO_COARSE at

--@ case: the clock itself
SELECT from_utc_timestamp(at, 'America/New_York') AS t, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour GROUPING_TOO_COARSE at; by_quarter GROUPING_TOO_COARSE at

--@ case: days of another zone from the local time here
SELECT to_date(convert_timezone('UTC', 'America/New_York', CAST(at AS TIMESTAMP_NTZ))) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_hour
SELECT CAST(convert_timezone('UTC', 'America/New_York', CAST(v.`h` AS TIMESTAMP_NTZ)) AS DATE) AS d, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v GROUP BY CAST(convert_timezone('UTC', 'America/New_York', CAST(v.`h` AS TIMESTAMP_NTZ)) AS DATE)

--@ case: hours of it, with the session's zone left out
SELECT date_trunc('hour', convert_timezone('America/New_York', at)) AS h, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_hour
SELECT date_trunc('HOUR', CAST(convert_timezone('America/New_York', CAST(v.`h` AS TIMESTAMP_NTZ)) AS TIMESTAMP)) AS h, sum(v.`s`) AS s FROM lake.demo.by_hour__storage AS v GROUP BY date_trunc('HOUR', CAST(convert_timezone('America/New_York', CAST(v.`h` AS TIMESTAMP_NTZ)) AS TIMESTAMP))

--@ case: the local time of a third zone
SELECT to_date(convert_timezone('Asia/Tokyo', 'America/New_York', CAST(at AS TIMESTAMP_NTZ))) AS d, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_day GROUPING_TOO_COARSE at; by_hour GROUPING_TOO_COARSE at; by_quarter GROUPING_TOO_COARSE at
