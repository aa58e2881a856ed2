-- unix_timestamp() rounds towards 1970, and not down as unix_seconds() does: before 1970 a bucket does not tell it.
--@ schema
CREATE TABLE events (at TIMESTAMP, n BIGINT);
CREATE TABLE clicks (sec BIGINT, small INT, n BIGINT);
CREATE TABLE taps (ms BIGINT, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '1969-12-31 23:59:59.999999', 1), (TIMESTAMP '1969-12-31 23:59:59', 2), (TIMESTAMP '1969-12-31 23:59:58.5', 4),
  (TIMESTAMP '1970-01-01 00:00:00', 8), (TIMESTAMP '1970-01-01 00:00:00.5', 16), (TIMESTAMP '2024-02-29 12:59:59.999999', 32),
  (TIMESTAMP '1969-12-31 23:00:00', 64), (TIMESTAMP '1969-12-31 22:59:59.1', 128), (NULL, 256);
INSERT INTO clicks VALUES
  (-3601, -3601, 1), (-3600, -3600, 2), (-1, -1, 4), (0, 0, 8), (3599, 3599, 16), (3600, 3600, 32), (1704067199, 1704067199, 64),
  (1704067200, 1704067200, 128), (1704153599, 1704153599, 256), (1704153600, 1704153600, 512), (NULL, NULL, 1024), (9007199254740993, 7, 2048);
INSERT INTO taps VALUES (1704067199999, 1), (1704067200000, 2), (1704070799999, 4), (1704070800000, 8), (3600000, 16), (NULL, 32)
--@ ranges
by_millis__storage.m = 60..28401180
--@ view by_second
SELECT date_trunc('second', at) AS s, sum(n) AS total FROM events GROUP BY 1
--@ view by_unix_hour
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, max(n) AS top FROM events GROUP BY 1
--@ view by_number
SELECT floor(sec / 3600) * 3600 AS h, sum(n) AS total FROM clicks GROUP BY 1
--@ view by_rest
SELECT sec - pmod(sec, 60) AS m, max(n) AS top FROM clicks GROUP BY 1
--@ view by_small
SELECT small - pmod(small, 60) AS m, min(n) AS low FROM clicks GROUP BY 1
--@ view by_millis
SELECT ms DIV 60000 AS m, sum(n) AS total FROM taps GROUP BY 1

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

--@ case: DIV rounds towards 1970, too
SELECT unix_seconds(at) DIV 60 AS m, sum(n) AS total FROM events GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_unix_hour GROUPING_TOO_COARSE at

--@ case: since 1970 it rounds down
SELECT unix_seconds(at) DIV 3600 * 3600 AS h, sum(n) AS total FROM events WHERE at >= '1971-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT (unix_seconds(v.`s`) DIV 3600) * 3600 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1971-01-01' GROUP BY (unix_seconds(v.`s`) DIV 3600) * 3600

--@ case: so does what is left by a remainder
SELECT unix_timestamp(at) - unix_timestamp(at) % 900 AS q, sum(n) AS total FROM events WHERE at >= '1971-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT unix_timestamp(v.`s`) - (unix_timestamp(v.`s`) % 900) AS q, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1971-01-01' GROUP BY unix_timestamp(v.`s`) - (unix_timestamp(v.`s`) % 900)

--@ case: and a quotient without its fraction
SELECT CAST(unix_timestamp(at) / 60 AS BIGINT) AS m, sum(n) AS total FROM events WHERE at >= '1971-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT CAST(unix_timestamp(v.`s`) / 60 AS BIGINT) AS m, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1971-01-01' GROUP BY CAST(unix_timestamp(v.`s`) / 60 AS BIGINT)

--@ case: a text of it
SELECT from_unixtime(unix_timestamp(at) DIV 900 * 900) AS q, sum(n) AS total FROM events WHERE year(at) = 2024 GROUP BY 1
--@ rewritten using by_second
SELECT from_unixtime((unix_timestamp(v.`s`) DIV 900) * 900) AS q, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE year(v.`s`) = 2024 GROUP BY from_unixtime((unix_timestamp(v.`s`) DIV 900) * 900)

--@ case: the remainder of another number is none of these
SELECT unix_timestamp(at) - unix_seconds(at) % 900 AS q, sum(n) AS total FROM events WHERE at >= '1971-01-01' GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_unix_hour GROUPING_TOO_COARSE at

--@ case: days of numbers between bounds
SELECT floor(sec / 86400) AS d, sum(n) AS total FROM clicks WHERE sec >= 1704067200 AND sec < 1704153600 GROUP BY 1
--@ rewritten using by_number
SELECT floor(v.`h` / 86400) AS d, sum(v.`total`) AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= 1704067200 AND v.`h` < 1704153600 GROUP BY floor(v.`h` / 86400)

--@ case: and as instants
SELECT to_date(timestamp_seconds(sec)) AS d, from_unixtime(sec, 'HH') AS h, sum(n) AS total FROM clicks WHERE sec BETWEEN 1704067200 AND 1704153599 GROUP BY 1, 2
--@ rewritten using by_number
SELECT CAST(timestamp_seconds(v.`h`) AS DATE) AS d, from_unixtime(v.`h`, 'HH') AS h, sum(v.`total`) AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= 1704067200 AND v.`h` <= 1704153599 GROUP BY CAST(timestamp_seconds(v.`h`) AS DATE), from_unixtime(v.`h`, 'HH')

--@ case: DIV of numbers that are not negative
SELECT sec DIV 86400 AS d, max(n) AS top FROM clicks WHERE sec >= 60 AND sec < 1704153600 GROUP BY 1
--@ rewritten using by_rest
SELECT v.`m` DIV 86400 AS d, max(v.`top`) AS top FROM lake.demo.by_rest__storage AS v WHERE v.`m` >= 60 AND v.`m` < 1704153600 GROUP BY v.`m` DIV 86400

--@ case: numbers without an upper bound may be too great for quotients
SELECT floor(sec / 86400) AS d, sum(n) AS total FROM clicks WHERE sec >= 1704067200 GROUP BY 1
--@ kept: by_number BOUNDS_UNKNOWN sec; by_rest BOUNDS_UNKNOWN sec; by_small COLUMN_NOT_IN_VIEW sec

--@ case: bounds within a bucket
SELECT sum(n) AS total FROM clicks WHERE sec >= 1704067200 AND sec <= 1704153600
--@ kept: by_number COLUMN_NOT_IN_VIEW sec: sec <= 1704153600 may select a part of one of the view's buckets (3600): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_rest COLUMN_NOT_IN_VIEW sec: sec <= 1704153600 may select a part of one of the view's buckets (60): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_small COLUMN_NOT_IN_VIEW sec

--@ case: a number is no text
SELECT sum(n) AS total FROM clicks WHERE sec >= '1704067200' AND sec < '1704153600'
--@ kept: by_number BOUNDS_UNKNOWN sec; by_rest BOUNDS_UNKNOWN sec; by_small COLUMN_NOT_IN_VIEW sec

--@ case: an INT has bounds by its type
SELECT date_trunc('day', timestamp_seconds(small)) AS d, floor(small / 3600) AS h, min(n) AS low FROM clicks GROUP BY 1, 2
--@ rewritten using by_small
SELECT date_trunc('DAY', timestamp_seconds(v.`m`)) AS d, floor(v.`m` / 3600) AS h, min(v.`low`) AS low FROM lake.demo.by_small__storage AS v GROUP BY date_trunc('DAY', timestamp_seconds(v.`m`)), floor(v.`m` / 3600)

--@ case: of an INT
SELECT min(n) AS low FROM clicks WHERE small >= 3600 AND small IS NOT NULL
--@ rewritten using by_small
SELECT min(v.`low`) AS low FROM lake.demo.by_small__storage AS v WHERE v.`m` >= 3600 AND NOT (v.`m` IS NULL)

--@ case: an INT may be negative
SELECT small DIV 3600 AS h, min(n) AS low FROM clicks GROUP BY 1
--@ kept: by_number GROUPING_TOO_COARSE small; by_rest GROUPING_TOO_COARSE small; by_small GROUPING_TOO_COARSE small: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: minutes of a number are no quarters of one
SELECT floor(small / 90) AS q, min(n) AS low FROM clicks GROUP BY 1
--@ kept: by_number GROUPING_TOO_COARSE small; by_rest GROUPING_TOO_COARSE small; by_small GROUPING_TOO_COARSE small

--@ case: milliseconds, of which the storage has bounds
SELECT floor(ms / 3600000) AS h, sum(n) AS total FROM taps WHERE ms >= 1704067200000 GROUP BY 1
--@ rewritten using by_millis
SELECT floor((v.`m` * 60000) / 3600000) AS h, sum(v.`total`) AS total FROM lake.demo.by_millis__storage AS v WHERE (v.`m` * 60000) >= 1704067200000 GROUP BY floor((v.`m` * 60000) / 3600000)

--@ case: DIV of what storage has from 60 on
SELECT ms DIV 3600000 AS h, sum(n) AS total FROM taps GROUP BY 1
--@ rewritten using by_millis
SELECT (v.`m` * 60000) DIV 3600000 AS h, sum(v.`total`) AS total FROM lake.demo.by_millis__storage AS v GROUP BY (v.`m` * 60000) DIV 3600000

--@ case: within a minute
SELECT ms DIV 1000 AS s, sum(n) AS total FROM taps GROUP BY 1
--@ kept: GROUPING_TOO_COARSE ms: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: a text of milliseconds
SELECT from_unixtime(ms DIV 1000, 'yyyy-MM-dd HH') AS h, sum(n) AS total FROM taps GROUP BY 1
--@ rewritten using by_millis
SELECT from_unixtime((v.`m` * 60000) DIV 1000, 'yyyy-MM-dd HH') AS h, sum(v.`total`) AS total FROM lake.demo.by_millis__storage AS v GROUP BY from_unixtime((v.`m` * 60000) DIV 1000, 'yyyy-MM-dd HH')

--@ case: a text of milliseconds that are divided
SELECT from_unixtime(floor(ms / 1000), 'yyyy-MM') AS m, sum(n) AS total FROM taps GROUP BY 1
--@ rewritten using by_millis
SELECT from_unixtime(floor((v.`m` * 60000) / 1000), 'yyyy-MM') AS m, sum(v.`total`) AS total FROM lake.demo.by_millis__storage AS v GROUP BY from_unixtime(floor((v.`m` * 60000) / 1000), 'yyyy-MM')

--@ case: seconds of milliseconds are within a minute
SELECT from_unixtime(ms DIV 1000) AS s, sum(n) AS total FROM taps GROUP BY 1
--@ kept: GROUPING_TOO_COARSE ms: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: the date and the hour of such a text
SELECT to_date(from_unixtime(ms DIV 1000)) AS d, hour(from_unixtime(ms DIV 1000)) AS h, sum(n) AS total FROM taps GROUP BY 1, 2
--@ rewritten using by_millis
SELECT CAST(from_unixtime((v.`m` * 60000) DIV 1000) AS DATE) AS d, hour(from_unixtime((v.`m` * 60000) DIV 1000)) AS h, sum(v.`total`) AS total FROM lake.demo.by_millis__storage AS v GROUP BY CAST(from_unixtime((v.`m` * 60000) DIV 1000) AS DATE), hour(from_unixtime((v.`m` * 60000) DIV 1000))

--@ case: of seconds between bounds
SELECT to_date(from_unixtime(sec)) AS d, sum(n) AS total FROM clicks WHERE sec >= 1704067200 AND sec < 1735689600 GROUP BY 1
--@ rewritten using by_number
SELECT CAST(from_unixtime(v.`h`) AS DATE) AS d, sum(v.`total`) AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= 1704067200 AND v.`h` < 1735689600 GROUP BY CAST(from_unixtime(v.`h`) AS DATE)

--@ case: a bucket of such a text, and the text in another pattern
SELECT date_trunc('day', from_unixtime(sec)) AS d, date_format(from_unixtime(sec), 'yyyy-MM') AS m, sum(n) AS total FROM clicks WHERE sec >= 1704067200 AND sec < 1735689600 GROUP BY 1, 2
--@ rewritten using by_number
SELECT date_trunc('day', from_unixtime(v.`h`)) AS d, date_format(from_unixtime(v.`h`), 'yyyy-MM') AS m, sum(v.`total`) AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= 1704067200 AND v.`h` < 1735689600 GROUP BY date_trunc('day', from_unixtime(v.`h`)), date_format(from_unixtime(v.`h`), 'yyyy-MM')

--@ case: minutes of it are not told by hours
SELECT minute(from_unixtime(sec)) AS m, sum(n) AS total FROM clicks WHERE sec >= 1704067200 AND sec < 1735689600 GROUP BY 1
--@ kept: by_number GROUPING_TOO_COARSE sec; by_rest AGGREGATE_NOT_IN_VIEW sum(n); by_small COLUMN_NOT_IN_VIEW sec

--@ case: a filter from 1970 on suffices for times rounded down
SELECT unix_timestamp(at) DIV 3600 AS h, sum(n) AS total FROM events WHERE at >= '1970-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT unix_timestamp(v.`s`) DIV 3600 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1970-01-01' GROUP BY unix_timestamp(v.`s`) DIV 3600

--@ case: so does an instant with an offset
SELECT unix_seconds(at) DIV 3600 AS h, sum(n) AS total FROM events WHERE at >= TIMESTAMP '1970-01-01 01:00:00+01:00' GROUP BY 1
--@ rewritten using by_second
SELECT unix_seconds(v.`s`) DIV 3600 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= CAST('1970-01-01 01:00:00+01:00' AS TIMESTAMP) GROUP BY unix_seconds(v.`s`) DIV 3600

--@ case: a second before 1970 does not
SELECT unix_timestamp(at) DIV 3600 AS h, sum(n) AS total FROM events WHERE at >= '1969-12-31 23:59:59' GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_unix_hour COLUMN_NOT_IN_VIEW at

--@ case: nor does the last day of 1969
SELECT unix_timestamp(at) DIV 3600 AS h, sum(n) AS total FROM events WHERE to_date(at) >= '1969-12-31' GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_unix_hour COLUMN_NOT_IN_VIEW at

--@ case: hours of the view that are rounded towards 1970 hold times before it
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, date_trunc('hour', at) AS begin, max(n) AS top FROM events WHERE at >= '1970-01-01' GROUP BY 1, 2
--@ kept: by_second AGGREGATE_NOT_IN_VIEW max(n); by_unix_hour COLUMN_NOT_IN_VIEW at

--@ case: not those of later days
SELECT floor(unix_timestamp(at) / 3600) * 3600 AS h, date_trunc('hour', at) AS begin, max(n) AS top FROM events WHERE at >= '1970-01-02' GROUP BY 1, 2
--@ rewritten using by_unix_hour (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT v.`h` AS h, date_trunc('HOUR', timestamp_seconds(v.`h`)) AS begin, v.`top` AS top FROM lake.demo.by_unix_hour__storage AS v WHERE timestamp_seconds(v.`h`) >= '1970-01-02'

--@ case: numbers from 0 on
SELECT sec DIV 3600 AS h, sum(n) AS total FROM clicks WHERE sec >= 0 AND sec < 1704153600 GROUP BY 1
--@ rewritten using by_number
SELECT v.`h` DIV 3600 AS h, v.`total` AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= 0 AND v.`h` < 1704153600

--@ case: numbers after -1
SELECT sec - sec % 86400 AS d, max(n) AS top FROM clicks WHERE sec > -1 AND sec < 1704153600 GROUP BY 1
--@ rewritten using by_rest
SELECT v.`m` - (v.`m` % 86400) AS d, max(v.`top`) AS top FROM lake.demo.by_rest__storage AS v WHERE v.`m` > (-1) AND v.`m` < 1704153600 GROUP BY v.`m` - (v.`m` % 86400)

--@ case: numbers from -3600 on
SELECT sec DIV 3600 AS h, sum(n) AS total FROM clicks WHERE sec >= -3600 AND sec < 1704153600 GROUP BY 1
--@ kept: by_number GROUPING_TOO_COARSE sec: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_rest GROUPING_TOO_COARSE sec: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down; by_small COLUMN_NOT_IN_VIEW sec

--@ case: rounded down, they need no bound at 0
SELECT floor(sec / 86400) AS d, sum(n) AS total FROM clicks WHERE sec >= -3600 AND sec < 1704153600 GROUP BY 1
--@ rewritten using by_number
SELECT floor(v.`h` / 86400) AS d, sum(v.`total`) AS total FROM lake.demo.by_number__storage AS v WHERE v.`h` >= (-3600) AND v.`h` < 1704153600 GROUP BY floor(v.`h` / 86400)

--@ case: rounded numbers from 0 on may be negative
SELECT sec DIV 3600 AS h, sum(n) AS total FROM clicks WHERE sec DIV 3600 >= 0 AND sec < 1704153600 GROUP BY 1
--@ kept: by_number BOUNDS_UNKNOWN sec; by_rest BOUNDS_UNKNOWN sec; by_small COLUMN_NOT_IN_VIEW sec

--@ case: an INT from 0 on needs no upper bound
SELECT small DIV 3600 AS h, min(n) AS low FROM clicks WHERE small >= 0 GROUP BY 1
--@ rewritten using by_small
SELECT v.`m` DIV 3600 AS h, min(v.`low`) AS low FROM lake.demo.by_small__storage AS v WHERE v.`m` >= 0 GROUP BY v.`m` DIV 3600

--@ case: an INT that may be negative
SELECT small DIV 3600 AS h, min(n) AS low FROM clicks WHERE small >= -60 GROUP BY 1
--@ kept: by_number COLUMN_NOT_IN_VIEW small; by_rest COLUMN_NOT_IN_VIEW small; by_small GROUPING_TOO_COARSE small: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: hours of milliseconds from 1970 on
SELECT unix_millis(at) DIV 3600000 AS h, sum(n) AS total FROM events WHERE at >= '1970-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT unix_millis(v.`s`) DIV 3600000 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1970-01-01' GROUP BY unix_millis(v.`s`) DIV 3600000

--@ case: minutes of milliseconds as milliseconds and as seconds
SELECT (unix_millis(at) DIV 60000) * 60000 AS ms, (unix_millis(at) DIV 60000) * 60 AS s, sum(n) AS total FROM events WHERE at >= '1970-01-01' GROUP BY 1, 2
--@ rewritten using by_second
SELECT (unix_millis(v.`s`) DIV 60000) * 60000 AS ms, (unix_millis(v.`s`) DIV 60000) * 60 AS s, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1970-01-01' GROUP BY (unix_millis(v.`s`) DIV 60000) * 60000, (unix_millis(v.`s`) DIV 60000) * 60

--@ case: hours of microseconds from 1970 on
SELECT unix_micros(at) DIV 3600000000 AS h, sum(n) AS total FROM events WHERE at >= '1970-01-01' GROUP BY 1
--@ rewritten using by_second
SELECT unix_micros(v.`s`) DIV 3600000000 AS h, sum(v.`total`) AS total FROM lake.demo.by_second__storage AS v WHERE v.`s` >= '1970-01-01' GROUP BY unix_micros(v.`s`) DIV 3600000000

--@ case: DIV rounds milliseconds before 1970 up
SELECT unix_millis(at) DIV 3600000 AS h, sum(n) AS total FROM events GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at; by_unix_hour GROUPING_TOO_COARSE at

--@ case: a second and a half is no whole number of seconds
SELECT unix_millis(at) DIV 1500 AS h, sum(n) AS total FROM events WHERE at >= '1970-01-01' GROUP BY 1
--@ kept: by_second GROUPING_TOO_COARSE at; by_unix_hour COLUMN_NOT_IN_VIEW at
