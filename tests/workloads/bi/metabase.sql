-- Metabase with its driver for Spark SQL: the alias t1, texts as hexadecimal digits, grains by date_format and back.

--@ case: count by day
SELECT CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd'), 'yyyy-MM-dd')) AS timestamp) AS `event_time`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
GROUP BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd'), 'yyyy-MM-dd')) AS timestamp)
ORDER BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd'), 'yyyy-MM-dd')) AS timestamp) ASC
--@ rewritten

--@ case: sum by hour
SELECT CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH'), 'yyyy-MM-dd HH')) AS timestamp) AS `event_time`, SUM(`t1`.`revenue`) AS `sum`
FROM `web_events` AS `t1`
WHERE `t1`.`event_time` >= timestamp '2024-02-14 00:00:00.000' AND `t1`.`event_time` < timestamp '2024-02-15 00:00:00.000'
GROUP BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH'), 'yyyy-MM-dd HH')) AS timestamp)
ORDER BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH'), 'yyyy-MM-dd HH')) AS timestamp) ASC
--@ rewritten

--@ case: count by minute
SELECT CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH:mm'), 'yyyy-MM-dd HH:mm')) AS timestamp) AS `event_time`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
WHERE `t1`.`event_time` >= timestamp '2024-02-14 10:00:00.000' AND `t1`.`event_time` < timestamp '2024-02-14 10:30:00.000'
GROUP BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH:mm'), 'yyyy-MM-dd HH:mm')) AS timestamp)
ORDER BY CAST(from_unixtime(unix_timestamp(date_format(CAST(`t1`.`event_time` AS timestamp), 'yyyy-MM-dd HH:mm'), 'yyyy-MM-dd HH:mm')) AS timestamp) ASC
--@ rewritten

--@ case: by month, truncated
SELECT trunc(CAST(`t1`.`order_date` AS timestamp), 'MM') AS `order_date`, SUM(`t1`.`amount`) AS `sum`
FROM `sales` AS `t1`
GROUP BY trunc(CAST(`t1`.`order_date` AS timestamp), 'MM')
ORDER BY trunc(CAST(`t1`.`order_date` AS timestamp), 'MM') ASC
--@ rewritten

--@ case: by quarter
SELECT add_months(trunc(CAST(`t1`.`issued_at` AS timestamp), 'year'), (quarter(CAST(`t1`.`issued_at` AS timestamp)) - 1) * 3) AS `issued_at`, SUM(`t1`.`amount`) AS `sum`, AVG(`t1`.`amount`) AS `avg`
FROM `invoices` AS `t1`
GROUP BY add_months(trunc(CAST(`t1`.`issued_at` AS timestamp), 'year'), (quarter(CAST(`t1`.`issued_at` AS timestamp)) - 1) * 3)
ORDER BY add_months(trunc(CAST(`t1`.`issued_at` AS timestamp), 'year'), (quarter(CAST(`t1`.`issued_at` AS timestamp)) - 1) * 3) ASC
--@ rewritten

--@ case: by year
SELECT trunc(CAST(`t1`.`issued_at` AS timestamp), 'year') AS `issued_at`, COUNT(*) AS `count`
FROM `invoices` AS `t1`
GROUP BY trunc(CAST(`t1`.`issued_at` AS timestamp), 'year')
ORDER BY trunc(CAST(`t1`.`issued_at` AS timestamp), 'year') ASC
--@ rewritten

--@ case: hour of the day
SELECT hour(CAST(`t1`.`event_time` AS timestamp)) AS `event_time`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
GROUP BY hour(CAST(`t1`.`event_time` AS timestamp))
ORDER BY hour(CAST(`t1`.`event_time` AS timestamp)) ASC
--@ rewritten

--@ case: day of the week by a letter that Spark refuses
SELECT CAST(date_format(CAST(`t1`.`event_time` AS timestamp) + interval '1' day, 'u') AS integer) AS `event_time`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
GROUP BY CAST(date_format(CAST(`t1`.`event_time` AS timestamp) + interval '1' day, 'u') AS integer)
ORDER BY CAST(date_format(CAST(`t1`.`event_time` AS timestamp) + interval '1' day, 'u') AS integer) ASC
--@ kept: Spark since version 3 refuses the pattern letter u, and the error is the user's

--@ case: weeks from Sunday, by dayofweek
SELECT date_add(CAST(`t1`.`event_time` AS date), 1 - dayofweek(CAST(`t1`.`event_time` AS timestamp))) AS `event_time`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
WHERE `t1`.`is_bot` = FALSE
GROUP BY date_add(CAST(`t1`.`event_time` AS date), 1 - dayofweek(CAST(`t1`.`event_time` AS timestamp)))
ORDER BY date_add(CAST(`t1`.`event_time` AS date), 1 - dayofweek(CAST(`t1`.`event_time` AS timestamp))) ASC
--@ rewritten

--@ case: a text as hexadecimal digits
SELECT `t1`.`browser` AS `browser`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
WHERE `t1`.`device` = decode(unhex('6d6f62696c65'), 'utf-8')
GROUP BY `t1`.`browser`
ORDER BY `count` DESC, `t1`.`browser` ASC
--@ rewritten

--@ case: several texts as hexadecimal digits
SELECT `t1`.`event_type` AS `event_type`, SUM(`t1`.`bytes`) AS `sum`
FROM `web_events` AS `t1`
WHERE (`t1`.`country` = decode(unhex('4445'), 'utf-8') OR `t1`.`country` = decode(unhex('4652'), 'utf-8'))
GROUP BY `t1`.`event_type`
ORDER BY `t1`.`event_type` ASC
--@ rewritten

--@ case: a joined table
SELECT `Products`.`category` AS `Products__category`, SUM(`t1`.`amount`) AS `sum`
FROM `sales` AS `t1`
LEFT JOIN `products` AS `Products` ON `t1`.`product_id` = `Products`.`product_id`
GROUP BY `Products`.`category`
ORDER BY `Products`.`category` ASC
--@ rewritten

--@ case: the last thirty days
SELECT `t1`.`event_type` AS `event_type`, COUNT(*) AS `count`
FROM `web_events` AS `t1`
WHERE CAST(`t1`.`event_time` AS date) >= CAST(now() + (INTERVAL '-30' day) AS date) AND CAST(`t1`.`event_time` AS date) < CAST(now() AS date)
GROUP BY `t1`.`event_type`
ORDER BY `t1`.`event_type` ASC
--@ rewritten

--@ case: the last month, by instants
SELECT SUM(`t1`.`revenue`) AS `sum`
FROM `web_events` AS `t1`
WHERE `t1`.`event_time` >= to_utc_timestamp('2024-01-01 00:00:00.000', 'Z') AND `t1`.`event_time` < to_utc_timestamp('2024-02-01 00:00:00.000', 'Z')
--@ rewritten

--@ case: distinct values
SELECT `t1`.`device` AS `device`, COUNT(DISTINCT `t1`.`visitor_id`) AS `count`
FROM `web_events` AS `t1`
GROUP BY `t1`.`device`
ORDER BY `t1`.`device` ASC
--@ rewritten

--@ case: a question over a question
SELECT AVG(`source`.`count`) AS `avg`
FROM (
  SELECT CAST(`t1`.`event_time` AS date) AS `event_time`, COUNT(*) AS `count`
  FROM `web_events` AS `t1`
  GROUP BY CAST(`t1`.`event_time` AS date)
) AS `source`
WHERE `source`.`count` > 10
--@ rewritten

--@ case: the rows of a table
SELECT `t1`.`sale_id` AS `sale_id`, `t1`.`order_id` AS `order_id`, `t1`.`order_date` AS `order_date`, `t1`.`discount` AS `discount`
FROM `sales` AS `t1`
LIMIT 2000
--@ kept: rows of all channels, and the view of rows has no discount

--@ case: the second page of rows
SELECT `sale_id`, `amount` FROM (
  SELECT `t1`.`sale_id` AS `sale_id`, `t1`.`amount` AS `amount`, row_number() OVER (ORDER BY `t1`.`sale_id` ASC) AS `__rownum__`
  FROM `sales` AS `t1`
  WHERE `t1`.`channel` = decode(unhex('6f6e6c696e65'), 'utf-8')
) WHERE `__rownum__` > 20 LIMIT 20
--@ rewritten

--@ case: the fields' fingerprint
SELECT COUNT(DISTINCT `t1`.`brand`) AS `count` FROM `products` AS `t1`
--@ kept: products that were never sold are in no view

--@ case: values to choose from
SELECT `t1`.`section` AS `section` FROM `pages` AS `t1` GROUP BY `t1`.`section` ORDER BY `t1`.`section` ASC LIMIT 1000
--@ kept: pages without an event are in no view

--@ case: bins of a number
SELECT floor(`t1`.`amount` / 100) * 100 AS `amount`, COUNT(*) AS `count`
FROM `sales` AS `t1`
GROUP BY floor(`t1`.`amount` / 100) * 100
ORDER BY floor(`t1`.`amount` / 100) * 100 ASC
--@ kept: no view has the amounts of single lines

--@ case: the share of rows with a condition
SELECT `t1`.`currency` AS `currency`, CAST(SUM(CASE WHEN `t1`.`status` = decode(unhex('70616964'), 'utf-8') THEN 1 ELSE 0.0 END) AS double) / COUNT(*) AS `share`
FROM `invoices` AS `t1`
GROUP BY `t1`.`currency`
ORDER BY `t1`.`currency` ASC
--@ rewritten

--@ case: the median
SELECT `t1`.`status` AS `status`, percentile(`t1`.`amount`, 0.5) AS `median`
FROM `invoices` AS `t1`
GROUP BY `t1`.`status`
ORDER BY `t1`.`status` ASC
--@ kept: asks a median at a coarser grain

--@ case: a cumulative sum
SELECT DATE_TRUNC('month', `invoices`.`issued_at`) AS `issued_at`, SUM(SUM(`invoices`.`amount`)) OVER (ORDER BY DATE_TRUNC('month', `invoices`.`issued_at`) ASC ROWS UNBOUNDED PRECEDING) AS `sum` FROM `invoices` GROUP BY DATE_TRUNC('month', `invoices`.`issued_at`) ORDER BY DATE_TRUNC('month', `invoices`.`issued_at`) ASC
--@ rewritten

--@ case: month before by an offset
SELECT `source`.`issued_at` AS `issued_at`, `source`.`sum` AS `sum`, LAG(`source`.`sum`, 1) OVER (ORDER BY `source`.`issued_at` ASC) AS `previous` FROM (SELECT DATE_TRUNC('month', `invoices`.`issued_at`) AS `issued_at`, SUM(`invoices`.`amount`) AS `sum` FROM `invoices` GROUP BY DATE_TRUNC('month', `invoices`.`issued_at`)) AS `source` ORDER BY `issued_at` ASC LIMIT 1048575
--@ rewritten

--@ case: a filter of a summary
SELECT * FROM (SELECT `invoices`.`currency` AS `currency`, SUM(`invoices`.`amount`) AS `sum`, COUNT(*) AS `count` FROM `invoices` GROUP BY `invoices`.`currency`) AS `source` WHERE (`source`.`count` > 2) AND (`source`.`currency` <> 'USD' OR `source`.`currency` IS NULL) LIMIT 2000
--@ rewritten

--@ case: the previous twelve months, whole ones
SELECT DATE_TRUNC('month', `invoices`.`issued_at`) AS `m`, COUNT(*) AS `count` FROM `invoices` WHERE `invoices`.`issued_at` >= DATE_TRUNC('month', TIMESTAMP '2024-02-15 10:20:30' + INTERVAL '-12' MONTH) AND `invoices`.`issued_at` < DATE_TRUNC('month', TIMESTAMP '2024-02-15 10:20:30') GROUP BY DATE_TRUNC('month', `invoices`.`issued_at`) ORDER BY `m` ASC
--@ rewritten

--@ case: a mean of money
SELECT `invoices`.`status` AS `status`, AVG(`invoices`.`amount`) AS `avg` FROM `invoices` GROUP BY `invoices`.`status` ORDER BY `avg` DESC, `status` ASC
--@ rewritten

--@ case: a question by week with a filter on two models
SELECT DATE_TRUNC('week', `source`.`order_date`) AS `order_date`, SUM(`source`.`amount`) AS `sum`
FROM `sales` AS `source` LEFT JOIN `products` AS `Products` ON `source`.`product_id` = `Products`.`product_id`
WHERE (`Products`.`category` = 'Toys') AND (`source`.`channel` = 'online' OR `source`.`channel` = 'store')
GROUP BY DATE_TRUNC('week', `source`.`order_date`)
ORDER BY DATE_TRUNC('week', `source`.`order_date`) ASC
--@ rewritten

--@ case: day of the month
SELECT DAYOFMONTH(`web_events`.`event_time`) AS `event_time`, COUNT(*) AS `count`
FROM `web_events`
GROUP BY DAYOFMONTH(`web_events`.`event_time`)
ORDER BY DAYOFMONTH(`web_events`.`event_time`) ASC
--@ rewritten

--@ case: filter by between dates on a timestamp
SELECT `web_events`.`country` AS `country`, COUNT(*) AS `count`
FROM `web_events`
WHERE (`web_events`.`event_time` >= TIMESTAMP '2024-01-01 00:00:00.000') AND (`web_events`.`event_time` < TIMESTAMP '2024-01-16 00:00:00.000')
GROUP BY `web_events`.`country`
ORDER BY `web_events`.`country` ASC
--@ rewritten

--@ case: count where and distinct where
SELECT SUM(CASE WHEN `web_events`.`event_type` = 'purchase' THEN 1 ELSE 0.0 END) AS `CountIf`, SUM(CASE WHEN `web_events`.`event_type` = 'view' THEN `web_events`.`revenue` ELSE 0.0 END) AS `SumIf`
FROM `web_events`
--@ rewritten

--@ case: custom column of a bucketed label
SELECT CASE WHEN `web_events`.`device` = 'mobile' THEN 'phone' WHEN `web_events`.`device` IS NULL THEN 'unknown' ELSE 'other' END AS `kind`, COUNT(*) AS `count`
FROM `web_events`
GROUP BY CASE WHEN `web_events`.`device` = 'mobile' THEN 'phone' WHEN `web_events`.`device` IS NULL THEN 'unknown' ELSE 'other' END
--@ rewritten

--@ case: is empty and is not empty
SELECT COUNT(*) AS `count` FROM `web_events` WHERE ((`web_events`.`device` IS NULL) OR (`web_events`.`device` = ''))
--@ rewritten

--@ case: a nested question with post-aggregation filter
SELECT `source`.`country` AS `country`, `source`.`count` AS `count`
FROM (SELECT `web_events`.`country` AS `country`, COUNT(*) AS `count`
FROM `web_events`
GROUP BY `web_events`.`country`
ORDER BY `web_events`.`country` ASC) AS `source`
WHERE `source`.`count` > 10 LIMIT 1048575
--@ rewritten

--@ case: a joined question: totals beside accounts
SELECT `accounts`.`industry` AS `industry`, SUM(`Q`.`sum`) AS `sum`
FROM `accounts` LEFT JOIN (SELECT `invoices`.`account_id` AS `account_id`, SUM(`invoices`.`amount`) AS `sum`
FROM `invoices`
GROUP BY `invoices`.`account_id`) AS `Q` ON `accounts`.`account_id` = `Q`.`account_id`
GROUP BY `accounts`.`industry`
ORDER BY `accounts`.`industry` ASC
--@ rewritten
