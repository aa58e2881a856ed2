-- unix_timestamp() rounds towards 1970, and not down as unix_seconds() does: before 1970 a bucket does not tell it.
--@ schema
CREATE TABLE events (at TIMESTAMP, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '1969-12-31 23:59:59.999999', 1), (TIMESTAMP '1969-12-31 23:59:59', 2), (TIMESTAMP '1969-12-31 23:59:58.5', 4),
  (TIMESTAMP '1970-01-01 00:00:00', 8), (TIMESTAMP '1970-01-01 00:00:00.5', 16), (TIMESTAMP '2024-02-29 12:59:59.999999', 32),
  (TIMESTAMP '1969-12-31 23:00:00', 64), (TIMESTAMP '1969-12-31 22:59:59.1', 128), (NULL, 256)
--@ view by_second
SELECT date_trunc('second', at) AS s, sum(n) AS total FROM events GROUP BY 1
--@ view by_unix_hour
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, max(n) AS top FROM events GROUP BY 1

--@ case: seconds do not tell it before 1970
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, sum(n) AS total FROM events GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at; by_unix_hour AGGREGATE_NOT_IN_VIEW sum(n)

--@ case: neither do hours of it tell hours
SELECT date_trunc('hour', at) AS h, max(n) AS top FROM events GROUP BY 1
--@ kept: by_second AGGREGATE_NOT_IN_VIEW max(n); by_unix_hour GROUPING_TOO_COARSE at

--@ case: nor days of it
SELECT floor(unix_timestamp(at) / 86400) AS d, max(n) AS top FROM events GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at

--@ case: its own hours
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, max(n) AS top FROM events GROUP BY 1
--@ rewritten using by_unix_hour
SELECT v.`h` AS h, v.`top` AS top FROM lake.demo.by_unix_hour__storage AS v

--@ case: seconds tell it since
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, sum(n) AS total FROM events WHERE at >= '1971-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT floor(unix_timestamp(v.`s`) / 3600) * 3600 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1971-01-01' GROUP BY floor(unix_timestamp(v.`s`) / 3600) * 3600

--@ case: and hours of it days
SELECT to_date(at) AS d, floor(unix_timestamp(at) / 86400) AS k, max(n) AS top FROM events WHERE at >= '2024-01-01' GROUP BY 1, 2
--@ rewritten using by_unix_hour
SELECT CAST(timestamp_seconds(v.`h`) AS DATE) AS d, floor(unix_timestamp(timestamp_seconds(v.`h`)) / 86400) AS k, max(v.`top`) AS top FROM lake.demo.by_unix_hour__storage AS v WHERE timestamp_seconds(v.`h`) >= '2024-01-01' GROUP BY CAST(timestamp_seconds(v.`h`) AS DATE), floor(unix_timestamp(timestamp_seconds(v.`h`)) / 86400)

--@ case: a text of it
SELECT from_unixtime(unix_timestamp(at), 'yyyy-MM-dd HH:mm:ss') AS t, sum(n) AS total FROM events GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at

--@ case: a text of it since
SELECT from_unixtime(unix_timestamp(at), 'yyyy-MM-dd HH:mm') AS t, sum(n) AS total FROM events WHERE year(at) = 2024 GROUP BY 1
--@ rewritten using by_second
SELECT from_unixtime(unix_timestamp(v.`s`), 'yyyy-MM-dd HH:mm') AS t, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE year(v.`s`) = 2024 GROUP BY from_unixtime(unix_timestamp(v.`s`), 'yyyy-MM-dd HH:mm')

--@ case: of what begins a second it is the same
SELECT from_unixtime(unix_timestamp(date_trunc('minute', at)) - unix_timestamp(date_trunc('minute', at)) % 300) AS t, sum(n) AS total FROM events GROUP BY 1
--@ rewritten using by_second
SELECT from_unixtime(unix_timestamp(date_trunc('MINUTE', v.`s`)) - (unix_timestamp(date_trunc('MINUTE', v.`s`)) % 300)) AS t, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v GROUP BY from_unixtime(unix_timestamp(date_trunc('MINUTE', v.`s`)) - (unix_timestamp(date_trunc('MINUTE', v.`s`)) % 300))

--@ case: seconds that are rounded down
SELECT floor(unix_seconds(at) / 3600) * 3600 AS h, unix_seconds(at) AS s, sum(n) AS total FROM events GROUP BY 1, 2
--@ rewritten using by_second
SELECT floor(unix_seconds(v.`s`) / 3600) * 3600 AS h, unix_seconds(v.`s`) AS s, v.`total` AS total FROM lake.demo.by_second__storage AS v
