-- Ranges without an end, and those that begin so long before now: no branch for buckets that are to come.
--@ schema
CREATE TABLE events (region STRING, ts TIMESTAMP, amount INT)
--@ rows
INSERT INTO events VALUES ('eu', TIMESTAMP '2023-01-15 10:29:59', 1), ('eu', TIMESTAMP '2023-12-31 23:59:59.999999', 2), ('us', TIMESTAMP '2024-02-01 00:00:00', 4), ('us', TIMESTAMP '2024-02-14 10:20:30', 8), ('eu', TIMESTAMP '2024-02-14 11:00:00', 16), ('eu', TIMESTAMP '2024-02-15 09:59:59', 32), (NULL, TIMESTAMP '2024-02-15 10:20:30.4', 64), ('eu', NULL, 128)
--@ records
events = 1000000000
by_hour__storage = 200000000
by_day__storage = 20000000
by_month__storage = 1000000
--@ most
2024-02-15 10:00:00
--@ view by_hour
SELECT region, date_trunc('HOUR', ts) AS h, sum(amount) AS total FROM events GROUP BY region, date_trunc('HOUR', ts)
--@ view by_day
SELECT region, date_trunc('DAY', ts) AS d, sum(amount) AS total FROM events GROUP BY region, date_trunc('DAY', ts)
--@ view by_month
SELECT region, date_trunc('MONTH', ts) AS m, sum(amount) AS total FROM events GROUP BY region, date_trunc('MONTH', ts)

--@ case: since long ago, whole months, days and hours
SELECT sum(amount) AS s FROM events WHERE ts >= '2023-01-15 10:30:00'
--@ rewritten using by_month, by_day, by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v WHERE v.`m` >= CAST('2023-02-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` < CAST('2023-02-01 00:00:00' AS TIMESTAMP) AND v.`d` >= CAST('2023-01-16 00:00:00' AS TIMESTAMP) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < CAST('2023-01-16 00:00:00' AS TIMESTAMP) AND v.`h` >= CAST('2023-01-15 11:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= '2023-01-15 10:30:00' AND events_0.ts < CAST('2023-01-15 11:00:00' AS TIMESTAMP)) AS v

--@ case: since a time of the last month, no month is whole
SELECT sum(amount) AS s FROM events WHERE ts >= '2024-02-05 10:30:00'
--@ rewritten using by_day, by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` >= CAST('2024-02-06 00:00:00' AS TIMESTAMP) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < CAST('2024-02-06 00:00:00' AS TIMESTAMP) AND v.`h` >= CAST('2024-02-05 11:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= '2024-02-05 10:30:00' AND events_0.ts < CAST('2024-02-05 11:00:00' AS TIMESTAMP)) AS v

--@ case: since a time of the last day, no day is
SELECT sum(amount) AS s FROM events WHERE ts > '2024-02-15 08:30:00'
--@ rewritten using by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= CAST('2024-02-15 09:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts > '2024-02-15 08:30:00' AND events_0.ts < CAST('2024-02-15 09:00:00' AS TIMESTAMP)) AS v

--@ case: the last 24 hours
SELECT sum(amount) AS s FROM events WHERE ts >= now() - INTERVAL 24 HOURS
--@ rewritten using by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '24' HOURS) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= (current_timestamp() - INTERVAL '24' HOURS) AND events_0.ts < (date_trunc('HOUR', current_timestamp() - INTERVAL '24' HOURS) + INTERVAL '1' HOUR)) AS v

--@ case: the last week
SELECT sum(amount) AS s FROM events WHERE ts >= now() - INTERVAL 7 DAYS
--@ rewritten using by_day, by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` >= (date_trunc('DAY', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' DAY) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < (date_trunc('DAY', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' DAY) AND v.`h` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= (current_timestamp() - INTERVAL '7' DAYS) AND events_0.ts < (date_trunc('DAY', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' DAY) AND events_0.ts < (date_trunc('HOUR', current_timestamp() - INTERVAL '7' DAYS) + INTERVAL '1' HOUR)) AS v

--@ case: the last year
SELECT sum(amount) AS s FROM events WHERE ts >= now() - INTERVAL 365 DAYS
--@ rewritten using by_month, by_day, by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v WHERE v.`m` >= (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH) AND v.`d` >= (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH) AND v.`h` < (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY) AND v.`h` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' HOUR) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= (current_timestamp() - INTERVAL '365' DAYS) AND events_0.ts < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH) AND events_0.ts < (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY) AND events_0.ts < (date_trunc('HOUR', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' HOUR)) AS v

--@ case: the last year up to now
SELECT sum(amount) AS s FROM events WHERE ts BETWEEN now() - INTERVAL 365 DAYS AND now()
--@ rewritten using by_month, by_day, by_hour (not proved: two branches of the rewritten query's UNION ALL may read the same row)
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v WHERE v.`m` >= (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH) AND v.`m` < date_trunc('MONTH', current_timestamp()) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE ((v.`d` < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH)) OR (v.`d` >= date_trunc('MONTH', current_timestamp()))) AND v.`d` >= (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY) AND v.`d` < date_trunc('DAY', current_timestamp()) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE ((v.`h` < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH)) OR (v.`h` >= date_trunc('MONTH', current_timestamp()))) AND ((v.`h` < (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY)) OR (v.`h` >= date_trunc('DAY', current_timestamp()))) AND v.`h` >= (date_trunc('HOUR', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' HOUR) AND v.`h` < date_trunc('HOUR', current_timestamp()) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts >= (current_timestamp() - INTERVAL '365' DAYS) AND events_0.ts <= current_timestamp() AND ((events_0.ts < (date_trunc('MONTH', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' MONTH)) OR (events_0.ts >= date_trunc('MONTH', current_timestamp()))) AND ((events_0.ts < (date_trunc('DAY', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' DAY)) OR (events_0.ts >= date_trunc('DAY', current_timestamp()))) AND ((events_0.ts < (date_trunc('HOUR', current_timestamp() - INTERVAL '365' DAYS) + INTERVAL '1' HOUR)) OR (events_0.ts >= date_trunc('HOUR', current_timestamp())))) AS v

--@ case: until a time
SELECT sum(amount) AS s FROM events WHERE ts < '2024-02-15 08:30:00'
--@ rewritten using by_month, by_day, by_hour
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_month__storage VERSION AS OF 2002 AS v WHERE v.`m` < CAST('2024-02-01 00:00:00' AS TIMESTAMP) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_day__storage VERSION AS OF 2001 AS v WHERE v.`d` >= CAST('2024-02-01 00:00:00' AS TIMESTAMP) AND v.`d` < CAST('2024-02-15 00:00:00' AS TIMESTAMP) UNION ALL SELECT CAST(sum(v.`total`) AS bigint) AS c0 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`h` >= CAST('2024-02-15 00:00:00' AS TIMESTAMP) AND v.`h` < CAST('2024-02-15 08:00:00' AS TIMESTAMP) UNION ALL SELECT sum(events_0.amount) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.ts < '2024-02-15 08:30:00' AND events_0.ts >= CAST('2024-02-15 08:00:00' AS TIMESTAMP)) AS v
