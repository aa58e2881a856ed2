-- Hue: its editor's samples and dashboards over Hive and Spark.

--@ case: a sample of rows
SELECT * FROM `sales` LIMIT 100
--@ kept: no view has all columns of all rows

--@ case: the number of rows
SELECT count(*) FROM `web_events`
--@ kept: Spark answers it from the table's metadata alone

--@ case: distinct values of a column
SELECT DISTINCT `event_type` FROM `web_events` LIMIT 100
--@ rewritten

--@ case: a facet's counts
SELECT `device` AS `device`, count(*) AS `count` FROM `web_events` GROUP BY `device` ORDER BY `count` DESC, `device` LIMIT 10
--@ rewritten

--@ case: a facet by a second one
SELECT `country`, `browser`, sum(`bytes`) AS `sum_bytes`
FROM `web_events`
WHERE `browser` IS NOT NULL
GROUP BY `country`, `browser`
ORDER BY `sum_bytes` DESC
LIMIT 100
--@ rewritten

--@ case: a timeline by year and month of Hive
SELECT year(order_date) AS y, month(order_date) AS m, sum(amount) AS amount FROM sales GROUP BY year(order_date), month(order_date) ORDER BY y, m
--@ rewritten

--@ case: months as text
SELECT date_format(event_time, 'yyyy-MM') AS month, event_type, count(*) AS events, sum(revenue) AS revenue FROM web_events GROUP BY date_format(event_time, 'yyyy-MM'), event_type
--@ rewritten

--@ case: days as text from the beginning of a timestamp
SELECT substr(cast(event_time AS string), 1, 10) AS day, count(*) AS events FROM web_events GROUP BY substr(cast(event_time AS string), 1, 10)
--@ rewritten

--@ case: rollup with totals
SELECT c.region, p.category, sum(s.amount) AS amount
FROM sales s JOIN customers c ON s.customer_id = c.customer_id JOIN products p ON s.product_id = p.product_id
GROUP BY c.region, p.category WITH ROLLUP
--@ rewritten

--@ case: cube of usage
SELECT feature, country, sum(calls) AS calls
FROM feature_usage u JOIN accounts a ON u.account_id = a.account_id
GROUP BY feature, country WITH CUBE
--@ rewritten

--@ case: an older join in WHERE
SELECT c.segment, sum(s.quantity) FROM sales s, customers c WHERE s.customer_id = c.customer_id AND s.channel = 'store' GROUP BY c.segment
--@ rewritten

--@ case: IN with a subquery
SELECT channel, sum(amount) FROM sales WHERE customer_id IN (SELECT customer_id FROM customers WHERE region = 'West') GROUP BY channel
--@ rewritten

--@ case: unix seconds by division
SELECT floor(unix_timestamp(event_time) / 3600) * 3600 AS hour_seconds, count(*) AS events
FROM web_events GROUP BY floor(unix_timestamp(event_time) / 3600) * 3600
--@ rewritten

--@ case: the newest event
SELECT max(event_time) AS newest, min(to_date(event_time)) AS oldest_day FROM web_events
--@ rewritten

--@ case: a random sample
SELECT product_id, amount FROM sales WHERE rand() < 0.1
--@ kept: a random sample is another one each time

--@ case: a year and a month as text, through unix seconds
SELECT from_unixtime(unix_timestamp(order_date), 'yyyy-MM') AS month, sum(quantity) AS units FROM sales GROUP BY from_unixtime(unix_timestamp(order_date), 'yyyy-MM')
--@ rewritten

--@ case: a view per hour of concatenated parts
SELECT concat(cast(to_date(event_time) AS string), ' ', lpad(cast(hour(event_time) AS string), 2, '0')) AS hour, sum(events) AS events
FROM (SELECT event_time, 1 AS events FROM web_events WHERE event_type = 'click') t
GROUP BY concat(cast(to_date(event_time) AS string), ' ', lpad(cast(hour(event_time) AS string), 2, '0'))
--@ rewritten

--@ case: the busiest hours of the day, by text
SELECT substr(cast(event_time AS string), 12, 2) AS hh, count(1) AS cnt FROM web_events GROUP BY substr(cast(event_time AS string), 12, 2) ORDER BY hh
--@ rewritten

--@ case: groups that are many, sorted by reducers
SELECT country, browser, count(1) AS cnt FROM web_events GROUP BY country, browser HAVING cnt > 2 DISTRIBUTE BY country SORT BY country, cnt
--@ rewritten

--@ case: a date as text between two others
SELECT date_format(event_time, 'yyyy-MM-dd') AS dt, sum(revenue) AS revenue FROM web_events WHERE date_format(event_time, 'yyyy-MM-dd') BETWEEN '2024-01-01' AND '2024-01-31' GROUP BY date_format(event_time, 'yyyy-MM-dd')
--@ rewritten

--@ case: group by all with grouping sets
SELECT region, category, sum(amount) AS amount
FROM sales s JOIN customers c ON s.customer_id = c.customer_id JOIN products p ON s.product_id = p.product_id
GROUP BY region, category GROUPING SETS ((region, category), (region), ())
--@ rewritten

--@ case: weekofyear of a year
SELECT weekofyear(order_date) AS w, sum(quantity) AS q FROM sales WHERE year(order_date) = 2023 GROUP BY weekofyear(order_date)
--@ rewritten

--@ case: days between, by concat of parts
SELECT concat(cast(year(order_date) AS string), '-', lpad(cast(month(order_date) AS string), 2, '0')) AS ym, count(*) AS n
FROM sales
GROUP BY concat(cast(year(order_date) AS string), '-', lpad(cast(month(order_date) AS string), 2, '0'))
--@ rewritten

--@ case: left semi join with the few
SELECT s.channel, sum(s.amount) AS a
FROM sales s LEFT SEMI JOIN (SELECT customer_id
FROM customers
WHERE region = 'North') n ON s.customer_id = n.customer_id
GROUP BY s.channel
--@ rewritten

--@ case: a count of rows with a NULL
SELECT count(*) AS n, count(duration_ms) AS d, count(*) - count(duration_ms) AS missing FROM web_events WHERE event_type = 'view'
--@ rewritten

--@ case: a range of a timestamp by to_date between
SELECT country, sum(revenue) AS r FROM web_events WHERE to_date(event_time) BETWEEN '2024-01-10' AND '2024-01-20' GROUP BY country
--@ rewritten
