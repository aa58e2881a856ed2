-- A calendar or another table LEFT JOIN the table of a view: series without gaps, and what there is nothing of.
--@ schema
CREATE TABLE events (id BIGINT NOT NULL, at TIMESTAMP NOT NULL, kind STRING, n BIGINT, price DECIMAL(10, 2), f DOUBLE);
CREATE TABLE dates (day DATE NOT NULL, month INT, holiday BOOLEAN, w INT);
CREATE TABLE kinds (kind STRING, label STRING);
--@ rows
INSERT INTO events VALUES
  (1, TIMESTAMP '2024-01-01 10:00:00', 'a', 1, 1.50, 0.5), (2, TIMESTAMP '2024-01-01 23:59:59.999999', 'b', 2, 2.50, -0.0D),
  (3, TIMESTAMP '2024-01-03 00:00:00', 'a', NULL, NULL, NULL), (4, TIMESTAMP '2024-01-03 12:30:00', NULL, 4, 4.00, 1.0),
  (5, TIMESTAMP '2024-01-05 07:15:00', 'b', NULL, 0.10, 2.0), (6, TIMESTAMP '2024-02-01 23:00:00', NULL, 6, 3.00, 0.0);
INSERT INTO dates VALUES
  (DATE '2024-01-01', 1, true, 1), (DATE '2024-01-02', 1, false, 2), (DATE '2024-01-03', 1, false, NULL), (DATE '2024-01-04', 1, NULL, 4),
  (DATE '2024-01-05', 1, false, 5), (DATE '2024-01-05', 1, false, 6), (DATE '2024-02-01', 2, true, 7), (DATE '2024-02-02', 2, false, 8);
INSERT INTO kinds VALUES ('a', 'one'), ('c', 'three'), (NULL, 'none')
--@ view by_hour
SELECT date_trunc('hour', at) AS h, kind, sum(n) AS s, count(*) AS c, min(n) AS low, avg(price) AS price FROM events GROUP BY 1, 2
--@ view labelled
SELECT to_date(at) AS d, coalesce(kind, 'none') AS k, max(n) AS top, sum(coalesce(n, 0)) AS zeroed FROM events GROUP BY 1, 2
--@ view some_kinds
SELECT to_date(at) AS d, kind, bit_or(n) AS bits FROM events WHERE kind <> 'c' GROUP BY 1, 2
--@ view plain_rows
SELECT id, at, kind, n FROM events WHERE n IS NOT NULL

--@ case: each day of a calendar
SELECT d.day, sum(e.n) AS s, count(*) AS c, min(e.n) AS low FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day ORDER BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c, min(v.`low`) AS low FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day ORDER BY 1 ASC NULLS FIRST

--@ case: days without events are zero
SELECT d.day, coalesce(sum(e.n), 0) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day WHERE d.month = 1 GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, coalesce(sum(v.`s`), 0) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day WHERE dates_0.month = 1 GROUP BY dates_0.day

--@ case: how many there were each day, by a column that is never NULL
SELECT d.day, count(e.id) AS many, count(e.at) AS times FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, coalesce(sum(v.`c`), 0) AS many, coalesce(sum(v.`c`), 0) AS times FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: months of the calendar, and numbers of its days for each row
SELECT d.month, count(*) AS c, sum(d.w) AS w, count(d.w) AS ws, max(d.w) AS top, avg(e.price) AS price FROM dates AS d LEFT JOIN events AS e ON CAST(e.at AS DATE) = d.day GROUP BY d.month
--@ rewritten using by_hour
SELECT dates_0.month AS month, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c, sum(CAST(dates_0.w AS BIGINT) * coalesce(v.`c`, 1)) AS w, coalesce(sum(CASE WHEN dates_0.w IS NULL THEN 0 ELSE coalesce(v.`c`, 1) END), 0) AS ws, max(dates_0.w) AS top, CAST((CAST(CAST(sum(v.`viewgate_sum_0`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS price FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.month

--@ case: written as a RIGHT join
SELECT d.day, sum(e.n) AS s FROM events AS e RIGHT JOIN dates AS d ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: more in the condition
SELECT d.day, sum(e.n) AS s, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind = 'a' AND NOT d.holiday GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day AND v.`kind` = 'a' AND NOT dates_0.holiday GROUP BY dates_0.day

--@ case: some events on the side that is filled, as a derived table
SELECT d.day, sum(e.n) AS s, count(*) AS c FROM dates AS d LEFT JOIN (SELECT at, n FROM events WHERE kind = 'b') AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON v.`kind` = 'b' AND CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: a condition in WHERE that the filled rows do not meet makes it an inner join
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day WHERE e.kind = 'a' GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE v.`kind` = 'a' AND CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: days on which there was nothing
SELECT d.day, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day WHERE e.kind IS NULL GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day WHERE v.`kind` IS NULL GROUP BY dates_0.day

--@ case: by a key of the view, of which some is NULL in the rows and some by the join
SELECT d.month, e.kind, count(*) AS c, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.month, e.kind
--@ rewritten using by_hour
SELECT dates_0.month AS month, v.`kind` AS kind, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c, sum(v.`s`) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.month, v.`kind`

--@ case: a default for what there is not
SELECT coalesce(e.kind, 'nothing') AS k, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY coalesce(e.kind, 'nothing')
--@ rewritten using by_hour
SELECT coalesce(v.`kind`, 'nothing') AS k, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY coalesce(v.`kind`, 'nothing')

--@ case: a default that a view holds is not there in a row that finds nothing
SELECT coalesce(e.kind, 'none') AS k, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY coalesce(e.kind, 'none')
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW max(n); labelled GROUPING_TOO_COARSE kind; plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'

--@ case: a default that a view holds in the condition of the join
SELECT d.day, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND coalesce(e.kind, 'none') = 'none' GROUP BY d.day
--@ rewritten using labelled
SELECT dates_0.day AS day, max(v.`top`) AS top FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.labelled__storage VERSION AS OF 2001 AS v ON v.`d` = dates_0.day AND v.`k` = 'none' GROUP BY dates_0.day

--@ case: a sum with a default that a view holds
SELECT d.day, sum(coalesce(e.n, 0)) AS s, max(e.n) AS top FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW max(n); labelled AGGREGATE_NOT_IN_VIEW sum(coalesce(n, 0)); plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'

--@ case: a sum with a default, from the sum
SELECT d.day, sum(coalesce(e.n, 0)) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(coalesce(v.`s`, 0)) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: sums of cases
SELECT d.month, sum(CASE WHEN e.kind = 'a' THEN e.n ELSE 0 END) AS a, sum(CASE WHEN d.holiday THEN 1 ELSE 0 END) AS free, count(*) FILTER (WHERE e.kind IS NULL) AS others, count(DISTINCT e.kind) AS kinds FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.month
--@ rewritten using by_hour
SELECT dates_0.month AS month, sum(CASE WHEN v.`kind` = 'a' THEN v.`s` ELSE 0 END) AS a, sum(CASE WHEN dates_0.holiday THEN coalesce(v.`c`, 1) ELSE 0 END) AS free, coalesce(sum(coalesce(v.`c`, 1)) FILTER(WHERE v.`kind` IS NULL), 0) AS others, count(DISTINCT v.`kind`) AS kinds FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.month

--@ case: HAVING, and the first ones
SELECT d.day, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day HAVING count(e.id) = 0 ORDER BY d.day LIMIT 3
--@ rewritten using by_hour
SELECT dates_0.day AS day, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day HAVING coalesce(sum(v.`c`), 0) = 0 ORDER BY 1 ASC NULLS FIRST LIMIT 3

--@ case: a running total without gaps
SELECT d.day, sum(sum(e.n)) OVER (ORDER BY d.day) AS total FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(sum(v.`s`)) OVER (ORDER BY dates_0.day ASC) AS total FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: subtotals
SELECT d.month, e.kind, sum(e.n) AS s, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY ROLLUP (d.month, e.kind)
--@ rewritten using by_hour
SELECT dates_0.month AS month, v.`kind` AS kind, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY GROUPING SETS ((dates_0.month, v.`kind`), (dates_0.month), ())

--@ case: with a table beside each
SELECT d.month, k.label, sum(e.n) AS s, count(*) AS c FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day LEFT JOIN kinds AS k ON k.kind = e.kind GROUP BY d.month, k.label
--@ rewritten using by_hour
SELECT dates_0.month AS month, kinds_0.label AS label, sum(v.`s`) AS s, coalesce(sum(coalesce(v.`c`, 1)), 0) AS c FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day LEFT JOIN lake.demo.kinds VERSION AS OF 1002 AS kinds_0 ON kinds_0.kind = v.`kind` GROUP BY dates_0.month, kinds_0.label

--@ case: each day and kind
SELECT d.day, k.label, coalesce(sum(e.n), 0) AS s, count(e.id) AS many FROM dates AS d CROSS JOIN kinds AS k LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind <=> k.kind GROUP BY d.day, k.label
--@ rewritten using by_hour
SELECT dates_0.day AS day, kinds_0.label AS label, coalesce(sum(v.`s`), 0) AS s, coalesce(sum(v.`c`), 0) AS many FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 CROSS JOIN lake.demo.kinds VERSION AS OF 1002 AS kinds_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day AND v.`kind` IS NOT DISTINCT FROM kinds_0.kind GROUP BY dates_0.day, kinds_0.label

--@ case: another table than a calendar
SELECT k.label, sum(e.n) AS s FROM kinds AS k LEFT JOIN events AS e ON e.kind = k.kind GROUP BY k.label
--@ rewritten using by_hour
SELECT kinds_0.label AS label, sum(v.`s`) AS s FROM lake.demo.kinds VERSION AS OF 1002 AS kinds_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON v.`kind` = kinds_0.kind GROUP BY kinds_0.label

--@ case: a view that filters, and the condition says so
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.kind <> 'c' GROUP BY d.day
--@ rewritten using some_kinds
SELECT dates_0.day AS day, bit_or(v.`bits`) AS bits FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.some_kinds__storage VERSION AS OF 2002 AS v ON v.`d` = dates_0.day GROUP BY dates_0.day

--@ case: a view that filters, and WHERE says so: no row is filled then
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day WHERE e.kind <> 'c' GROUP BY d.day
--@ rewritten using some_kinds
SELECT dates_0.day AS day, bit_or(v.`bits`) AS bits FROM lake.demo.some_kinds__storage VERSION AS OF 2002 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE v.`d` = dates_0.day GROUP BY dates_0.day

--@ case: a view that filters more
SELECT d.day, bit_or(e.n) AS bits FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour AGGREGATE_NOT_IN_VIEW bit_or(n); labelled AGGREGATE_NOT_IN_VIEW bit_or(n); plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'

--@ case: the rows themselves, from a view of rows
SELECT d.day, e.id, e.n FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.n IS NOT NULL WHERE d.month = 1
--@ rewritten using plain_rows
SELECT dates_0.day AS day, v.`id` AS id, v.`n` AS n FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.plain_rows__storage VERSION AS OF 2003 AS v ON CAST(v.`at` AS DATE) = dates_0.day WHERE dates_0.month = 1

--@ case: rows that are grouped, from a view of rows
SELECT d.day, count(*) AS c, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.n IS NOT NULL AND e.at > '2024-01-01 12:00:00' GROUP BY d.day
--@ rewritten using plain_rows
SELECT dates_0.day AS day, count(*) AS c, sum(v.`n`) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.plain_rows__storage VERSION AS OF 2003 AS v ON CAST(v.`at` AS DATE) = dates_0.day AND v.`at` > '2024-01-01 12:00:00' GROUP BY dates_0.day

--@ case: a condition on what the groups do not hold
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day AND e.n > 1 GROUP BY d.day
--@ rewritten using plain_rows
SELECT dates_0.day AS day, sum(v.`n`) AS s FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.plain_rows__storage VERSION AS OF 2003 AS v ON CAST(v.`at` AS DATE) = dates_0.day AND v.`n` > 1 GROUP BY dates_0.day

--@ case: the groups read as rows
SELECT d.day, e.kind FROM dates AS d LEFT JOIN events AS e ON to_date(e.at) = d.day
--@ kept: by_hour GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; labelled GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'

--@ case: the other side is filled
SELECT d.month, sum(e.n) AS s, count(d.day) AS days FROM events AS e LEFT JOIN dates AS d ON to_date(e.at) = d.day GROUP BY d.month
--@ rewritten using by_hour
SELECT dates_0.month AS month, sum(v.`s`) AS s, coalesce(sum(CASE WHEN dates_0.day IS NULL THEN 0 ELSE v.`c` END), 0) AS days FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.dates VERSION AS OF 1001 AS dates_0 ON CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.month

--@ case: an inner join drops the days without events
SELECT d.day, sum(e.n) AS s FROM dates AS d JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE CAST(v.`h` AS DATE) = dates_0.day GROUP BY dates_0.day

--@ case: days without events by an anti join
SELECT d.day FROM dates AS d LEFT ANTI JOIN events AS e ON to_date(e.at) = d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT ANTI JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) = dates_0.day

--@ case: a full join
SELECT d.day, sum(e.n) AS s FROM dates AS d FULL JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour JOIN_DIFFERS the query has a FULL join of d and e ON CAST(at AS DATE) = day, which the view lacks: add the join to the view; labelled JOIN_DIFFERS the query has a FULL join of d and e ON CAST(at AS DATE) = day, which the view lacks: add the join to the view; plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'

--@ case: a series of days in place of a calendar
SELECT d.day, coalesce(sum(e.n), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ rewritten using by_hour
SELECT d_0.day AS day, coalesce(sum(v.`s`), 0) AS s FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY)) AS day) AS d_0 LEFT JOIN lake.demo.by_hour__storage AS v ON CAST(v.`h` AS DATE) = d_0.day GROUP BY d_0.day

--@ case: a series of hours as a common table expression, and more in the condition
WITH hours AS (SELECT explode(sequence(TIMESTAMP '2024-01-01 08:00:00', TIMESTAMP '2024-01-01 12:00:00', INTERVAL 1 HOUR)) AS h)
SELECT hours.h, count(e.id) AS many FROM hours LEFT JOIN events AS e ON date_trunc('hour', e.at) = hours.h AND e.kind = 'a' GROUP BY hours.h ORDER BY hours.h
--@ rewritten using by_hour
WITH hours AS (SELECT explode(sequence(TIMESTAMP '2024-01-01 08:00:00', TIMESTAMP '2024-01-01 12:00:00', INTERVAL 1 HOUR)) AS h)
SELECT hours_0.h AS h, coalesce(sum(v.`c`), 0) AS many FROM hours AS hours_0 LEFT JOIN lake.demo.by_hour__storage AS v ON v.`h` = hours_0.h AND v.`kind` = 'a' GROUP BY hours_0.h ORDER BY 1 ASC NULLS FIRST

--@ case: a series of numbers
SELECT h, count(e.id) AS many FROM (SELECT explode(sequence(0, 23)) AS h) AS hours LEFT JOIN events AS e ON hour(e.at) = h GROUP BY h
--@ rewritten using by_hour
SELECT hours_0.h AS h, coalesce(sum(v.`c`), 0) AS many FROM (SELECT explode(sequence(0, 23)) AS h) AS hours_0 LEFT JOIN lake.demo.by_hour__storage AS v ON hour(v.`h`) = hours_0.h GROUP BY hours_0.h

--@ case: a series whose type is not certain
SELECT d.day, sum(e.n) AS s FROM (SELECT explode(sequence('2024-01-01', '2024-01-05')) AS day) AS d LEFT JOIN events AS e ON to_date(e.at) = d.day GROUP BY d.day
--@ kept: by_hour UNSUPPORTED SELECT EXPLODE(SEQUENCE('2024-01-01', '2024-01-05')) AS day has no FROM, so no view can answer this SELECT; labelled UNSUPPORTED SELECT EXPLODE(SEQUENCE('2024-01-01', '2024-01-05')) AS day has no FROM, so no view can answer this SELECT; plain_rows UNSUPPORTED SELECT EXPLODE(SEQUENCE('2024-01-01', '2024-01-05')) AS day has no FROM, so no view can answer this SELECT; some_kinds UNSUPPORTED SELECT EXPLODE(SEQUENCE('2024-01-01', '2024-01-05')) AS day has no FROM, so no view can answer this SELECT

--@ case: the times from a day of the calendar to the next
SELECT d.day, sum(e.n) AS s, count(e.id) AS many FROM dates AS d LEFT JOIN events AS e ON e.at >= d.day AND e.at < date_add(d.day, 1) GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s, coalesce(sum(v.`c`), 0) AS many FROM lake.demo.dates VERSION AS OF 1001 AS dates_0 LEFT JOIN lake.demo.by_hour__storage VERSION AS OF 2000 AS v ON CAST(v.`h` AS DATE) >= dates_0.day AND CAST(v.`h` AS DATE) < date_add(dates_0.day, 1) GROUP BY dates_0.day

--@ case: the seven days from each day on, written the other way round
SELECT d.day, sum(e.n) AS s FROM dates AS d JOIN events AS e ON d.day <= e.at AND d.day + INTERVAL 7 DAYS > e.at GROUP BY d.day
--@ rewritten using by_hour
SELECT dates_0.day AS day, sum(v.`s`) AS s FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE dates_0.day <= CAST(v.`h` AS DATE) AND (dates_0.day + INTERVAL '7' DAYS) > CAST(v.`h` AS DATE) GROUP BY dates_0.day

--@ case: a midnight that is on the other side
SELECT d.day, sum(e.n) AS s FROM dates AS d LEFT JOIN events AS e ON e.at > d.day AND e.at <= date_add(d.day, 1) GROUP BY d.day
--@ kept: by_hour COLUMN_NOT_IN_VIEW at: at > day may select a part of one of the view's buckets (hour): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; labelled COLUMN_NOT_IN_VIEW at: at > day may select a part of one of the view's buckets (day): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <; plain_rows VIEW_FILTERS_MORE NOT n IS NULL; some_kinds VIEW_FILTERS_MORE kind <> 'c'
