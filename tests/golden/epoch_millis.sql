-- Milliseconds since 1970 as instants: their minutes tell days, dates and texts of timestamp_millis().
--@ schema
CREATE TABLE taps (ms BIGINT, k STRING, n BIGINT);
CREATE TABLE old (ms BIGINT, n BIGINT);
--@ rows
INSERT INTO taps VALUES (1704067199999, 'a', 1), (1704067200000, 'b', 2), (1704070799999, NULL, 4), (1704070800000, 'a', 8),
  (1710054000000, 'a', 16), (1710053999999, 'b', 32), (1730613600123, 'b', 64), (NULL, 'a', 128);
INSERT INTO old VALUES (-1, 1), (0, 2), (1, 4), (-60000, 8), (-60001, 16), (59999, 32), (1704067200000, 64), (NULL, 128), (9007199254740993, 256)
--@ ranges
by_minute__storage.m = 28401119..28843560
--@ view by_minute
SELECT ms DIV 60000 AS m, k, sum(n) AS s FROM taps GROUP BY 1, 2
--@ view by_instant
SELECT timeseries(timestamp_millis(ms), 'minute') AS m, k, max(n) AS top FROM taps GROUP BY 1, 2
--@ view old_div
SELECT ms DIV 60000 AS m, max(n) AS top FROM old GROUP BY 1
--@ view old_minute
SELECT floor(ms / 60000) AS m, sum(n) AS s FROM old GROUP BY 1

--@ case: days of instants from minutes of milliseconds
SELECT date_trunc('day', timestamp_millis(ms)) AS d, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', timestamp_millis(v.`m` * 60000)) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', timestamp_millis(v.`m` * 60000))

--@ case: dates
SELECT to_date(timestamp_millis(ms)) AS d, k, sum(n) AS s FROM taps GROUP BY 1, 2
--@ rewritten using by_minute
SELECT CAST(timestamp_millis(v.`m` * 60000) AS DATE) AS d, v.`k` AS k, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY CAST(timestamp_millis(v.`m` * 60000) AS DATE), v.`k`

--@ case: fields and texts
SELECT year(timestamp_millis(ms)) AS y, date_format(timestamp_millis(ms), 'yyyy-MM-dd HH:mm') AS t, sum(n) AS s FROM taps GROUP BY 1, 2
--@ rewritten using by_minute
SELECT year(timestamp_millis(v.`m` * 60000)) AS y, date_format(timestamp_millis(v.`m` * 60000), 'yyyy-MM-dd HH:mm') AS t, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY year(timestamp_millis(v.`m` * 60000)), date_format(timestamp_millis(v.`m` * 60000), 'yyyy-MM-dd HH:mm')

--@ case: instants of whole seconds
SELECT date_trunc('hour', timestamp_seconds(ms DIV 1000)) AS h, to_date(timestamp_seconds(floor(ms / 1000))) AS d, sum(n) AS s FROM taps GROUP BY 1, 2
--@ rewritten using by_minute
SELECT date_trunc('HOUR', timestamp_seconds((v.`m` * 60000) DIV 1000)) AS h, CAST(timestamp_seconds(floor((v.`m` * 60000) / 1000)) AS DATE) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('HOUR', timestamp_seconds((v.`m` * 60000) DIV 1000)), CAST(timestamp_seconds(floor((v.`m` * 60000) / 1000)) AS DATE)

--@ case: a text of whole seconds
SELECT from_unixtime(ms DIV 1000, 'yyyy-MM-dd HH') AS h, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT from_unixtime((v.`m` * 60000) DIV 1000, 'yyyy-MM-dd HH') AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY from_unixtime((v.`m` * 60000) DIV 1000, 'yyyy-MM-dd HH')

--@ case: filtered by milliseconds
SELECT date_trunc('day', timestamp_millis(ms)) AS d, sum(n) AS s FROM taps WHERE ms >= 1704067200000 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', timestamp_millis(v.`m` * 60000)) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE (v.`m` * 60000) >= 1704067200000 AND (v.`m` * 60000) < 1704153600000 GROUP BY date_trunc('DAY', timestamp_millis(v.`m` * 60000))

--@ case: quarters of an hour that count elapsed time
SELECT timeseries(timestamp_millis(ms), '15 minutes') AS q, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT timestamp_seconds(unix_seconds(date_trunc('HOUR', timestamp_millis(v.`m` * 60000))) + ((unix_seconds(timestamp_millis(v.`m` * 60000)) - unix_seconds(date_trunc('HOUR', timestamp_millis(v.`m` * 60000)))) DIV 900) * 900) AS q, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY timestamp_seconds(unix_seconds(date_trunc('HOUR', timestamp_millis(v.`m` * 60000))) + ((unix_seconds(timestamp_millis(v.`m` * 60000)) - unix_seconds(date_trunc('HOUR', timestamp_millis(v.`m` * 60000)))) DIV 900) * 900)

--@ case: seconds are finer than minutes
SELECT date_trunc('second', timestamp_millis(ms)) AS d, sum(n) AS s FROM taps GROUP BY 1
--@ kept: by_instant GROUPING_TOO_COARSE ms; by_minute GROUPING_TOO_COARSE ms

--@ case: so are milliseconds
SELECT timestamp_millis(ms) AS d, sum(n) AS s FROM taps GROUP BY 1
--@ kept: by_instant GROUPING_TOO_COARSE ms; by_minute GROUPING_TOO_COARSE ms

--@ case: a filter within a minute
SELECT to_date(timestamp_millis(ms)) AS d, sum(n) AS s FROM taps WHERE ms >= 1704067200001 AND ms < 1704153600000 GROUP BY 1
--@ kept: by_instant COLUMN_NOT_IN_VIEW ms: ms >= 1704067200001 may select a part of one of the view's buckets (60000): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_minute COLUMN_NOT_IN_VIEW ms: ms >= 1704067200001 may select a part of one of the view's buckets (60000): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: from minutes of the instants, filtered by milliseconds
SELECT date_trunc('day', timestamp_millis(ms)) AS d, max(n) AS top FROM taps WHERE ms >= 1704067200000 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using by_instant
SELECT date_trunc('DAY', v.`m`) AS d, max(v.`top`) AS top FROM lake.demo.by_instant__storage AS v WHERE unix_millis(v.`m`) >= 1704067200000 AND unix_millis(v.`m`) < 1704153600000 GROUP BY date_trunc('DAY', v.`m`)

--@ case: their hours as numbers
SELECT floor(ms / 3600000) AS h, max(n) AS top FROM taps WHERE ms >= 1704067200000 AND ms < 1735689600000 GROUP BY 1
--@ rewritten using by_instant
SELECT floor(unix_millis(v.`m`) / 3600000) AS h, max(v.`top`) AS top FROM lake.demo.by_instant__storage AS v WHERE unix_millis(v.`m`) >= 1704067200000 AND unix_millis(v.`m`) < 1735689600000 GROUP BY floor(unix_millis(v.`m`) / 3600000)

--@ case: a filter within one of them
SELECT date_trunc('day', timestamp_millis(ms)) AS d, max(n) AS top FROM taps WHERE ms >= 1704067200500 AND ms < 1704153600000 GROUP BY 1
--@ kept: by_instant COLUMN_NOT_IN_VIEW ms: ms >= 1704067200500 may select a part of one of the view's buckets (60000): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; by_minute COLUMN_NOT_IN_VIEW ms: ms >= 1704067200500 may select a part of one of the view's buckets (60000): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: milliseconds without bounds may be too great for quotients
SELECT date_trunc('day', timestamp_millis(ms)) AS d, sum(n) AS s FROM old GROUP BY 1
--@ kept: old_div BOUNDS_UNKNOWN ms; old_minute BOUNDS_UNKNOWN ms

--@ case: before 1970, rounded down
SELECT date_trunc('day', timestamp_millis(ms)) AS d, sum(n) AS s FROM old WHERE ms >= -86400000 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using old_minute
SELECT date_trunc('DAY', timestamp_millis(v.`m` * 60000)) AS d, sum(v.`s`) AS s FROM lake.demo.old_minute__storage AS v WHERE (v.`m` * 60000) >= (-86400000) AND (v.`m` * 60000) < 1704153600000 GROUP BY date_trunc('DAY', timestamp_millis(v.`m` * 60000))

--@ case: before 1970, rounded up
SELECT date_trunc('day', timestamp_seconds(ms DIV 1000)) AS d, sum(n) AS s FROM old WHERE ms >= -86400000 AND ms < 1704153600000 GROUP BY 1
--@ kept: old_div COLUMN_NOT_IN_VIEW ms; old_minute GROUPING_TOO_COARSE ms: the view's time buckets do not suffice, because DIV and % round up before 1970: use floor() and pmod(), which round down

--@ case: from 1970 on
SELECT date_trunc('day', timestamp_seconds(ms DIV 1000)) AS d, sum(n) AS s FROM old WHERE ms >= 0 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using old_minute
SELECT date_trunc('DAY', timestamp_seconds((v.`m` * 60000) DIV 1000)) AS d, sum(v.`s`) AS s FROM lake.demo.old_minute__storage AS v WHERE (v.`m` * 60000) >= 0 AND (v.`m` * 60000) < 1704153600000 GROUP BY date_trunc('DAY', timestamp_seconds((v.`m` * 60000) DIV 1000))

--@ case: a view that rounds up before 1970 has earlier times in its first minute
SELECT ms DIV 3600000 AS h, max(n) AS top FROM old WHERE ms >= 0 AND ms < 1704153600000 GROUP BY 1
--@ kept: old_div COLUMN_NOT_IN_VIEW ms; old_minute AGGREGATE_NOT_IN_VIEW max(n)

--@ case: not in the later ones
SELECT to_date(timestamp_millis(ms)) AS d, max(n) AS top FROM old WHERE ms >= 60000 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using old_div
SELECT CAST(timestamp_millis(v.`m` * 60000) AS DATE) AS d, max(v.`top`) AS top FROM lake.demo.old_div__storage AS v WHERE (v.`m` * 60000) >= 60000 AND (v.`m` * 60000) < 1704153600000 GROUP BY CAST(timestamp_millis(v.`m` * 60000) AS DATE)

--@ case: a quotient that from_unixtime() cuts
SELECT from_unixtime(ms / 1000, 'yyyy-MM-dd') AS d, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT from_unixtime((v.`m` * 60000) / 1000, 'yyyy-MM-dd') AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY from_unixtime((v.`m` * 60000) / 1000, 'yyyy-MM-dd')

--@ case: a quotient as an instant
SELECT date_trunc('day', timestamp_seconds(ms / 1000)) AS d, to_date(CAST(ms / 1000 AS TIMESTAMP)) AS e, sum(n) AS s FROM taps GROUP BY 1, 2
--@ rewritten using by_minute
SELECT date_trunc('DAY', timestamp_seconds((v.`m` * 60000) / 1000)) AS d, CAST(CAST((v.`m` * 60000) / 1000 AS TIMESTAMP) AS DATE) AS e, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', timestamp_seconds((v.`m` * 60000) / 1000)), CAST(CAST((v.`m` * 60000) / 1000 AS TIMESTAMP) AS DATE)

--@ case: another quotient counts no seconds
SELECT date_trunc('day', timestamp_seconds(ms / 999)) AS d, sum(n) AS s FROM taps GROUP BY 1
--@ kept: by_instant GROUPING_TOO_COARSE ms; by_minute GROUPING_TOO_COARSE ms

--@ case: seconds of instants
SELECT unix_seconds(timestamp_millis(ms)) DIV 3600 AS h, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT unix_seconds(timestamp_millis(v.`m` * 60000)) DIV 3600 AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY unix_seconds(timestamp_millis(v.`m` * 60000)) DIV 3600

--@ case: a quotient before 1970
SELECT from_unixtime(ms / 1000, 'yyyy-MM-dd HH') AS d, sum(n) AS s FROM old WHERE ms >= -86400000 AND ms < 1704153600000 GROUP BY 1
--@ kept: old_div COLUMN_NOT_IN_VIEW ms; old_minute GROUPING_TOO_COARSE ms

--@ case: a quotient before 1970 as an instant
SELECT date_trunc('hour', timestamp_seconds(ms / 1000)) AS d, sum(n) AS s FROM old WHERE ms >= -86400000 AND ms < 1704153600000 GROUP BY 1
--@ rewritten using old_minute
SELECT date_trunc('HOUR', timestamp_seconds((v.`m` * 60000) / 1000)) AS d, sum(v.`s`) AS s FROM lake.demo.old_minute__storage AS v WHERE (v.`m` * 60000) >= (-86400000) AND (v.`m` * 60000) < 1704153600000 GROUP BY date_trunc('HOUR', timestamp_seconds((v.`m` * 60000) / 1000))
