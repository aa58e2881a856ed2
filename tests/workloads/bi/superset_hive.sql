-- Superset with its engine for Hive (`hive://`): grains by from_unixtime, ranges by CAST of microseconds.

--@ case: hours, written as text
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:00:00') AS `__timestamp`, count(*) AS `count`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-08 00:00:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:00:00')
ORDER BY `count` DESC
LIMIT 50000
--@ rewritten

--@ case: minutes by device, which is in the view of minutes alone
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:mm:00') AS `__timestamp`, `device` AS `device`, sum(`bytes`) AS `SUM(bytes)`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-14 10:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-14 11:00:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:mm:00'), `device`
ORDER BY `SUM(bytes)` DESC
LIMIT 10000
--@ rewritten

--@ case: seconds, finer than any view
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:mm:ss') AS `__timestamp`, count(*) AS `count`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-14 10:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-14 10:05:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd HH:mm:ss')
LIMIT 10000
--@ kept: seconds are finer than any view's minutes

--@ case: days, from hours
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, `browser` AS `browser`, sum(`revenue`) AS `revenue`
FROM `web_events`
WHERE `event_time` >= CAST('2024-01-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP) AND `is_bot` = false
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00'), `browser`
ORDER BY `revenue` DESC
LIMIT 50000
--@ rewritten

--@ case: months, from days and hours
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-01 00:00:00') AS `__timestamp`, avg(`duration_ms`) AS `AVG(duration_ms)`
FROM `web_events`
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-01 00:00:00')
LIMIT 50000
--@ rewritten

--@ case: years
SELECT from_unixtime(unix_timestamp(`issued_at`), 'yyyy-01-01 00:00:00') AS `__timestamp`, sum(`amount`) AS `SUM(amount)`, count(*) AS `count`
FROM `invoices`
WHERE `currency` IN ('EUR', 'USD')
GROUP BY from_unixtime(unix_timestamp(`issued_at`), 'yyyy-01-01 00:00:00')
ORDER BY `SUM(amount)` DESC
LIMIT 50000
--@ rewritten

--@ case: quarters, by months back from the first of the month
SELECT date_format(add_months(trunc(`issued_at`, 'MM'), -(month(`issued_at`)-1)%3), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, sum(`amount`) AS `SUM(amount)`
FROM `invoices`
GROUP BY date_format(add_months(trunc(`issued_at`, 'MM'), -(month(`issued_at`)-1)%3), 'yyyy-MM-dd 00:00:00')
ORDER BY `SUM(amount)` DESC
LIMIT 50000
--@ rewritten

--@ case: weeks by a letter that Spark refuses
SELECT date_format(date_sub(`event_time`, CAST(7-from_unixtime(unix_timestamp(`event_time`),'u') as int)), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, count(*) AS `count`
FROM `web_events`
GROUP BY date_format(date_sub(`event_time`, CAST(7-from_unixtime(unix_timestamp(`event_time`),'u') as int)), 'yyyy-MM-dd 00:00:00')
LIMIT 50000
--@ kept: Spark since version 3 refuses the pattern letter u, and the error is the user's

--@ case: a series limit as a join with the top groups
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, `country` AS `country`, count(*) AS `count`
FROM `web_events` JOIN (SELECT `country` AS `country__`, count(*) AS `mme_inner__`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP)
GROUP BY `country`
ORDER BY `mme_inner__` DESC
LIMIT 3) AS `series_limit` ON `country` = `country__`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00'), `country`
ORDER BY `count` DESC
LIMIT 50000
--@ rewritten

--@ case: a big number without groups
SELECT sum(`revenue`) AS `SUM(revenue)`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP) AND `event_type` = 'purchase'
LIMIT 50000
--@ rewritten

--@ case: a virtual dataset
SELECT `device` AS `device`, sum(`events`) AS `SUM(events)`
FROM (SELECT to_date(event_time) AS day, device, country, count(*) AS events FROM web_events WHERE NOT is_bot GROUP BY to_date(event_time), device, country) AS `virtual_table`
WHERE `country` IN ('DE', 'FR', 'US')
GROUP BY `device`
ORDER BY `SUM(events)` DESC
LIMIT 10000
--@ rewritten

--@ case: a virtual dataset of joined rows
SELECT `section` AS `section`, count(*) AS `count`, sum(`revenue`) AS `SUM(revenue)`
FROM (SELECT e.event_time, e.event_type, e.revenue, p.section FROM web_events e JOIN pages p ON e.page_id = p.page_id) AS `virtual_table`
WHERE `event_time` >= CAST('2024-01-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP)
GROUP BY `section`
ORDER BY `count` DESC
LIMIT 1000
--@ rewritten

--@ case: unique visitors of a range of days
SELECT `country` AS `country`, count(DISTINCT `visitor_id`) AS `COUNT_DISTINCT(visitor_id)`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP)
GROUP BY `country`
ORDER BY `COUNT_DISTINCT(visitor_id)` DESC, `country`
LIMIT 100
--@ rewritten

--@ case: values of a filter
SELECT `browser` AS `browser`
FROM `web_events`
GROUP BY `browser`
ORDER BY `browser` ASC
LIMIT 1000
--@ rewritten

--@ case: values of a filter by a column that no view has
SELECT DISTINCT `referrer` AS `referrer`
FROM `web_events`
LIMIT 1000
--@ kept: no view has the referrer

--@ case: samples of a table
SELECT *
FROM `web_events`
LIMIT 1000
--@ kept: no view has all columns of all rows

--@ case: a drill to detail that needs bots' rows
SELECT `event_time` AS `event_time`, `browser` AS `browser`, `bytes` AS `bytes`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-14 10:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-14 12:00:00.000000' AS TIMESTAMP) AND `device` = 'tablet'
LIMIT 1000
--@ kept: rows of events, of which the views hold purchases only

--@ case: an empty text as a filter value, and NULL
SELECT `device` AS `device`, count(*) AS `count`
FROM `web_events`
WHERE (`device` IS NULL OR `device` IN ('', 'mobile'))
GROUP BY `device`
ORDER BY `count` DESC
LIMIT 10000
--@ rewritten

--@ case: a pivot table's rows, having more than a few
SELECT `event_type` AS `event_type`, `device` AS `device`, max(`duration_ms`) AS `MAX(duration_ms)`, min(`duration_ms`) AS `MIN(duration_ms)`
FROM `web_events`
WHERE `is_bot` IN (false)
GROUP BY `event_type`, `device`
HAVING ((count(*) > 20))
ORDER BY `MAX(duration_ms)` DESC
LIMIT 10000
--@ rewritten

--@ case: a custom metric with a condition
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, sum(CASE WHEN event_type = 'purchase' THEN revenue ELSE 0 END) AS `paid`, count(CASE WHEN event_type = 'purchase' THEN 1 END) / count(*) AS `conversion`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00')
LIMIT 50000
--@ rewritten

--@ case: a box plot's median
SELECT `device` AS `device`, percentile_approx(`duration_ms`, 0.5) AS `median`
FROM `web_events`
GROUP BY `device`
LIMIT 10000
--@ kept: asks a median, and no view has the durations

--@ case: LIKE as filter
SELECT `path` AS `path`, count(*) AS `count`
FROM (SELECT * FROM web_events JOIN pages USING (page_id)) AS `virtual_table`
WHERE `path` LIKE '/docs/%'
GROUP BY `path`
ORDER BY `count` DESC, `path`
LIMIT 25
--@ rewritten

--@ case: months of instants as text, with more than a few rows
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-01 00:00:00') AS `__timestamp`, `device` AS `device`, COUNT(*) AS `count` FROM `web_events` WHERE `event_time` >= cast('2024-01-01 00:00:00' AS TIMESTAMP) AND `event_time` < cast('2024-04-01 00:00:00' AS TIMESTAMP) GROUP BY `device`, from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-01 00:00:00') HAVING COUNT(*) > 3 ORDER BY `count` DESC LIMIT 50000
--@ rewritten

--@ case: distinct values of a key by month
SELECT date_trunc('month', `event_time`) AS `__timestamp`, COUNT(DISTINCT `country`) AS `countries` FROM `web_events` GROUP BY date_trunc('month', `event_time`) LIMIT 10000
--@ rewritten

--@ case: a filter by case-insensitive pattern
SELECT `country` AS `country`, SUM(`bytes`) AS `SUM(bytes)` FROM `web_events` WHERE LOWER(`country`) LIKE LOWER('%e%') GROUP BY `country` ORDER BY `SUM(bytes)` DESC LIMIT 100
--@ rewritten

--@ case: a bar chart by two columns, ordered by the metric
SELECT `channel` AS `channel`, `region` AS `region`, SUM(`amount`) AS `SUM(amount)`
FROM (SELECT s.*, c.region
FROM sales s JOIN customers c ON s.customer_id = c.customer_id) AS `virtual_table`
GROUP BY `channel`, `region`
ORDER BY `SUM(amount)` DESC LIMIT 10000
--@ rewritten

--@ case: a big number with its trend by day
SELECT from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00') AS `__timestamp`, COUNT(*) AS `count`
FROM `web_events`
WHERE `event_time` >= CAST('2024-01-01 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-01 00:00:00.000000' AS TIMESTAMP)
GROUP BY from_unixtime(unix_timestamp(`event_time`), 'yyyy-MM-dd 00:00:00') LIMIT 50000
--@ rewritten

--@ case: a bubble chart with three metrics
SELECT `country` AS `country`, SUM(`revenue`) AS `x`, AVG(`duration_ms`) AS `y`, COUNT(*) AS `size`
FROM `web_events`
WHERE `is_bot` = false
GROUP BY `country` LIMIT 1000
--@ rewritten

--@ case: a sunburst of a hierarchy with a range
SELECT `event_type` AS `event_type`, `device` AS `device`, `browser` AS `browser`, sum(`bytes`) AS `SUM(bytes)`
FROM `web_events`
WHERE `event_time` >= '2024-02-01' AND `event_time` < '2024-02-15' AND `browser` IS NOT NULL
GROUP BY `event_type`, `device`, `browser` LIMIT 1000
--@ rewritten

--@ case: contribution as a share of all, through a cross join
SELECT a.`channel`, a.s / b.s AS `% amount`
FROM (SELECT `channel`, SUM(`amount`) AS s
FROM `sales`
GROUP BY `channel`) a CROSS JOIN (SELECT SUM(`amount`) AS s
FROM `sales`) b
--@ rewritten
