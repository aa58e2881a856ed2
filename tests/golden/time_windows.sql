-- window(t, '1 hour'): tumbling windows are buckets of instants, from any buckets that divide them; no row without a time is in one.
--@ schema
CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, country STRING, n BIGINT);
--@ rows
INSERT INTO events VALUES
  (TIMESTAMP '2023-12-31 23:59:59.999999', TIMESTAMP_NTZ '2023-12-31 23:59:59', DATE '2023-12-31', 'de', 1),
  (TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', DATE '2024-01-01', 'us', 2),
  (TIMESTAMP '2024-01-07 10:20:30', TIMESTAMP_NTZ '2024-01-07 10:20:30', DATE '2024-01-07', 'de', 3),
  (TIMESTAMP '2024-01-07 10:29:59.5', TIMESTAMP_NTZ '2024-01-07 10:29:59', DATE '2024-01-07', NULL, 4),
  (TIMESTAMP '2024-02-29 12:34:56.5', TIMESTAMP_NTZ '2024-02-29 12:34:56', DATE '2024-02-29', 'us', 5),
  (TIMESTAMP '1969-12-31 23:30:00', TIMESTAMP_NTZ '1969-12-31 23:30:00', DATE '1969-12-31', 'de', 6),
  (TIMESTAMP '1969-12-31 23:44:59', TIMESTAMP_NTZ '1969-12-31 23:44:59', DATE '1969-12-31', 'de', 7),
  (NULL, NULL, NULL, 'de', 8), (NULL, NULL, NULL, NULL, NULL)
--@ view by_minute
SELECT date_trunc('minute', at) AS m, country, sum(n) AS s FROM events GROUP BY 1, 2
--@ view by_window
SELECT window.start AS begin, window.end AS finish, country, max(n) AS top FROM events GROUP BY window(at, '15 minutes'), country
--@ view by_shifted
SELECT window(at, '1 day', '1 day', '5 hours').start AS d, min(n) AS least FROM events GROUP BY 1
--@ view local_hour
SELECT window(local, '1 hour').start AS h, count(n) AS c FROM events GROUP BY window(local, '1 hour')
--@ view sliding
SELECT window(at, '1 hour', '15 minutes').start AS h, bit_or(n) AS bits FROM events GROUP BY window(at, '1 hour', '15 minutes')

--@ case: from minutes, without the rows that have no time
SELECT window(at, '1 hour').start AS h, sum(n) AS s FROM events GROUP BY window(at, '1 hour')
--@ rewritten using by_minute
SELECT timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600)

--@ case: by its name, with its end
SELECT window.start, window.end, country, sum(n) AS s FROM events GROUP BY window(at, '1 day'), country
--@ rewritten using by_minute
SELECT timestamp_seconds(floor(unix_seconds(v.`m`) / 86400) * 86400) AS start, timestamp_seconds((floor(unix_seconds(v.`m`) / 86400) * 86400) + 86400) AS `end`, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 86400) * 86400), timestamp_seconds((floor(unix_seconds(v.`m`) / 86400) * 86400) + 86400), v.`country`

--@ case: the same window
SELECT window.start, window.end, country, max(n) AS top FROM events GROUP BY window(at, '15 minutes'), country
--@ rewritten using by_window
SELECT v.`begin` AS start, v.`finish` AS `end`, v.`country` AS country, v.`top` AS top FROM lake.demo.by_window__storage AS v

--@ case: a window that the stored one divides
SELECT window.start, max(n) AS top FROM events GROUP BY window(at, '1 hour')
--@ rewritten using by_window
SELECT timestamp_seconds(floor(unix_seconds(v.`begin`) / 3600) * 3600) AS start, max(v.`top`) AS top FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`begin`) / 3600) * 3600)

--@ case: four minutes do not divide fifteen
SELECT window.start, max(n) AS top FROM events GROUP BY window(at, '4 minutes')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(n); by_shifted GROUPING_TOO_COARSE at; by_window GROUPING_TOO_COARSE at; local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: weeks of instants begin on a Thursday
SELECT window.start AS w, max(n) AS top FROM events GROUP BY window(at, '1 week')
--@ rewritten using by_window
SELECT timestamp_seconds(floor(unix_seconds(v.`begin`) / 604800) * 604800) AS w, max(v.`top`) AS top FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds(floor(unix_seconds(v.`begin`) / 604800) * 604800)

--@ case: days that begin at five, from quarters of an hour
SELECT window.start AS d, max(n) AS top FROM events GROUP BY window(at, '1 day', '1 day', '5 hours')
--@ rewritten using by_window
SELECT timestamp_seconds((floor((unix_seconds(v.`begin`) - 18000) / 86400) * 86400) + 18000) AS d, max(v.`top`) AS top FROM lake.demo.by_window__storage AS v GROUP BY timestamp_seconds((floor((unix_seconds(v.`begin`) - 18000) / 86400) * 86400) + 18000)

--@ case: an offset that the stored windows do not divide
SELECT window.start AS d, max(n) AS top FROM events GROUP BY window(at, '1 day', '1 day', '5 minutes')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(n); by_shifted GROUPING_TOO_COARSE at; by_window GROUPING_TOO_COARSE at; local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: the same offset
SELECT window(at, '1 day', '1 day', '5 hours').start AS d, min(n) AS least FROM events GROUP BY window(at, '1 day', '1 day', '5 hours')
--@ rewritten using by_shifted
SELECT v.`d` AS d, v.`least` AS least FROM lake.demo.by_shifted__storage AS v

--@ case: from days that begin at five, no days that begin at midnight
SELECT window(at, '1 day').start AS d, min(n) AS least FROM events GROUP BY window(at, '1 day')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW min(n); by_shifted GROUPING_TOO_COARSE at; by_window AGGREGATE_NOT_IN_VIEW min(n); local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: filters and order by the window
SELECT window.start AS h, sum(n) AS s FROM events WHERE at >= '2024-01-01' GROUP BY window(at, '30 minutes') HAVING window.start < '2024-02-01' ORDER BY window.start
--@ rewritten using by_minute
SELECT timestamp_seconds(floor(unix_seconds(v.`m`) / 1800) * 1800) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE v.`m` >= '2024-01-01' AND NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 1800) * 1800) HAVING timestamp_seconds(floor(unix_seconds(v.`m`) / 1800) * 1800) < '2024-02-01' ORDER BY 1 ASC NULLS FIRST

--@ case: a bucket of the session is answered from windows, of the rows that have a time
SELECT date_trunc('hour', at) AS h, max(n) AS top FROM events WHERE at IS NOT NULL GROUP BY 1
--@ rewritten using by_window
SELECT date_trunc('HOUR', v.`begin`) AS h, max(v.`top`) AS top FROM lake.demo.by_window__storage AS v GROUP BY date_trunc('HOUR', v.`begin`)

--@ case: rows that have no time are in no window
SELECT date_trunc('hour', at) AS h, max(n) AS top FROM events GROUP BY 1
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(n); by_shifted VIEW_FILTERS_MORE NOT at IS NULL; by_window VIEW_FILTERS_MORE NOT at IS NULL; local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: hours of a clock without a zone
SELECT window.start, window.end, count(n) AS c FROM events GROUP BY window(local, '1 day')
--@ rewritten using local_hour
SELECT CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ) AS start, CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ) + INTERVAL '86400' SECOND AS `end`, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ) + INTERVAL '86400' SECOND

--@ case: its weeks are not those of the calendar
SELECT window.start, count(n) AS c FROM events GROUP BY window(local, '1 week')
--@ kept: by_minute UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_shifted UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; by_window UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; local_hour UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP; sliding UNSUPPORTED window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, 1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP

--@ case: a window that slides, from minutes
SELECT window(at, '1 hour', '15 minutes').start AS h, sum(n) AS s FROM events GROUP BY window(at, '1 hour', '15 minutes')
--@ rewritten using by_minute
SELECT timestamp_seconds((floor(unix_seconds(v.`m`) / 900) * 900) - slides_0.back) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v, (SELECT explode(sequence(0, 2700, 900)) AS back) AS slides_0 WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds((floor(unix_seconds(v.`m`) / 900) * 900) - slides_0.back)

--@ case: from windows of its slide, with start, end and the order by them
SELECT window.start, window.end, country, max(n) AS top FROM events GROUP BY window(at, '2 hours', '30 minutes'), country ORDER BY window.start, country
--@ rewritten using by_window
SELECT timestamp_seconds((floor(unix_seconds(v.`begin`) / 1800) * 1800) - slides_0.back) AS start, timestamp_seconds(((floor(unix_seconds(v.`begin`) / 1800) * 1800) + 7200) - slides_0.back) AS `end`, v.`country` AS country, max(v.`top`) AS top FROM lake.demo.by_window__storage AS v, (SELECT explode(sequence(0, 5400, 1800)) AS back) AS slides_0 GROUP BY timestamp_seconds((floor(unix_seconds(v.`begin`) / 1800) * 1800) - slides_0.back), timestamp_seconds(((floor(unix_seconds(v.`begin`) / 1800) * 1800) + 7200) - slides_0.back), v.`country` ORDER BY 1 ASC NULLS FIRST, 3 ASC NULLS FIRST

--@ case: a day that slides by hours and begins at a quarter past
SELECT window.start, sum(n) AS s, sum(n) + 1 AS more FROM events WHERE at >= '2024-01-01' GROUP BY window(at, '1 day', '1 hour', '15 minutes') HAVING sum(n) > 1
--@ rewritten using by_minute
SELECT timestamp_seconds(((floor((unix_seconds(v.`m`) - 900) / 3600) * 3600) + 900) - slides_0.back) AS start, sum(v.`s`) AS s, sum(v.`s`) + 1 AS more FROM lake.demo.by_minute__storage AS v, (SELECT explode(sequence(0, 82800, 3600)) AS back) AS slides_0 WHERE v.`m` >= '2024-01-01' AND NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(((floor((unix_seconds(v.`m`) - 900) / 3600) * 3600) + 900) - slides_0.back) HAVING sum(v.`s`) > 1

--@ case: the whole window that slides
SELECT window, country, sum(n) AS s FROM events GROUP BY window(at, '10 minutes', '5 minutes'), country
--@ rewritten using by_minute
SELECT named_struct('start', timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) - slides_0.back), 'end', timestamp_seconds(((floor(unix_seconds(v.`m`) / 300) * 300) + 600) - slides_0.back)) AS `window`, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v, (SELECT explode(sequence(0, 300, 300)) AS back) AS slides_0 WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) - slides_0.back), timestamp_seconds(((floor(unix_seconds(v.`m`) / 300) * 300) + 600) - slides_0.back), v.`country`

--@ case: a window that slides, and the minutes that are in it
SELECT window.start AS h, date_trunc('minute', at) AS m, sum(n) AS s FROM events GROUP BY window(at, '10 minutes', '5 minutes'), date_trunc('minute', at)
--@ rewritten using by_minute
SELECT timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) - slides_0.back) AS h, v.`m` AS m, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v, (SELECT explode(sequence(0, 300, 300)) AS back) AS slides_0 WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) - slides_0.back), v.`m`

--@ case: rows that are in several windows, grouped by an outer query
SELECT h, sum(n) AS s FROM (SELECT window(at, '1 hour', '20 minutes').start AS h, n FROM events) AS q GROUP BY h
--@ rewritten using by_minute
SELECT timestamp_seconds((floor(unix_seconds(v.`m`) / 1200) * 1200) - slides_0.back) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v, (SELECT explode(sequence(0, 2400, 1200)) AS back) AS slides_0 WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds((floor(unix_seconds(v.`m`) / 1200) * 1200) - slides_0.back)

--@ case: a window that slides over a range that begins within a minute
SELECT window.start AS h, sum(n) AS s FROM events WHERE at >= '2024-01-07 10:20:30' GROUP BY window(at, '1 hour', '15 minutes')
--@ rewritten using by_minute
SELECT v.`c0` AS h, sum(v.`c1`) AS s FROM (SELECT CAST(timestamp_seconds((floor(unix_seconds(v.`m`) / 900) * 900) - slides_0.back) AS timestamp) AS c0, CAST(sum(v.`s`) AS bigint) AS c1 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v, (SELECT explode(sequence(0, 2700, 900)) AS back) AS slides_0 WHERE v.`m` >= CAST('2024-01-07 10:21:00' AS TIMESTAMP) GROUP BY timestamp_seconds((floor(unix_seconds(v.`m`) / 900) * 900) - slides_0.back) UNION ALL SELECT timestamp_seconds((floor(unix_seconds(events_0.at) / 900) * 900) - slides_0.back) AS c0, sum(events_0.n) AS c1 FROM lake.demo.events VERSION AS OF 1000 AS events_0, (SELECT explode(sequence(0, 2700, 900)) AS back) AS slides_0 WHERE events_0.at >= '2024-01-07 10:20:30' AND events_0.at < CAST('2024-01-07 10:21:00' AS TIMESTAMP) GROUP BY timestamp_seconds((floor(unix_seconds(events_0.at) / 900) * 900) - slides_0.back)) AS v GROUP BY v.`c0`

--@ case: a slide that is shorter than the buckets
SELECT window.start AS h, max(n) AS top FROM events GROUP BY window(at, '1 hour', '10 minutes')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(n); by_shifted GROUPING_TOO_COARSE at; by_window GROUPING_TOO_COARSE at; local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: a slide that begins within the buckets
SELECT window.start AS h, max(n) AS top FROM events GROUP BY window(at, '1 hour', '15 minutes', '5 minutes')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW max(n); by_shifted GROUPING_TOO_COARSE at; by_window GROUPING_TOO_COARSE at; local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: a slide that does not divide the length
SELECT window.start AS h, sum(n) AS s FROM events GROUP BY window(at, '1 hour', '25 minutes')
--@ kept: by_minute UNSUPPORTED window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks; by_shifted UNSUPPORTED window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks; by_window UNSUPPORTED window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks; local_hour UNSUPPORTED window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks; sliding UNSUPPORTED window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks

--@ case: a view of windows that slide has rows several times
SELECT bit_or(n) AS bits FROM events WHERE at IS NOT NULL
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW bit_or(n); by_shifted AGGREGATE_NOT_IN_VIEW bit_or(n); by_window AGGREGATE_NOT_IN_VIEW bit_or(n); local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: nor does it answer other windows
SELECT window.start AS h, bit_or(n) AS bits FROM events GROUP BY window(at, '1 hour')
--@ kept: by_minute AGGREGATE_NOT_IN_VIEW bit_or(n); by_shifted GROUPING_TOO_COARSE at; by_window AGGREGATE_NOT_IN_VIEW bit_or(n); local_hour VIEW_FILTERS_MORE NOT local IS NULL; sliding VIEW_UNSUPPORTED window() with a slide shorter than the window is not supported in a view's query or in a subquery: in a view, write a window as long as its slide; in a query, call window() in the outermost SELECT

--@ case: windows that slide on another clock
SELECT window.start AS h, count(n) AS c FROM events GROUP BY window(local, '2 hours', '1 hour')
--@ rewritten using local_hour
SELECT timestampadd(SECOND, -slides_0.back, v.`h`) AS h, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v, (SELECT explode(sequence(0, 3600, 3600)) AS back) AS slides_0 GROUP BY timestampadd(SECOND, -slides_0.back, v.`h`)

--@ case: of windows that slide, the view's own query
SELECT window(at, '1 hour', '15 minutes').start AS h, bit_or(n) AS bits FROM events GROUP BY window(at, '1 hour', '15 minutes')
--@ rewritten using sliding
SELECT v.`h`, v.`bits` FROM lake.demo.sliding__storage AS v

--@ case: a window of a date
SELECT window.start, sum(n) AS s FROM events GROUP BY window(day, '1 day')
--@ kept: by_minute UNSUPPORTED window() of a DATE is not supported; by_shifted UNSUPPORTED window() of a DATE is not supported; by_window UNSUPPORTED window() of a DATE is not supported; local_hour UNSUPPORTED window() of a DATE is not supported; sliding UNSUPPORTED window() of a DATE is not supported

--@ case: two windows
SELECT window(at, '1 hour').start AS h, window(at, '1 day').start AS d, sum(n) AS s FROM events GROUP BY 1, 2
--@ kept: by_minute UNSUPPORTED window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE; by_shifted UNSUPPORTED window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE; by_window UNSUPPORTED window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE; local_hour UNSUPPORTED window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE; sliding UNSUPPORTED window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE

--@ case: a month is no length
SELECT window(at, '1 month').start AS h, sum(n) AS s FROM events GROUP BY 1
--@ kept: by_minute UNSUPPORTED window() takes a duration in seconds, minutes, hours, days or weeks; by_shifted UNSUPPORTED window() takes a duration in seconds, minutes, hours, days or weeks; by_window UNSUPPORTED window() takes a duration in seconds, minutes, hours, days or weeks; local_hour UNSUPPORTED window() takes a duration in seconds, minutes, hours, days or weeks; sliding UNSUPPORTED window() takes a duration in seconds, minutes, hours, days or weeks

--@ case: a derived table, one row each
SELECT h, sum(n) AS s FROM (SELECT window(at, '1 hour').start AS h, n FROM events) AS q GROUP BY h
--@ rewritten using by_minute
SELECT timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600) AS h, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600)

--@ case: the window itself
SELECT window, sum(n) AS s FROM events GROUP BY window(at, '5 minutes')
--@ rewritten using by_minute
SELECT named_struct('start', timestamp_seconds(floor(unix_seconds(v.`m`) / 300) * 300), 'end', timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) + 300)) AS `window`, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 300) * 300), timestamp_seconds((floor(unix_seconds(v.`m`) / 300) * 300) + 300)

--@ case: by its call, under another name, beside its start
SELECT window(at, '1 hour') AS w, window.start, country, sum(n) AS s FROM events GROUP BY window(at, '1 hour'), country
--@ rewritten using by_minute
SELECT named_struct('start', timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600), 'end', timestamp_seconds((floor(unix_seconds(v.`m`) / 3600) * 3600) + 3600)) AS w, timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600) AS start, v.`country` AS country, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v WHERE NOT (v.`m` IS NULL) GROUP BY timestamp_seconds(floor(unix_seconds(v.`m`) / 3600) * 3600), timestamp_seconds((floor(unix_seconds(v.`m`) / 3600) * 3600) + 3600), v.`country`

--@ case: of a time without a zone
SELECT window, count(n) AS c FROM events GROUP BY window(local, '1 day')
--@ rewritten using local_hour
SELECT named_struct('start', CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), 'end', CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ) + INTERVAL '86400' SECOND) AS `window`, coalesce(sum(v.`c`), 0) AS c FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ) + INTERVAL '86400' SECOND

--@ case: the window within an expression
SELECT CAST(window AS STRING) AS w, sum(n) AS s FROM events GROUP BY window(at, '5 minutes')
--@ kept: by_minute UNSUPPORTED the column window is not a column of the tables in FROM: check the name; by_shifted UNSUPPORTED the column window is not a column of the tables in FROM: check the name; by_window UNSUPPORTED the column window is not a column of the tables in FROM: check the name; local_hour UNSUPPORTED the column window is not a column of the tables in FROM: check the name; sliding UNSUPPORTED the column window is not a column of the tables in FROM: check the name
