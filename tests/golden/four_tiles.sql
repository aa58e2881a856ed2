-- A range of New York, cut into months and days of New York, hours and minutes of UTC, and the rows at both ends.
--@ schema
CREATE TABLE events (ts TIMESTAMP, kind STRING, n BIGINT, price DECIMAL(10, 2));
--@ rows
INSERT INTO events SELECT timestamp_seconds(s), k, n, 1.25 FROM VALUES
  (1705329029, 'a', 1), (1705329030, 'a', 2), (1705329059, 'b', 4), (1705329060, 'a', 8), (1705330800, NULL, 16),
  (1705331700, 'a', 32), (1705381200, 'b', 64), (1705640000, 'a', 128), (1706763600, 'a', 256), (1709000000, 'b', 512),
  (1710053999, 'a', 1024), (1710054000, 'a', 2048), (1711929600, 'b', 4096), (1712016000, 'a', 8192), (1712026800, 'b', 16384),
  (1712028600, 'a', 32768), (1712028659, NULL, 65536), (1712028660, 'a', 131072), (1712028671, 'a', 262144), (NULL, 'a', 524288)
  AS e(s, k, n)
--@ settings
spark.sql.session.timeZone = America/New_York
--@ records
events = 10000000000
by_minute__storage = 4000000000
by_hour__storage = 1000000000
by_day__storage = 100000000
by_month__storage = 5000000
--@ least
2023-12-01
--@ view by_minute IN UTC
SELECT date_trunc('MINUTE', ts) AS m, kind, sum(n) AS s, count(*) AS c, avg(price) AS mean FROM events GROUP BY 1, 2
--@ view by_hour IN UTC
SELECT date_trunc('HOUR', ts) AS h, kind, sum(n) AS s, count(*) AS c, avg(price) AS mean FROM events GROUP BY 1, 2
--@ view by_day
SELECT date_trunc('DAY', ts) AS d, kind, sum(n) AS s, count(*) AS c, avg(price) AS mean FROM events GROUP BY 1, 2
--@ view by_month
SELECT date_trunc('MONTH', ts) AS mo, kind, sum(n) AS s, count(*) AS c, avg(price) AS mean FROM events GROUP BY 1, 2

--@ case: the rows at both ends, minutes, hours, days and months
SELECT kind, sum(n) AS s, avg(price) AS mean FROM events WHERE ts >= '2024-01-15 09:30:30' AND ts < '2024-04-01 23:31:05' GROUP BY kind
--@ rewritten using by_month, by_day, by_hour, by_minute
SELECT v.`c0` AS kind, sum(v.`c1`) AS s, CAST((CAST(CAST(sum(v.`c2`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c3`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS mean FROM (SELECT v.`kind` AS c0, CAST(sum(v.`s`) AS bigint) AS c1, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c3 FROM lake.demo.by_month__storage VERSION AS OF 2003 AS v WHERE v.`mo` >= CAST('2024-02-01 00:00:00' AS TIMESTAMP) AND v.`mo` < CAST('2024-04-01 00:00:00' AS TIMESTAMP) GROUP BY v.`kind` UNION ALL SELECT v.`kind` AS c0, CAST(sum(v.`s`) AS bigint) AS c1, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c3 FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v WHERE ((v.`d` < CAST('2024-02-01 00:00:00' AS TIMESTAMP)) OR (v.`d` >= CAST('2024-04-01 00:00:00' AS TIMESTAMP))) AND v.`d` >= CAST('2024-01-16 00:00:00' AS TIMESTAMP) AND v.`d` < CAST('2024-04-01 00:00:00' AS TIMESTAMP) GROUP BY v.`kind` UNION ALL SELECT v.`kind` AS c0, CAST(sum(v.`s`) AS bigint) AS c1, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c3 FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v WHERE ((v.`h` < CAST('2024-01-16 00:00:00' AS TIMESTAMP)) OR (v.`h` >= CAST('2024-04-01 00:00:00' AS TIMESTAMP))) AND v.`h` >= CAST('2024-01-15 10:00:00' AS TIMESTAMP) AND v.`h` < CAST('2024-04-01 23:00:00' AS TIMESTAMP) GROUP BY v.`kind` UNION ALL SELECT v.`kind` AS c0, CAST(sum(v.`s`) AS bigint) AS c1, CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_count_1`), 0) AS bigint) AS c3 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE ((v.`m` < CAST('2024-01-15 10:00:00' AS TIMESTAMP)) OR (v.`m` >= CAST('2024-04-01 23:00:00' AS TIMESTAMP))) AND v.`m` >= CAST('2024-01-15 09:31:00' AS TIMESTAMP) AND v.`m` < CAST('2024-04-01 23:31:00' AS TIMESTAMP) GROUP BY v.`kind` UNION ALL SELECT events_0.kind AS c0, sum(events_0.n) AS c1, sum(events_0.price) AS c2, count(events_0.price) AS c3 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= '2024-01-15 09:30:30' AND events_0.ts < '2024-04-01 23:31:05' AND ((events_0.ts < CAST('2024-01-15 09:31:00' AS TIMESTAMP)) OR (events_0.ts >= CAST('2024-04-01 23:31:00' AS TIMESTAMP))) GROUP BY events_0.kind) AS v GROUP BY v.`c0`

--@ case: up to now
SELECT sum(n) AS s FROM events WHERE ts >= '2024-01-15 09:30:30' AND ts <= now()
--@ rewritten using by_hour, by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v WHERE v.`h` >= CAST('2024-01-15 10:00:00' AS TIMESTAMP) AND v.`h` < date_trunc('HOUR', current_timestamp()) UNION ALL SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE ((v.`m` < CAST('2024-01-15 10:00:00' AS TIMESTAMP)) OR (v.`m` >= date_trunc('HOUR', current_timestamp()))) AND v.`m` >= CAST('2024-01-15 09:31:00' AS TIMESTAMP) AND v.`m` < date_trunc('MINUTE', current_timestamp()) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= '2024-01-15 09:30:30' AND events_0.ts <= current_timestamp() AND ((events_0.ts < CAST('2024-01-15 10:00:00' AS TIMESTAMP)) OR (events_0.ts >= date_trunc('HOUR', current_timestamp()))) AND ((events_0.ts < CAST('2024-01-15 09:31:00' AS TIMESTAMP)) OR (events_0.ts >= date_trunc('MINUTE', current_timestamp())))) AS v

--@ case: between instants, which no day of one edition of the zone data divides
SELECT sum(n) AS s FROM events WHERE ts BETWEEN '2024-01-15T14:30:30Z' AND '2024-04-02T03:31:05Z'
--@ rewritten using by_hour, by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2001 AS v WHERE v.`h` >= (date_trunc('HOUR', CAST('2024-01-15T14:30:30Z' AS TIMESTAMP)) + INTERVAL '1' HOUR) AND v.`h` < date_trunc('HOUR', CAST('2024-04-02T03:31:05Z' AS TIMESTAMP)) UNION ALL SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE ((v.`m` < (date_trunc('HOUR', CAST('2024-01-15T14:30:30Z' AS TIMESTAMP)) + INTERVAL '1' HOUR)) OR (v.`m` >= date_trunc('HOUR', CAST('2024-04-02T03:31:05Z' AS TIMESTAMP)))) AND v.`m` >= (date_trunc('MINUTE', CAST('2024-01-15T14:30:30Z' AS TIMESTAMP)) + INTERVAL '1' MINUTE) AND v.`m` < date_trunc('MINUTE', CAST('2024-04-02T03:31:05Z' AS TIMESTAMP)) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= '2024-01-15T14:30:30Z' AND events_0.ts <= '2024-04-02T03:31:05Z' AND ((events_0.ts < (date_trunc('HOUR', CAST('2024-01-15T14:30:30Z' AS TIMESTAMP)) + INTERVAL '1' HOUR)) OR (events_0.ts >= date_trunc('HOUR', CAST('2024-04-02T03:31:05Z' AS TIMESTAMP)))) AND ((events_0.ts < (date_trunc('MINUTE', CAST('2024-01-15T14:30:30Z' AS TIMESTAMP)) + INTERVAL '1' MINUTE)) OR (events_0.ts >= date_trunc('MINUTE', CAST('2024-04-02T03:31:05Z' AS TIMESTAMP))))) AS v
