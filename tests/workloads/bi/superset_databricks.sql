-- Superset with its engine for Databricks and Spark (`databricks://`): grains by date_trunc.

--@ case: days
SELECT date_trunc('day', `event_time`) AS `__timestamp`, count(*) AS `count`
FROM `web_events`
WHERE `event_time` >= CAST('2024-01-16 00:00:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-15 00:00:00.000000' AS TIMESTAMP)
GROUP BY date_trunc('day', `event_time`)
ORDER BY `count` DESC
LIMIT 10000
--@ rewritten

--@ case: weeks from Monday
SELECT date_trunc('week', `event_time`) AS `__timestamp`, `event_type` AS `event_type`, sum(`revenue`) AS `revenue`
FROM `web_events`
GROUP BY date_trunc('week', `event_time`), `event_type`
ORDER BY `revenue` DESC
LIMIT 10000
--@ rewritten

--@ case: weeks from Sunday
SELECT date_trunc('week', `event_time` + interval '1 day') - interval '1 day' AS `__timestamp`, sum(`bytes`) AS `bytes`
FROM `web_events`
GROUP BY date_trunc('week', `event_time` + interval '1 day') - interval '1 day'
LIMIT 10000
--@ rewritten

--@ case: weeks that end on Saturday
SELECT date_trunc('week', `issued_at` + interval '1 day') + interval '5 days' AS `__timestamp`, sum(`amount`) AS `amount`
FROM `invoices`
WHERE `status` != 'void'
GROUP BY date_trunc('week', `issued_at` + interval '1 day') + interval '5 days'
LIMIT 10000
--@ rewritten

--@ case: quarters of a date column
SELECT date_trunc('quarter', `order_date`) AS `__timestamp`, sum(`amount`) AS `sales`
FROM `sales`
WHERE `order_date` >= CAST('2023-01-01' AS DATE) AND `order_date` < CAST('2024-01-01' AS DATE)
GROUP BY date_trunc('quarter', `order_date`)
LIMIT 10000
--@ rewritten

--@ case: seconds
SELECT date_trunc('second', `event_time`) AS `__timestamp`, count(*) AS `count`
FROM `web_events`
GROUP BY date_trunc('second', `event_time`)
LIMIT 10000
--@ kept: seconds are finer than any view's minutes

--@ case: a range within an hour, whole minutes
SELECT date_trunc('minute', `event_time`) AS `__timestamp`, `event_type` AS `event_type`, max(`event_time`) AS `last`
FROM `web_events`
WHERE `event_time` >= CAST('2024-02-14 09:15:00.000000' AS TIMESTAMP) AND `event_time` < CAST('2024-02-14 09:45:00.000000' AS TIMESTAMP)
GROUP BY date_trunc('minute', `event_time`), `event_type`
LIMIT 10000
--@ rewritten

--@ case: time comparison, shifted by a year
SELECT date_trunc('month', `order_date`) AS `__timestamp`, `channel` AS `channel`, sum(`amount`) AS `sales`
FROM `sales`
WHERE `order_date` >= CAST('2023-02-01' AS DATE) AND `order_date` < CAST('2023-03-01' AS DATE) AND `channel` IS NOT NULL
GROUP BY date_trunc('month', `order_date`), `channel`
ORDER BY `sales` DESC
LIMIT 10000
--@ rewritten

--@ case: series limit by a subquery in a derived table, the others summed up
SELECT CASE WHEN `category` IN ('Furniture', 'Books') THEN `category` ELSE 'Others' END AS `category`, sum(`amount`) AS `sales`
FROM (SELECT s.*, p.category FROM sales s JOIN products p ON s.product_id = p.product_id) AS `virtual_table`
GROUP BY CASE WHEN `category` IN ('Furniture', 'Books') THEN `category` ELSE 'Others' END
ORDER BY `sales` DESC
LIMIT 10000
--@ rewritten

--@ case: boolean filters by equality
SELECT `country` AS `country`, count(*) AS `count`
FROM `web_events`
WHERE `is_bot` = true
GROUP BY `country`
ORDER BY `count` DESC, `country`
LIMIT 250
--@ rewritten

--@ case: number of rows of a page of results
SELECT count(*) AS `rowcount`
FROM (SELECT `country` AS `country`, `device` AS `device`, count(*) AS `count`
FROM `web_events`
GROUP BY `country`, `device`) AS `rowcount_qry`
LIMIT 1
--@ rewritten

--@ case: ratio of sums in a virtual dataset with a CTE
WITH `__cte` AS (SELECT order_date, category, amount, cost FROM sales JOIN products ON sales.product_id = products.product_id)
SELECT `category` AS `category`, sum(`amount`) / sum(`cost`) AS `markup`
FROM (SELECT * FROM `__cte`) AS `virtual_table`
GROUP BY `category`
LIMIT 10000
--@ rewritten

--@ case: number filters
SELECT `product_name` AS `product_name`, sum(`quantity`) AS `units`
FROM (SELECT p.product_name, s.quantity, s.amount FROM sales s JOIN products p ON s.product_id = p.product_id) AS `virtual_table`
WHERE `quantity` >= 3 AND `quantity` <= 10
GROUP BY `product_name`
ORDER BY `units` DESC, `product_name`
LIMIT 50
--@ kept: filters lines by quantity, which no summary has as a key

--@ case: two metrics, one of them a mean
SELECT `region` AS `region`, avg(`amount`) AS `AVG(amount)`, max(`amount`) AS `MAX(amount)`
FROM (SELECT c.region, s.amount, s.order_date FROM sales s JOIN customers c ON s.customer_id = c.customer_id) AS `virtual_table`
WHERE `order_date` >= CAST('2023-07-01' AS DATE)
GROUP BY `region`
ORDER BY `MAX(amount)` DESC
LIMIT 10000
--@ rewritten

--@ case: histogram of a column
SELECT `amount` AS `amount`
FROM `sales`
WHERE `order_date` >= CAST('2024-01-01' AS DATE)
LIMIT 50000
--@ kept: rows of all channels, of which the views hold the online ones only

--@ case: drill to detail of online sales
SELECT `order_id` AS `order_id`, `customer_id` AS `customer_id`, `amount` AS `amount`
FROM `sales`
WHERE `channel` IN ('online') AND `order_date` >= CAST('2024-02-01' AS DATE) AND `order_date` < CAST('2024-02-15' AS DATE)
LIMIT 5000
--@ rewritten

--@ case: time column of text, by to_timestamp
SELECT date_trunc('day', to_timestamp(`event_time`)) AS `__timestamp`, count(*) AS `count`
FROM `web_events`
GROUP BY date_trunc('day', to_timestamp(`event_time`))
LIMIT 10000
--@ rewritten

--@ case: no time range and no groups, a count of rows with a filter
SELECT count(*) AS `count`
FROM `feature_usage`
WHERE `feature` = 'export'
LIMIT 50000
--@ rewritten

--@ case: a mean of a floating-point column as order
SELECT `feature` AS `feature`, avg(`seconds`) AS `AVG(seconds)`
FROM `feature_usage`
GROUP BY `feature`
ORDER BY `AVG(seconds)` DESC
LIMIT 3
--@ kept: the last bits of a floating-point mean would decide which three rows come back

--@ case: not in, and not null
SELECT `browser` AS `browser`, sum(`revenue`) AS `rev` FROM `web_events` WHERE `country` NOT IN ('de', 'fr') AND `event_type` IS NOT NULL GROUP BY `browser` ORDER BY `rev` DESC LIMIT 1000
--@ rewritten

--@ case: a mean of milliseconds, rounded
SELECT `device`, ROUND(AVG(`duration_ms`), 1) AS `avg_ms` FROM `web_events` GROUP BY `device` ORDER BY `device` LIMIT 1000
--@ rewritten

--@ case: the cheapest and the dearest in one chart
SELECT date_trunc('day', `event_time`) AS `__timestamp`, MIN(`duration_ms`) AS `min`, MAX(`duration_ms`) AS `max` FROM `web_events` WHERE `event_type` = 'view' GROUP BY date_trunc('day', `event_time`) ORDER BY `__timestamp` LIMIT 50000
--@ rewritten

--@ case: a share of bots
SELECT date_trunc('week', `event_time`) AS `__timestamp`, sum(CASE WHEN `is_bot` THEN 1 ELSE 0 END) * 1.0 / count(*) AS `bots` FROM `web_events` GROUP BY date_trunc('week', `event_time`) LIMIT 10000
--@ rewritten

--@ case: an approximate number of visitors
SELECT `country`, approx_count_distinct(`visitor_id`) AS `v` FROM `web_events` GROUP BY `country` LIMIT 1000
--@ kept: a sketch of other values

--@ case: half years
SELECT make_date(year(`order_date`), CASE WHEN month(`order_date`) <= 6 THEN 1 ELSE 7 END, 1) AS `half`, SUM(`amount`) AS `SUM(amount)`
FROM `sales`
GROUP BY make_date(year(`order_date`), CASE WHEN month(`order_date`) <= 6 THEN 1 ELSE 7 END, 1)
--@ rewritten

--@ case: a metric with a CASE over a joined dimension
SELECT date_trunc('MONTH', `order_date`) AS `order_date`, SUM(CASE WHEN `category` = 'Books' THEN `amount` ELSE 0 END) / SUM(`amount`) AS `books_share`
FROM (SELECT s.order_date, s.amount, p.category
FROM sales s LEFT JOIN products p ON s.product_id = p.product_id) AS `virtual_table`
GROUP BY date_trunc('MONTH', `order_date`)
ORDER BY `books_share` DESC LIMIT 1000
--@ rewritten

--@ case: a filter box of max and min times
SELECT MAX(`event_time`) AS `max`, MIN(`event_time`) AS `min` FROM `web_events`
--@ kept: COLUMN_NOT_IN_VIEW

--@ case: a calendar heat map
SELECT date_trunc('DAY', `event_time`) AS `__timestamp`, SUM(`revenue`) AS `SUM(revenue)`
FROM `web_events`
WHERE `event_time` >= TIMESTAMP '2023-12-01' AND `event_time` < TIMESTAMP '2024-03-01' AND `event_type` IN ('purchase')
GROUP BY date_trunc('DAY', `event_time`) LIMIT 50000
--@ rewritten

--@ case: an advanced filter, with parentheses
SELECT `status` AS `status`, SUM(`amount`) AS `SUM(amount)`
FROM `invoices`
WHERE ((currency = 'EUR' OR currency = 'USD')) AND ((`issued_at` >= to_timestamp('2023-01-01 00:00:00') AND `issued_at` < to_timestamp('2024-01-01 00:00:00')))
GROUP BY `status` HAVING ((SUM(amount) > 10)) LIMIT 1000
--@ rewritten

--@ case: a waterfall of months with a NULLIF ratio
SELECT date_trunc('MONTH', `usage_day`) AS `m`, SUM(`calls`) / NULLIF(COUNT(*), 0) AS `calls_per_entry`
FROM `feature_usage`
GROUP BY date_trunc('MONTH', `usage_day`)
ORDER BY `m` ASC
--@ rewritten
