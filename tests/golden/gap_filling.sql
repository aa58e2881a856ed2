-- Recipes of docs/time-series.md: gaps filled by a sequence, values carried forward, moving averages, all over views.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP NOT NULL, country STRING, quantity BIGINT, price DECIMAL(10, 2));
--@ rows
INSERT INTO sales VALUES
  (TIMESTAMP '2024-01-01 10:00:00', 'de', 1, 1.50), (TIMESTAMP '2024-01-01 23:59:59.999999', 'us', 2, 2.50),
  (TIMESTAMP '2024-01-03 00:00:00', 'de', 3, NULL), (TIMESTAMP '2024-01-03 12:30:00', 'de', NULL, 4.00),
  (TIMESTAMP '2024-01-06 07:15:00', 'us', 5, 0.10), (TIMESTAMP '2024-01-31 23:00:00', NULL, 6, 3.00),
  (TIMESTAMP '2024-02-01 00:00:00', 'de', 7, 7.00), (TIMESTAMP '2023-12-31 23:59:59', 'de', 8, 8.00),
  (TIMESTAMP '2024-02-14 15:00:00', 'us', 9, 9.00), (TIMESTAMP '2024-02-15 10:20:30', 'us', 10, 9.00)
--@ view by_hour
SELECT date_trunc('hour', order_time) AS hour, country, sum(quantity) AS quantity, avg(price) AS price FROM sales GROUP BY 1, 2

--@ case: days without sales are zero
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT to_date(order_time) AS day, sum(quantity) AS quantity
  FROM sales WHERE order_time >= '2024-01-01' AND order_time < '2024-02-01'
  GROUP BY to_date(order_time)
)
SELECT days.day, coalesce(sold.quantity, 0) AS quantity
FROM days LEFT JOIN sold ON sold.day = days.day
ORDER BY days.day
--@ rewritten using by_hour
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT CAST(v.`hour` AS DATE) AS day, sum(v.`quantity`) AS quantity FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2024-01-01' AND v.`hour` < '2024-02-01' GROUP BY CAST(v.`hour` AS DATE)
)
SELECT days.day, coalesce(sold.quantity, 0) AS quantity
FROM days LEFT JOIN sold ON sold.day = days.day
ORDER BY days.day

--@ case: each country has each day
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-07', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT to_date(order_time) AS day, country, sum(quantity) AS quantity
  FROM sales WHERE order_time >= '2024-01-01' AND order_time < '2024-01-08'
  GROUP BY to_date(order_time), country
), countries AS (
  SELECT DISTINCT country FROM sales WHERE order_time >= '2024-01-01' AND order_time < '2024-01-08'
)
SELECT days.day, countries.country, coalesce(sold.quantity, 0) AS quantity
FROM days CROSS JOIN countries LEFT JOIN sold ON sold.day = days.day AND sold.country <=> countries.country
ORDER BY days.day, countries.country
--@ rewritten using by_hour
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-07', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT CAST(v.`hour` AS DATE) AS day, v.`country` AS country, sum(v.`quantity`) AS quantity FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2024-01-01' AND v.`hour` < '2024-01-08' GROUP BY CAST(v.`hour` AS DATE), v.`country`
), countries AS (
  SELECT v.`country` AS country FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2024-01-01' AND v.`hour` < '2024-01-08' GROUP BY v.`country`
)
SELECT days.day, countries.country, coalesce(sold.quantity, 0) AS quantity
FROM days CROSS JOIN countries LEFT JOIN sold ON sold.day = days.day AND sold.country <=> countries.country
ORDER BY days.day, countries.country

--@ case: the hours of the last day, without the one that is still open
WITH hours AS (
  SELECT explode(sequence(
    date_trunc('hour', now()) - INTERVAL 24 HOURS, date_trunc('hour', now()) - INTERVAL 1 HOUR, INTERVAL 1 HOUR
  )) AS hour
), sold AS (
  SELECT date_trunc('hour', order_time) AS hour, sum(quantity) AS quantity
  FROM sales WHERE order_time >= date_trunc('hour', now()) - INTERVAL 24 HOURS AND order_time < date_trunc('hour', now())
  GROUP BY date_trunc('hour', order_time)
)
SELECT hours.hour, coalesce(sold.quantity, 0) AS quantity
FROM hours LEFT JOIN sold ON sold.hour = hours.hour
ORDER BY hours.hour
--@ rewritten using by_hour
WITH hours AS (
  SELECT explode(sequence(
    date_trunc('hour', now()) - INTERVAL 24 HOURS, date_trunc('hour', now()) - INTERVAL 1 HOUR, INTERVAL 1 HOUR
  )) AS hour
), sold AS (
  SELECT v.`hour` AS hour, sum(v.`quantity`) AS quantity FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= (date_trunc('hour', current_timestamp()) - INTERVAL '24' HOURS) AND v.`hour` < date_trunc('hour', current_timestamp()) GROUP BY v.`hour`
)
SELECT hours.hour, coalesce(sold.quantity, 0) AS quantity
FROM hours LEFT JOIN sold ON sold.hour = hours.hour
ORDER BY hours.hour

--@ case: the last value carried forward
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), priced AS (
  SELECT to_date(order_time) AS day, avg(price) AS price
  FROM sales WHERE order_time >= '2024-01-01' AND order_time < '2024-02-01'
  GROUP BY to_date(order_time)
)
SELECT days.day, last_value(priced.price) IGNORE NULLS OVER (ORDER BY days.day) AS price
FROM days LEFT JOIN priced ON priced.day = days.day
ORDER BY days.day
--@ rewritten using by_hour
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), priced AS (
  SELECT CAST(v.`hour` AS DATE) AS day, CAST((CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) AS price FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2024-01-01' AND v.`hour` < '2024-02-01' GROUP BY CAST(v.`hour` AS DATE)
)
SELECT days.day, last_value(priced.price) IGNORE NULLS OVER (ORDER BY days.day) AS price
FROM days LEFT JOIN priced ON priced.day = days.day
ORDER BY days.day

--@ case: a moving average of seven days, days without sales included
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT to_date(order_time) AS day, sum(quantity) AS quantity
  FROM sales WHERE order_time >= '2024-01-01' AND order_time < '2024-02-01'
  GROUP BY to_date(order_time)
)
SELECT days.day, avg(coalesce(sold.quantity, 0)) OVER (ORDER BY days.day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS average
FROM days LEFT JOIN sold ON sold.day = days.day
ORDER BY days.day
--@ rewritten using by_hour
WITH days AS (
  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
), sold AS (
  SELECT CAST(v.`hour` AS DATE) AS day, sum(v.`quantity`) AS quantity FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2024-01-01' AND v.`hour` < '2024-02-01' GROUP BY CAST(v.`hour` AS DATE)
)
SELECT days.day, avg(coalesce(sold.quantity, 0)) OVER (ORDER BY days.day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS average
FROM days LEFT JOIN sold ON sold.day = days.day
ORDER BY days.day

--@ case: each month beside the same month of the year before
WITH months AS (
  SELECT date_trunc('month', order_time) AS month, sum(quantity) AS quantity
  FROM sales WHERE order_time >= '2023-01-01' AND order_time < '2025-01-01'
  GROUP BY date_trunc('month', order_time)
)
SELECT this.month, this.quantity, last.quantity AS year_before
FROM months AS this LEFT JOIN months AS last ON last.month = add_months(this.month, -12)
WHERE this.month >= '2024-01-01'
ORDER BY this.month
--@ rewritten using by_hour
WITH months AS (
  SELECT date_trunc('MONTH', v.`hour`) AS month, sum(v.`quantity`) AS quantity FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v WHERE v.`hour` >= '2023-01-01' AND v.`hour` < '2025-01-01' GROUP BY date_trunc('MONTH', v.`hour`)
)
SELECT this.month, this.quantity, last.quantity AS year_before
FROM months AS this LEFT JOIN months AS last ON last.month = add_months(this.month, -12)
WHERE this.month >= '2024-01-01'
ORDER BY this.month
