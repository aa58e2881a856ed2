-- Tableau with its connectors for Spark and Hive: every column qualified, aliases of its own, top-N and levels of detail by joins.

--@ case: a sum by a column
SELECT `sales`.`channel` AS `channel`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
GROUP BY `sales`.`channel`
--@ rewritten

--@ case: joined tables of a data source, by ordinals
SELECT `products`.`category` AS `category`,
  `customers`.`region` AS `region`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`,
  SUM(`sales`.`quantity`) AS `sum_quantity_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY 1, 2
--@ rewritten

--@ case: related tables, joined left
SELECT `products`.`category` AS `category`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  LEFT JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`category`
--@ rewritten

--@ case: the year as a part
SELECT YEAR(`sales`.`order_date`) AS `yr_order_date_ok`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
GROUP BY YEAR(`sales`.`order_date`)
--@ rewritten

--@ case: year and quarter as parts, a number of rows
SELECT QUARTER(`sales`.`order_date`) AS `qr_order_date_ok`,
  SUM(1) AS `sum_number_of_records_ok`,
  YEAR(`sales`.`order_date`) AS `yr_order_date_ok`
FROM `sales` `sales`
GROUP BY QUARTER(`sales`.`order_date`), YEAR(`sales`.`order_date`)
--@ rewritten

--@ case: the truncated month as a timestamp
SELECT CAST(TRUNC(`sales`.`order_date`, 'MM') AS TIMESTAMP) AS `tmn_order_date_ok`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
WHERE ((`sales`.`order_date` >= CAST('2023-01-01' AS DATE)) AND (`sales`.`order_date` <= CAST('2023-12-31' AS DATE)))
GROUP BY CAST(TRUNC(`sales`.`order_date`, 'MM') AS TIMESTAMP)
--@ rewritten

--@ case: the truncated quarter by adding months to the year
SELECT ADD_MONTHS(TRUNC(`sales`.`order_date`, 'YYYY'), (QUARTER(`sales`.`order_date`) - 1) * 3) AS `tqr_order_date_ok`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
GROUP BY ADD_MONTHS(TRUNC(`sales`.`order_date`, 'YYYY'), (QUARTER(`sales`.`order_date`) - 1) * 3)
--@ rewritten

--@ case: the truncated day of a timestamp
SELECT CAST(`web_events`.`event_time` AS DATE) AS `tdy_event_time_ok`,
  COUNT(1) AS `cnt_event_id_ok`
FROM `web_events` `web_events`
GROUP BY CAST(`web_events`.`event_time` AS DATE)
--@ rewritten

--@ case: weeks from Sunday by the day of the week
SELECT DATE_ADD(CAST(`web_events`.`event_time` AS DATE), 1 - DAYOFWEEK(`web_events`.`event_time`)) AS `twk_event_time_ok`,
  SUM(`web_events`.`revenue`) AS `sum_revenue_ok`
FROM `web_events` `web_events`
GROUP BY DATE_ADD(CAST(`web_events`.`event_time` AS DATE), 1 - DAYOFWEEK(`web_events`.`event_time`))
--@ rewritten

--@ case: the hour of the day by the day of the week
SELECT HOUR(`web_events`.`event_time`) AS `hr_event_time_ok`,
  DAYOFWEEK(`web_events`.`event_time`) AS `wd_event_time_ok`,
  SUM(1) AS `sum_number_of_records_ok`
FROM `web_events` `web_events`
GROUP BY HOUR(`web_events`.`event_time`), DAYOFWEEK(`web_events`.`event_time`)
--@ rewritten

--@ case: distinct customers by region
SELECT `customers`.`region` AS `region`,
  COUNT(DISTINCT `sales`.`customer_id`) AS `ctd_customer_id_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`region`
--@ rewritten

--@ case: distinct orders by month
SELECT TRUNC(`sales`.`order_date`, 'MM') AS `tmn_order_date_ok`,
  COUNT(DISTINCT `sales`.`order_id`) AS `ctd_order_id_ok`
FROM `sales` `sales`
GROUP BY TRUNC(`sales`.`order_date`, 'MM')
--@ rewritten

--@ case: distinct orders by category
SELECT `products`.`category` AS `category`,
  COUNT(DISTINCT `sales`.`order_id`) AS `ctd_order_id_ok`
FROM `sales` `sales`
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`category`
--@ kept: no view has orders by product

--@ case: top ten by a join with the ten
SELECT `products`.`product_name` AS `product_name`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
  JOIN (
  SELECT `products`.`product_name` AS `product_name`,
    SUM(`sales`.`amount`) AS `$__alias__0`
  FROM `sales` `sales`
    JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
  GROUP BY 1
  ORDER BY `$__alias__0` DESC
  LIMIT 10
) `t0` ON (`products`.`product_name` = `t0`.`product_name`)
GROUP BY `products`.`product_name`
--@ rewritten

--@ case: a fixed level of detail joined to the rows' groups, NULLs made equal
SELECT `t0`.`region` AS `region`,
  SUM(`t1`.`__measure__0`) AS `sum_calculation_ok`
FROM (
  SELECT `customers`.`region` AS `region`, `sales`.`customer_id` AS `customer_id`
  FROM `sales` `sales`
    JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
  GROUP BY 1, 2
) `t0`
  JOIN (
  SELECT `sales`.`customer_id` AS `customer_id`, SUM(`sales`.`amount`) AS `__measure__0`
  FROM `sales` `sales`
  GROUP BY `sales`.`customer_id`
) `t1` ON (`t0`.`customer_id` <=> `t1`.`customer_id`)
GROUP BY `t0`.`region`
--@ rewritten

--@ case: mean of sums by customer: aggregate over aggregate
SELECT AVG(`t0`.`__measure__0`) AS `avg_calculation_ok`,
  `t0`.`segment` AS `segment`
FROM (
  SELECT `customers`.`segment` AS `segment`, `sales`.`customer_id` AS `customer_id`, SUM(`sales`.`amount`) AS `__measure__0`
  FROM `sales` `sales`
    JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
  GROUP BY 1, 2
) `t0`
GROUP BY `t0`.`segment`
--@ rewritten

--@ case: the first order of each customer as a cohort
SELECT TRUNC(`t0`.`__measure__1`, 'YYYY') AS `yr_cohort_ok`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  JOIN (
  SELECT `sales`.`customer_id` AS `customer_id`, MIN(`sales`.`order_date`) AS `__measure__1`
  FROM `sales` `sales`
  GROUP BY `sales`.`customer_id`
) `t0` ON (`sales`.`customer_id` = `t0`.`customer_id`)
GROUP BY TRUNC(`t0`.`__measure__1`, 'YYYY')
--@ rewritten

--@ case: a filter's values
SELECT `products`.`subcategory` AS `subcategory`
FROM `products` `products`
  JOIN `sales` `sales` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`subcategory`
ORDER BY `subcategory` ASC
--@ rewritten

--@ case: the borders of a date filter
SELECT MIN(`sales`.`order_date`) AS `x_lower`,
  MAX(`sales`.`order_date`) AS `x_upper`,
  COUNT(1) AS `x_count`
FROM `sales` `sales`
HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: a total without groups
SELECT SUM(`sales`.`amount`) AS `sum_amount_ok`, SUM(`sales`.`cost`) AS `sum_cost_ok`
FROM `sales` `sales`
WHERE (`sales`.`channel` IN ('online', 'store'))
HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: exclusion that keeps NULL
SELECT `sales`.`channel` AS `channel`, SUM(`sales`.`quantity`) AS `sum_quantity_ok`
FROM `sales` `sales`
WHERE ((NOT (`sales`.`channel` IN ('store'))) OR (`sales`.`channel` IS NULL))
GROUP BY `sales`.`channel`
--@ rewritten

--@ case: a group of members as a CASE
SELECT (CASE WHEN (`customers`.`region` IN ('North', 'South')) THEN 'Home' ELSE `customers`.`region` END) AS `region__group_`,
  SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY (CASE WHEN (`customers`.`region` IN ('North', 'South')) THEN 'Home' ELSE `customers`.`region` END)
--@ rewritten

--@ case: a calculated profit ratio
SELECT `products`.`subcategory` AS `subcategory`,
  (SUM((`sales`.`amount` - `sales`.`cost`)) / SUM(`sales`.`amount`)) AS `usr_profit_ratio_ok`
FROM `sales` `sales`
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`subcategory`
--@ rewritten

--@ case: the days that shipping takes
SELECT DATEDIFF(`sales`.`ship_date`, `sales`.`order_date`) AS `days_to_ship`,
  SUM(1) AS `sum_number_of_records_ok`
FROM `sales` `sales`
GROUP BY DATEDIFF(`sales`.`ship_date`, `sales`.`order_date`)
--@ rewritten

--@ case: mean of a row's calculation over a view's keys
SELECT AVG(DATEDIFF(`sales`.`ship_date`, `sales`.`order_date`)) AS `avg_days_ok`
FROM `sales` `sales`
WHERE (`sales`.`returned` = FALSE)
HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: an aggregate filter
SELECT `customers`.`customer_name` AS `customer_name`, SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`customer_name`
HAVING (SUM(`sales`.`amount`) >= 2000)
--@ rewritten

--@ case: a map of cities
SELECT `customers`.`city` AS `city`, SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`city`
--@ rewritten

--@ case: the median of amounts
SELECT `products`.`category` AS `category`, PERCENTILE(`sales`.`amount`, 0.5) AS `med_amount_ok`
FROM `sales` `sales`
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`category`
--@ kept: asks a median at a coarser grain

--@ case: a standard deviation
SELECT `sales`.`channel` AS `channel`, STDDEV_SAMP(`sales`.`amount`) AS `std_amount_ok`
FROM `sales` `sales`
GROUP BY `sales`.`channel`
--@ kept: no view has the sums of squares that a standard deviation is made of

--@ case: all rows of an extract
SELECT `sales`.`sale_id` AS `sale_id`, `sales`.`amount` AS `amount`, `sales`.`channel` AS `channel`
FROM `sales` `sales`
--@ kept: rows of all channels, of which the views hold the online ones only

--@ case: underlying data of a mark
SELECT `customers`.`customer_name` AS `customer_name`, `products`.`product_name` AS `product_name`, `sales`.`amount` AS `amount`, `sales`.`order_id` AS `order_id`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
WHERE ((`sales`.`channel` = 'online') AND (`customers`.`region` = 'North') AND (YEAR(`sales`.`order_date`) = 2023))
LIMIT 10000
--@ rewritten

--@ case: custom SQL
SELECT `Custom SQL Query`.`region` AS `region`, SUM(`Custom SQL Query`.`amount`) AS `sum_amount_ok`
FROM (
  SELECT c.region, s.order_date, s.amount FROM sales s JOIN customers c ON s.customer_id = c.customer_id WHERE s.order_date >= '2023-01-01'
) `Custom SQL Query`
GROUP BY `Custom SQL Query`.`region`
--@ rewritten

--@ case: the last 30 days, a literal as the sheet's anchor
SELECT `web_events`.`device` AS `device`, SUM(`web_events`.`bytes`) AS `sum_bytes_ok`
FROM `web_events` `web_events`
WHERE ((`web_events`.`event_time` >= CAST('2024-01-17 00:00:00' AS TIMESTAMP)) AND (`web_events`.`event_time` < CAST('2024-02-16 00:00:00' AS TIMESTAMP)))
GROUP BY `web_events`.`device`
--@ rewritten

--@ case: years as a filter, by parts
SELECT MONTH(`sales`.`order_date`) AS `mn_order_date_ok`, SUM(`sales`.`amount`) AS `sum_amount_ok`
FROM `sales` `sales`
WHERE (YEAR(`sales`.`order_date`) IN (2022, 2023))
GROUP BY MONTH(`sales`.`order_date`)
--@ rewritten

--@ case: percent of the total in the source
SELECT `customers`.`segment` AS `segment`,
  SUM(`sales`.`amount`) / SUM(SUM(`sales`.`amount`)) OVER () AS `pct_amount_ok`
FROM `sales` `sales`
  JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`segment`
--@ rewritten

--@ case: a set of members by a condition on their sums
SELECT `products`.`category` AS `category`, SUM(`sales`.`quantity`) AS `sum_quantity_ok`,
  (NOT (`t0`.`brand` IS NULL)) AS `io_brand_nk`
FROM `sales` `sales`
  JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
  LEFT JOIN (
  SELECT `products`.`brand` AS `brand`
  FROM `sales` `sales`
    JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
  GROUP BY 1
  HAVING (SUM(`sales`.`quantity`) > 4000)
) `t0` ON (`products`.`brand` = `t0`.`brand`)
GROUP BY 1, 3
--@ rewritten

--@ case: a sheet without empty marks
SELECT `customers`.`region` AS `region`, SUM(`sales`.`amount`) AS `sum_amount_ok` FROM `sales` `sales` INNER JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`) GROUP BY `customers`.`region` HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: the total under the sheet
SELECT SUM(1) AS `cnt_sales_ok`, SUM(`sales`.`quantity`) AS `sum_quantity_ok` FROM `sales` `sales` HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: the dates between which there is data
SELECT MAX(`sales`.`order_date`) AS `temp_max`, MIN(`sales`.`order_date`) AS `temp_min`, COUNT(1) AS `x_measure` FROM `sales` `sales` HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: NULL as a member of its own
SELECT (CASE WHEN (`sales`.`channel` IS NULL) THEN 'Null' ELSE `sales`.`channel` END) AS `calculation_1`, SUM(`sales`.`amount`) AS `sum_amount_ok` FROM `sales` `sales` GROUP BY (CASE WHEN (`sales`.`channel` IS NULL) THEN 'Null' ELSE `sales`.`channel` END)
--@ rewritten

--@ case: a context filter as a join with its members
SELECT `products`.`category` AS `category`, SUM(`sales`.`quantity`) AS `q` FROM `sales` `sales` INNER JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`) INNER JOIN (SELECT `p`.`category` AS `category` FROM `sales` `s` INNER JOIN `products` `p` ON (`s`.`product_id` = `p`.`product_id`) GROUP BY `p`.`category` HAVING (SUM(`s`.`quantity`) >= 10)) `t0` ON (`products`.`category` = `t0`.`category`) GROUP BY `products`.`category`
--@ rewritten

--@ case: months as parts, by colour
SELECT `customers`.`segment` AS `segment`, MONTH(`sales`.`order_date`) AS `mn_order_date_ok`, YEAR(`sales`.`order_date`) AS `yr_order_date_ok`, SUM((`sales`.`amount` - `sales`.`cost`)) AS `profit` FROM `sales` `sales` LEFT JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`) WHERE (YEAR(`sales`.`order_date`) IN (2023, 2024)) GROUP BY `customers`.`segment`, MONTH(`sales`.`order_date`), YEAR(`sales`.`order_date`)
--@ rewritten

--@ case: the mean of whole numbers
SELECT `sales`.`channel` AS `channel`, AVG(CAST(`sales`.`quantity` AS DOUBLE)) AS `avg_quantity_ok` FROM `sales` `sales` GROUP BY `sales`.`channel`
--@ rewritten

--@ case: distinct days with sales
SELECT COUNT(DISTINCT `sales`.`order_date`) AS `ctd_order_date_ok` FROM `sales` `sales` HAVING (COUNT(1) > 0)
--@ rewritten

--@ case: the most recent day for each region
SELECT `customers`.`region` AS `region`, MAX(`sales`.`order_date`) AS `max_order_date_ok`
FROM `sales` `sales` JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`region`
--@ rewritten

--@ case: discount weighted by quantity
SELECT `sales`.`channel` AS `channel`, SUM((`sales`.`discount` * `sales`.`quantity`)) AS `sum_calculation_ok`
FROM `sales` `sales`
GROUP BY `sales`.`channel`
--@ kept: AGGREGATE_NOT_IN_VIEW

--@ case: profit with nulls made zero at the sheet
SELECT `products`.`category` AS `category`, (CASE WHEN SUM(`sales`.`amount`) = 0 THEN CAST(NULL AS DOUBLE) ELSE (SUM(`sales`.`amount`) - SUM(`sales`.`cost`)) / SUM(`sales`.`amount`) END) AS `ratio`
FROM `sales` `sales` JOIN `products` `products` ON (`sales`.`product_id` = `products`.`product_id`)
GROUP BY `products`.`category`
--@ rewritten

--@ case: weekday names
SELECT date_format(`sales`.`order_date`, 'EEEE') AS `wd`, SUM(`sales`.`quantity`) AS `q`
FROM `sales` `sales`
GROUP BY date_format(`sales`.`order_date`, 'EEEE')
--@ rewritten

--@ case: the fiscal year from April
SELECT (YEAR(`sales`.`order_date`) + (CASE WHEN MONTH(`sales`.`order_date`) >= 4 THEN 1 ELSE 0 END)) AS `fy`, SUM(`sales`.`amount`) AS `a`
FROM `sales` `sales`
GROUP BY (YEAR(`sales`.`order_date`) + (CASE WHEN MONTH(`sales`.`order_date`) >= 4 THEN 1 ELSE 0 END))
--@ rewritten

--@ case: year over year by a CASE of years
SELECT `customers`.`region` AS `region`, SUM((CASE WHEN (YEAR(`sales`.`order_date`) = 2023) THEN `sales`.`amount` ELSE NULL END)) AS `cy`, SUM((CASE WHEN (YEAR(`sales`.`order_date`) = 2022) THEN `sales`.`amount` ELSE NULL END)) AS `py`
FROM `sales` `sales` JOIN `customers` `customers` ON (`sales`.`customer_id` = `customers`.`customer_id`)
GROUP BY `customers`.`region`
--@ rewritten

--@ case: customers that bought nothing
SELECT COUNT(DISTINCT `customers`.`customer_id`) AS `c`
FROM `customers` `customers` LEFT JOIN `sales` `sales` ON (`customers`.`customer_id` = `sales`.`customer_id`)
WHERE (`sales`.`sale_id` IS NULL)
--@ rewritten

--@ case: relationships: a full join of two facts by month
SELECT COALESCE(t0.`m`, t1.`m`) AS `m`, t0.`a`, t1.`n`
FROM (SELECT DATE_TRUNC('MONTH', `invoices`.`issued_at`) AS `m`, SUM(`invoices`.`amount`) AS `a`
FROM `invoices`
GROUP BY 1) t0 FULL JOIN (SELECT DATE_TRUNC('MONTH', `accounts`.`created_at`) AS `m`, COUNT(1) AS `n`
FROM `accounts`
GROUP BY 1) t1 ON (t0.`m` = t1.`m`)
--@ rewritten

--@ case: a window of percent difference
SELECT t.`m`, (t.`a` - LAG(t.`a`, 1) OVER (ORDER BY t.`m`)) / ABS(LAG(t.`a`, 1) OVER (ORDER BY t.`m`)) AS `d`
FROM (SELECT TRUNC(`sales`.`order_date`, 'MM') AS `m`, SUM(`sales`.`amount`) AS `a`
FROM `sales` `sales`
GROUP BY TRUNC(`sales`.`order_date`, 'MM')) t
--@ rewritten
