-- window(t, '30 minutes') AS w: a view by the whole window answers what a view by its start and end answers.
--@ schema
CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, country STRING, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '2023-12-31 23:59:59.999999', TIMESTAMP_NTZ '2023-12-31 23:59:59', 'de', 1),
  (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', 'us', 2),
  (TIMESTAMP '2024-01-07 10:20:30', TIMESTAMP_NTZ '2024-01-07 10:20:30', 'de', 3),
  (TIMESTAMP '2024-01-07 10:29:59.5', TIMESTAMP_NTZ '2024-01-07 10:29:59', NULL, 4),
  (TIMESTAMP '2024-02-29 12:34:56.5', TIMESTAMP_NTZ '2024-02-29 12:34:56', 'us', 5),
  (TIMESTAMP '1969-12-31 23:30:00', TIMESTAMP_NTZ '1969-12-31 23:30:00', 'de', 6),
  (TIMESTAMP '1969-12-31 23:44:59', TIMESTAMP_NTZ '1969-12-31 23:44:59', 'de', 7),
  (NULL, NULL, 'de', 8), (NULL, NULL, NULL, NULL)
--@ view by_window
SELECT window(at, '30 minutes') AS w, country, sum(n) AS s FROM events GROUP BY 1, 2
--@ view by_local
SELECT window(local, '1 hour') AS w, max(n) AS top FROM events GROUP BY w

--@ case: the same window
SELECT window, country, sum(n) AS s FROM events GROUP BY window(at, '30 minutes'), country
--@ rewritten using by_window
SELECT named_struct('start', v.`viewgate_key_0`, 'end', v.`viewgate_key_1`) AS `window`, v.`country` AS country, v.`s` AS s FROM lake.demo.by_window__storage AS v

--@ case: the same window by its place
SELECT window(at, '30 minutes') AS w, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_window
SELECT named_struct('start', v.`viewgate_key_0`, 'end', v.`viewgate_key_1`) AS w, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY v.`viewgate_key_0`, v.`viewgate_key_1`

--@ case: a longer window by its alias, and a key of the whole list
SELECT window(at, '1 hour') AS w, country, sum(n) AS s FROM events GROUP BY ALL
--@ rewritten using by_window
SELECT named_struct('start', timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600), 'end', timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600) + 3600)) AS w, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600), timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600) + 3600), v.`country`

--@ case: its start and end
SELECT window.start, window.end, sum(n) AS s FROM events GROUP BY window(at, '30 minutes')
--@ rewritten using by_window
SELECT v.`viewgate_key_0` AS start, v.`viewgate_key_1` AS `end`, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY v.`viewgate_key_0`, v.`viewgate_key_1`

--@ case: a longer window
SELECT window.start, sum(n) AS s FROM events GROUP BY window(at, '1 day')
--@ rewritten using by_window
SELECT timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400) AS start, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400)

--@ case: a longer window as a whole
SELECT window, country, sum(n) AS s FROM events GROUP BY window(at, '1 day'), country
--@ rewritten using by_window
SELECT named_struct('start', timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400), 'end', timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400) + 86400)) AS `window`, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400), timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 86400) * 86400) + 86400), v.`country`

--@ case: a window that slides by the stored one
SELECT window.start AS h, window.end, sum(n) AS s FROM events GROUP BY window(at, '2 hours', '30 minutes')
--@ rewritten using by_window
SELECT timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 1800) * 1800) - slides_0.back) AS h, timestamp_seconds(((floor(unix_seconds(v.`viewgate_key_0`) / 1800) * 1800) + 7200) - slides_0.back) AS `end`, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v, (SELECT explode(sequence(0, 5400, 1800)) AS back) AS slides_0 GROUP BY timestamp_seconds((floor(unix_seconds(v.`viewgate_key_0`) / 1800) * 1800) - slides_0.back), timestamp_seconds(((floor(unix_seconds(v.`viewgate_key_0`) / 1800) * 1800) + 7200) - slides_0.back)

--@ case: buckets of the session, of the rows that have a time
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events WHERE at IS NOT NULL GROUP BY 1
--@ rewritten using by_window
SELECT date_trunc('HOUR', v.`viewgate_key_0`) AS h, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY date_trunc('HOUR', v.`viewgate_key_0`)

--@ case: a filter on whole windows
SELECT to_date(at) AS d, sum(n) AS s FROM events WHERE at >= '2024-01-01' AND at < '2024-02-01' GROUP BY to_date(at)
--@ rewritten using by_window
SELECT CAST(v.`viewgate_key_0` AS DATE) AS d, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v WHERE v.`viewgate_key_0` >= '2024-01-01' AND v.`viewgate_key_0` < '2024-02-01' GROUP BY CAST(v.`viewgate_key_0` AS DATE)

--@ case: a range that begins within a window is not divided
SELECT window.start, sum(n) AS s FROM events WHERE at >= '2024-01-07 10:20:00' GROUP BY window(at, '1 hour')
--@ kept: by_local VIEW_FILTERS_MORE NOT local IS NULL; by_window COLUMN_NOT_IN_VIEW at: at >= '2024-01-07 10:20:00' may select a part of one of the view's buckets (1800 s): use finer buckets in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <

--@ case: order and condition by the window
SELECT window.start AS h, sum(n) AS s FROM events GROUP BY window(at, '1 hour') HAVING window.start < '2024-02-01' ORDER BY window.start
--@ rewritten using by_window
SELECT timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600) AS h, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600) HAVING timestamp_seconds(floor(unix_seconds(v.`viewgate_key_0`) / 3600) * 3600) < '2024-02-01' ORDER BY 1 ASC NULLS FIRST

--@ case: a window that the stored one does not divide
SELECT window.start, sum(n) AS s FROM events GROUP BY window(at, '15 minutes')
--@ kept: by_local VIEW_FILTERS_MORE NOT local IS NULL; by_window GROUPING_TOO_COARSE at

--@ case: a window that begins within the stored one
SELECT window.start, sum(n) AS s FROM events GROUP BY window(at, '1 hour', '1 hour', '15 minutes')
--@ kept: by_local VIEW_FILTERS_MORE NOT local IS NULL; by_window GROUPING_TOO_COARSE at

--@ case: a longer window on a clock without a zone
SELECT window.start, max(n) AS top FROM events GROUP BY window(local, '1 day')
--@ rewritten using by_local
SELECT CAST(CAST(v.`viewgate_key_0` AS DATE) AS TIMESTAMP_NTZ) AS start, max(v.`top`) AS top FROM lake.demo.by_local__storage AS v GROUP BY CAST(CAST(v.`viewgate_key_0` AS DATE) AS TIMESTAMP_NTZ)

--@ case: rows that have no time are in no window
SELECT date_trunc('hour', at) AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_local VIEW_FILTERS_MORE NOT local IS NULL; by_window VIEW_FILTERS_MORE NOT at IS NULL

--@ case: a window is one key before WITH ROLLUP
SELECT window(at, '30 minutes') AS w, country, sum(n) AS s FROM events GROUP BY window(at, '30 minutes'), country WITH ROLLUP
--@ rewritten using by_window
SELECT v.`w` AS w, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY GROUPING SETS ((v.`w`, v.`country`), (v.`w`), ())

--@ case: its start and its end are no two keys before WITH ROLLUP
SELECT window.start, window.end, sum(n) AS s FROM events GROUP BY window(at, '30 minutes'), country WITH ROLLUP
--@ kept: by_local UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates; by_window UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates

--@ case: only the end is read before WITH CUBE
SELECT window.end, country, sum(n) AS s FROM events GROUP BY window(at, '30 minutes'), country WITH CUBE
--@ kept: by_local UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates; by_window UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates

--@ case: only the start is read before WITH ROLLUP
SELECT window.start, country, sum(n) AS s FROM events GROUP BY window(at, '30 minutes'), country WITH ROLLUP
--@ rewritten using by_window
SELECT v.`viewgate_key_0` AS start, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_window__storage AS v GROUP BY GROUPING SETS ((v.`viewgate_key_0`, v.`country`), (v.`viewgate_key_0`), ())

--@ case: a field of a grouped struct is no key
SELECT to_date(at) AS d, sum(n) AS s FROM events WHERE at IS NOT NULL GROUP BY named_struct('a', to_date(at))
--@ kept: by_local UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates; by_window UNSUPPORTED the column at is neither grouped nor aggregated: add at to GROUP BY, or use at only in aggregates
