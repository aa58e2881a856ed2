-- Calendars, series and other tables LEFT JOIN the table of a stale view: stored groups and those of the appended rows side by side.
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
--@ appended
INSERT INTO events VALUES
  (6, TIMESTAMP '2024-01-01 10:30:00', 'a', 6, 0.50), (7, TIMESTAMP '2024-01-02 00:00:00', 'c', 7, NULL), (8, NULL, NULL, 8, 8.00);
INSERT INTO dates VALUES (DATE '2024-01-04', 1)
--@ view by_hour
SELECT date_trunc('hour', at) AS h, kind, sum(n) AS s, count(*) AS c, min(n) AS low, avg(price) AS price FROM events GROUP BY 1, 2
--@ view distinct_by_day
SELECT to_date(at) AS d, count(DISTINCT n) AS ns, median(n) AS middle, bit_or(n) AS bits FROM events GROUP BY 1
--@ view many
SELECT to_date(at) AS d, max(n) AS top FROM events GROUP BY 1 HAVING count(*) > 1
--@ view by_sets
SELECT to_date(at) AS d, kind, sum(price) AS total FROM events GROUP BY GROUPING SETS ((to_date(at)), (to_date(at), kind))
--@ view some_rows
SELECT id, at, n FROM events WHERE kind = 'a'

--@ case: each day of a calendar that has grown, too
SELECT d.day, sum(e.n) AS s, count(*) AS c, min(e.n) AS low, avg(e.price) AS price FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day ORDER BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c, min(v.`low`) AS low, CAST((CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS price FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day ORDER BY 1 ASC NULLS FIRST

--@ case: days without events are zero
SELECT d.month, coalesce(sum(e.n), 0) AS s, count(e.id) AS many FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.month
--@ rewritten using by_hour
SELECT dates_0.month AS month, coalesce(sum(v.`s`), 0) AS s, coalesce(sum(v.`c`), 0) AS many FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.month

--@ case: days without events, which the appended rows may have now
SELECT d.day, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day WHERE e.id IS NULL GROUP BY d.day
--@ kept: by_hour STALE lake.demo.events has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.events, on the right side of an ANTI join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view; by_sets STALE lake.demo.events has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.events, on the right side of an ANTI join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view; distinct_by_day STALE lake.demo.events has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: rows of lake.demo.events, on the right side of an ANTI join, were appended since the last refresh, so that other rows may have gained or lost a match: refresh the view; many SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; some_rows VIEW_FILTERS_MORE kind = 'a'

--@ case: more in the condition, and HAVING
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind = 'a' GROUP BY d.day HAVING count(*) > 0
--@ rewritten using some_rows
SELECT dates_0.day AS day, sum(v.`n`) AS s FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`id` AS id, v.`at` AS at, v.`n` AS n FROM lake.demo.some_rows__storage VERSION AS OF 2004 AS v UNION ALL SELECT events_0.id AS id, events_0.at AS at, events_0.n AS n FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 WHERE events_0.kind = 'a') AS v ON CAST(v.`at` AS DATE) = dates_0.day GROUP BY dates_0.day HAVING count(*) > 0

--@ case: a series
SELECT d.day, coalesce(sum(e.n), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT d_0.day AS day, coalesce(sum(v.`s`), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = d_0.day GROUP BY d_0.day

--@ case: from a day to the next
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON e.at >= d.day AND e.at < date_add(d.day, 1) GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) >= dates_0.day AND CAST(v.`h` AS DATE) < date_add(dates_0.day, 1) GROUP BY dates_0.day

--@ case: another table than a calendar
SELECT k.label, sum(e.n) AS s, count(*) AS c FROM kinds AS k LEFT JOIN events AS e ON e.kind = k.kind GROUP BY k.label
--@ rewritten using by_hour
SELECT kinds_0.label AS label, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.kinds VERSION AS OF 1002 AS kinds_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON v.`kind` = kinds_0.kind GROUP BY kinds_0.label

--@ case: a distinct count is none of two parts
SELECT d.day, count(DISTINCT e.n) AS ns FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW count(DISTINCT n); by_sets AGGREGATE_NOT_IN_VIEW count(DISTINCT n); distinct_by_day AGGREGATE_NOT_IN_VIEW count(DISTINCT n); many AGGREGATE_NOT_IN_VIEW count(DISTINCT n); some_rows VIEW_FILTERS_MORE kind = 'a'

--@ case: nor is a median
SELECT d.day, median(e.n) AS middle FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW median(n); by_sets AGGREGATE_NOT_IN_VIEW median(n); distinct_by_day AGGREGATE_NOT_IN_VIEW median(n); many AGGREGATE_NOT_IN_VIEW median(n); some_rows VIEW_FILTERS_MORE kind = 'a'

--@ case: but bits are
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using distinct_by_day
SELECT dates_0.day AS day, bit_or(v.`bits`) AS bits FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`d` AS d, v.`ns` AS ns, v.`middle` AS middle, v.`bits` AS bits, v.`viewgate_rows_0` AS viewgate_rows_0 FROM lake.demo.distinct_by_day__storage VERSION AS OF 2001 AS v UNION ALL SELECT CAST(events_0.at AS DATE) AS d, count(DISTINCT events_0.n) AS ns, median(events_0.n) AS middle, bit_or(events_0.n) AS bits, count(*) AS viewgate_rows_0 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY CAST(events_0.at AS DATE)) AS v ON v.`d` = dates_0.day GROUP BY dates_0.day

--@ case: groups that were too small may be large enough now
SELECT d.day, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW max(n); by_sets AGGREGATE_NOT_IN_VIEW max(n); distinct_by_day AGGREGATE_NOT_IN_VIEW max(n); many SHAPE the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query; some_rows VIEW_FILTERS_MORE kind = 'a'

--@ case: the rows themselves
SELECT d.day, e.id, e.n FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind = 'a'
--@ rewritten using some_rows
SELECT dates_0.day AS day, v.`id` AS id, v.`n` AS n FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`id` AS id, v.`at` AS at, v.`n` AS n FROM lake.demo.some_rows__storage VERSION AS OF 2004 AS v UNION ALL SELECT events_0.id AS id, events_0.at AS at, events_0.n AS n FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 WHERE events_0.kind = 'a') AS v ON CAST(v.`at` AS DATE) = dates_0.day

--@ case: the groups read as rows
SELECT d.day, e.n FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day
--@ kept: by_hour GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_sets GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; distinct_by_day GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; many SHAPE the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without grouping sets nor such a derived table: create a view without HAVING and without this derived table; some_rows VIEW_FILTERS_MORE kind = 'a'

--@ case: one grouping set of a stale view
SELECT d.day, e.kind, sum(e.price) AS total FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day, e.kind
--@ rewritten using by_hour
SELECT dates_0.day AS day, v.`kind` AS kind, CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) AS total FROM lake.demo.dates VERSION AS OF 5501 AS dates_0 LEFT JOIN (SELECT v.`h` AS h, v.`kind` AS kind, v.`s` AS s, v.`c` AS c, v.`low` AS low, v.`price` AS price, v.`viewgate_sum_0` AS viewgate_sum_0, v.`viewgate_count_1` AS viewgate_count_1 FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v UNION ALL SELECT date_trunc('HOUR', events_0.at) AS h, events_0.kind AS kind, sum(events_0.n) AS s, count(*) AS c, min(events_0.n) AS low, avg(events_0.price) AS price, sum(events_0.price) AS viewgate_sum_0, count(events_0.price) AS viewgate_count_1 FROM lake.demo.events WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS events_0 GROUP BY date_trunc('HOUR', events_0.at), events_0.kind) AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day, v.`kind`
