-- Milliseconds since 1970 as instants, in a zone whose clocks change.
--@ schema
CREATE TABLE taps (ms BIGINT, k STRING, n BIGINT);
CREATE TABLE old (ms BIGINT, n BIGINT);
--@ rows
INSERT INTO taps VALUES (1704067199999, 'a', 1), (1704067200000, 'b', 2), (1704070799999, NULL, 4), (1704070800000, 'a', 8),
  (1710054000000, 'a', 16), (1710053999999, 'b', 32), (1730613600123, 'b', 64), (NULL, 'a', 128);
INSERT INTO old VALUES (-1, 1), (0, 2), (1, 4), (-60000, 8), (-60001, 16), (59999, 32), (1704067200000, 64), (NULL, 128), (9007199254740993, 256)
--@ settings
spark.sql.session.timeZone = America/New_York
--@ ranges
by_minute__storage.m = 28401119..28843560
--@ least
2023-12-31 23:59:00
--@ view by_minute
SELECT ms DIV 60000 AS m, k, sum(n) AS s FROM taps GROUP BY 1, 2
--@ view by_instant
SELECT timeseries(timestamp_millis(ms), 'minute') AS m, k, max(n) AS top FROM taps GROUP BY 1, 2
--@ view old_minute
SELECT floor(ms / 60000) AS m, sum(n) AS s FROM old GROUP BY 1

--@ case: days of the session's clock
SELECT date_trunc('day', timestamp_millis(ms)) AS d, sum(n) AS s FROM taps GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', timestamp_millis(v.`m` * 60000)) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', timestamp_millis(v.`m` * 60000))

--@ case: dates and hours
SELECT to_date(timestamp_millis(ms)) AS d, hour(timestamp_millis(ms)) AS h, sum(n) AS s FROM taps GROUP BY 1, 2
--@ rewritten using by_minute
SELECT CAST(timestamp_millis(v.`m` * 60000) AS DATE) AS d, hour(timestamp_millis(v.`m` * 60000)) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY CAST(timestamp_millis(v.`m` * 60000) AS DATE), hour(timestamp_millis(v.`m` * 60000))

--@ case: filtered by milliseconds
SELECT to_date(timestamp_millis(ms)) AS d, max(n) AS top FROM taps WHERE ms >= 1704067200000 AND ms < 1735689600000 GROUP BY 1
--@ rewritten using by_instant (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT CAST(v.`m` AS DATE) AS d, max(v.`top`) AS top FROM lake.demo.by_instant__storage AS v WHERE unix_millis(v.`m`) >= 1704067200000 AND unix_millis(v.`m`) < 1735689600000 GROUP BY CAST(v.`m` AS DATE)

--@ case: without a lower bound, the zone may have had an offset within a minute
SELECT to_date(timestamp_millis(ms)) AS d, sum(n) AS s FROM old GROUP BY 1
--@ kept: BOUNDS_UNKNOWN ms

--@ case: from minutes of the instants, of which the earliest is known
SELECT date_trunc('day', timestamp_millis(ms)) AS d, max(n) AS top FROM taps GROUP BY 1
--@ rewritten using by_instant
SELECT date_trunc('DAY', v.`m`) AS d, max(v.`top`) AS top FROM lake.demo.by_instant__storage AS v GROUP BY date_trunc('DAY', v.`m`)
