-- Calendars and series LEFT JOIN the table of a view with a part of the rows: the other groups come from the table.
--@ schema
CREATE TABLE events (id BIGINT NOT NULL, at TIMESTAMP, kind STRING, n BIGINT, price DECIMAL(10, 2));
CREATE TABLE dates (day DATE NOT NULL, month INT);
CREATE TABLE kinds (kind STRING, label STRING)
--@ rows
INSERT INTO events VALUES
  (1, TIMESTAMP '2024-01-01 10:00:00', 'a', 1, 1.50), (2, TIMESTAMP '2024-01-01 23:59:59.999999', 'b', 2, 2.50),
  (3, TIMESTAMP '2024-01-03 00:00:00', 'a', NULL, NULL), (4, TIMESTAMP '2024-01-03 12:30:00', NULL, 4, 4.00), (5, NULL, 'a', 5, 5.00);
INSERT INTO dates VALUES (DATE '2024-01-01', 1), (DATE '2024-01-02', 1), (DATE '2024-01-03', 1), (DATE '2024-01-03', 1), (DATE '2024-02-01', 2);
INSERT INTO kinds VALUES ('a', 'one'), ('c', 'three'), (NULL, 'none')
--@ view by_hour WHERE h >= TIMESTAMP '2024-01-03 00:00:00'
SELECT date_trunc('hour', at) AS h, kind, sum(n) AS s, count(*) AS c, min(n) AS low, avg(price) AS price FROM events GROUP BY 1, 2
--@ view since
SELECT to_date(at) AS d, max(n) AS top, count(DISTINCT n) AS ns FROM events WHERE at >= '2024-01-03' GROUP BY 1
--@ view by_sets
SELECT to_date(at) AS d, kind, sum(price) AS total FROM events WHERE at >= '2024-01-03' GROUP BY GROUPING SETS ((to_date(at)), (to_date(at), kind))
--@ view of_a
SELECT to_date(at) AS d, bit_or(n) AS bits FROM events WHERE kind = 'a' GROUP BY 1

--@ case: the part and the other groups, side by side
SELECT d.day, sum(e.n) AS s, count(*) AS c, min(e.n) AS low, avg(e.price) AS price FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day ORDER BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c, min(v.`low`) AS low, CAST((CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS price FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE ((events_0.at < CAST('2024-01-03 00:00:00' AS TIMESTAMP)) OR (events_0.at IS NULL)) GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day ORDER BY 1 ASC NULLS FIRST

--@ case: more in the condition
SELECT d.month, coalesce(sum(e.n), 0) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind = 'a' GROUP BY d.month
--@ rewritten using by_hour
SELECT dates_0.month AS month, coalesce(sum(v.`s`), 0) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE ((events_0.at < CAST('2024-01-03 00:00:00' AS TIMESTAMP)) OR (events_0.at IS NULL)) GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day AND v.`kind` = 'a' GROUP BY dates_0.month

--@ case: a series
SELECT d.day, coalesce(sum(e.n), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT d_0.day AS day, coalesce(sum(v.`s`), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE ((events_0.at < CAST('2024-01-03 00:00:00' AS TIMESTAMP)) OR (events_0.at IS NULL)) GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = d_0.day GROUP BY d_0.day

--@ case: within the part
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.at >= '2024-01-03' GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: what the view itself leaves out
SELECT d.day, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using since
SELECT dates_0.day AS day, max(v.`top`) AS top FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN (SELECT v.`d` AS d, v.`top` AS top, v.`ns` AS ns, v.`viewgate_rows_0` AS viewgate_rows_0 FROM lake.demo.since__storage VERSION AS OF 2001 AS v UNION ALL SELECT CAST(events_0.at AS DATE) AS d, max(events_0.n) AS top, count(DISTINCT events_0.n) AS ns, count(*) AS viewgate_rows_0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE ((events_0.at < '2024-01-03') OR (events_0.at IS NULL)) GROUP BY CAST(events_0.at AS DATE)) AS v ON v.`d` = dates_0.day GROUP BY dates_0.day

--@ case: a condition that says what the view leaves out
SELECT d.day, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.at >= '2024-01-03' GROUP BY d.day
--@ rewritten using since
SELECT dates_0.day AS day, max(v.`top`) AS top FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.since__storage VERSION AS OF 2001 AS v ON v.`d` = dates_0.day GROUP BY dates_0.day

--@ case: a distinct count is none of two parts
SELECT d.day, count(DISTINCT e.n) AS ns FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour VIEW_FILTERS_MORE at >= CAST('2024-01-03 00:00:00' AS TIMESTAMP); by_sets VIEW_FILTERS_MORE at >= '2024-01-03'; of_a VIEW_FILTERS_MORE kind = 'a'; since VIEW_FILTERS_MORE at >= '2024-01-03'

--@ case: what is not one value is nearly all
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour VIEW_FILTERS_MORE at >= CAST('2024-01-03 00:00:00' AS TIMESTAMP); by_sets VIEW_FILTERS_MORE at >= '2024-01-03'; of_a VIEW_FILTERS_MORE kind = 'a'; since VIEW_FILTERS_MORE at >= '2024-01-03'

--@ case: one grouping set of a view with a filter
SELECT d.day, e.kind, sum(e.price) AS total FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day, e.kind
--@ rewritten using by_hour
SELECT dates_0.day AS day, v.`kind` AS kind, CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS total FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE ((events_0.at < CAST('2024-01-03 00:00:00' AS TIMESTAMP)) OR (events_0.at IS NULL)) GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day, v.`kind`

--@ case: rows that no range selects
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour VIEW_FILTERS_MORE at >= CAST('2024-01-03 00:00:00' AS TIMESTAMP); by_sets VIEW_FILTERS_MORE at >= '2024-01-03'; of_a VIEW_FILTERS_MORE kind = 'a'; since VIEW_FILTERS_MORE at >= '2024-01-03'
