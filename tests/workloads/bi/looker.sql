-- Looker with its dialect for Spark and Databricks: aliases with a dot, ordinals, DATE_FORMAT of truncations, pivots by ranks.

--@ case: an explore by month, newest first
SELECT
    DATE_FORMAT(DATE_TRUNC('MONTH', sales.order_date), 'yyyy-MM') AS `sales.order_month`,
    COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
GROUP BY 1
ORDER BY 1 DESC
LIMIT 500
--@ rewritten

--@ case: by date and a joined view
SELECT
    TO_DATE(web_events.event_time) AS `web_events.event_date`,
    pages.section AS `pages.section`,
    COUNT(*) AS `web_events.count`
FROM web_events AS web_events
LEFT JOIN pages AS pages ON web_events.page_id = pages.page_id
WHERE ((( web_events.event_time ) >= (TIMESTAMP '2024-01-15 00:00:00') AND ( web_events.event_time ) < (TIMESTAMP '2024-02-15 00:00:00')))
GROUP BY 1, 2
ORDER BY 1 DESC, 2
LIMIT 500
--@ rewritten

--@ case: by hour, as text
SELECT
    DATE_FORMAT(web_events.event_time, 'yyyy-MM-dd HH') AS `web_events.event_hour`,
    web_events.browser AS `web_events.browser`,
    COALESCE(SUM(web_events.bytes), 0) AS `web_events.total_bytes`
FROM web_events AS web_events
GROUP BY 1, 2
ORDER BY 1 DESC, 2
LIMIT 5000
--@ rewritten

--@ case: weeks as text
SELECT
    DATE_FORMAT(DATE_TRUNC('WEEK', sales.order_date), 'yyyy-MM-dd') AS `sales.order_week`,
    COUNT(*) AS `sales.count`
FROM sales AS sales
GROUP BY DATE_FORMAT(DATE_TRUNC('WEEK', sales.order_date), 'yyyy-MM-dd')
ORDER BY `sales.order_week` DESC
LIMIT 500
--@ rewritten

--@ case: the last 30 days, complete or not
SELECT
    TO_DATE(web_events.event_time) AS `web_events.event_date`,
    COALESCE(SUM(web_events.revenue), 0) AS `web_events.revenue`
FROM web_events AS web_events
WHERE ((( web_events.event_time ) >= ((DATE_TRUNC('DAY', CURRENT_TIMESTAMP()) - INTERVAL 29 DAYS)) AND ( web_events.event_time ) < ((DATE_TRUNC('DAY', CURRENT_TIMESTAMP()) + INTERVAL 1 DAYS))))
GROUP BY 1
ORDER BY 1 DESC
LIMIT 500
--@ rewritten

--@ case: this month so far
SELECT COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
WHERE sales.order_date >= TRUNC(CURRENT_DATE(), 'MM') AND sales.order_date < ADD_MONTHS(TRUNC(CURRENT_DATE(), 'MM'), 1)
LIMIT 500
--@ rewritten

--@ case: an hour ago until now
SELECT COUNT(*) AS `web_events.count`
FROM web_events AS web_events
WHERE web_events.event_time >= CURRENT_TIMESTAMP() - INTERVAL 24 HOURS
LIMIT 500
--@ rewritten

--@ case: a measure with a filter
SELECT
    customers.region AS `customers.region`,
    COALESCE(SUM(CASE WHEN (sales.channel = 'online') THEN sales.amount ELSE NULL END), 0) AS `sales.online_amount`,
    COUNT(CASE WHEN (products.category = 'Books') THEN 1 ELSE NULL END) AS `sales.book_lines`
FROM sales AS sales
LEFT JOIN customers AS customers ON sales.customer_id = customers.customer_id
LEFT JOIN products AS products ON sales.product_id = products.product_id
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500
--@ rewritten

--@ case: a distinct count with a filter
SELECT
    COUNT(DISTINCT CASE WHEN (sales.channel = 'online') THEN sales.order_id ELSE NULL END) AS `sales.online_orders`,
    COUNT(DISTINCT sales.customer_id) AS `sales.customers`
FROM sales AS sales
WHERE sales.order_date >= DATE '2023-06-01'
LIMIT 500
--@ rewritten

--@ case: a pivot by ranks of columns and rows
SELECT * FROM (
SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) AS z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank) AS z__pivot_col_ordering FROM (
SELECT *, MIN(z___rank) OVER (PARTITION BY `sales.order_year`) AS z___min_rank FROM (
SELECT *, RANK() OVER (ORDER BY `sales.order_year` DESC, z__pivot_col_rank) AS z___rank FROM (
SELECT *, DENSE_RANK() OVER (ORDER BY CASE WHEN `products.category` IS NULL THEN 1 ELSE 0 END, `products.category`) AS z__pivot_col_rank FROM (
SELECT
    products.category AS `products.category`,
    YEAR(sales.order_date) AS `sales.order_year`,
    COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
LEFT JOIN products AS products ON sales.product_id = products.product_id
GROUP BY 1, 2) ww
) bb WHERE z__pivot_col_rank <= 16384
) aa
) xx
) zz
WHERE (z__pivot_col_rank <= 50 OR z__pivot_col_ordering = 1) AND (z___pivot_row_rank <= 500) ORDER BY z___pivot_row_rank
--@ rewritten

--@ case: row totals
SELECT
    products.category AS `products.category`,
    COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
LEFT JOIN products AS products ON sales.product_id = products.product_id
GROUP BY 1
ORDER BY 1
LIMIT 30000
--@ rewritten

--@ case: column totals, without a group
SELECT COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`, COUNT(*) AS `sales.count`
FROM sales AS sales
LEFT JOIN products AS products ON sales.product_id = products.product_id
LIMIT 1
--@ rewritten

--@ case: suggestions of a filter
SELECT DISTINCT sales.channel AS `sales.channel` FROM sales AS sales ORDER BY 1 LIMIT 1000
--@ rewritten

--@ case: suggestions while one types
SELECT products.brand AS `products.brand`
FROM sales AS sales
LEFT JOIN products AS products ON sales.product_id = products.product_id
WHERE (UPPER(products.brand) LIKE UPPER('%a%'))
GROUP BY 1
ORDER BY 1
LIMIT 1000
--@ rewritten

--@ case: a filter that keeps NULL, as 'is not'
SELECT sales.channel AS `sales.channel`, COALESCE(SUM(sales.quantity), 0) AS `sales.units`
FROM sales AS sales
WHERE (sales.channel <> 'store' OR sales.channel IS NULL)
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500
--@ rewritten

--@ case: a filter on a measure
SELECT customers.customer_name AS `customers.name`, COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
LEFT JOIN customers AS customers ON sales.customer_id = customers.customer_id
GROUP BY 1
HAVING COALESCE(SUM(sales.amount), 0) > 1000
ORDER BY 2 DESC, 1
LIMIT 500
--@ rewritten

--@ case: tiers of a number as labels
SELECT
    CASE WHEN sales.discount < 0.1 THEN 'Below 0.1' WHEN sales.discount < 0.3 THEN '0.1 to 0.3' ELSE '0.3 or above' END AS `sales.discount_tier`,
    COUNT(*) AS `sales.count`
FROM sales AS sales
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500
--@ kept: no view has the discount as a key

--@ case: a derived table of facts by customer
WITH customer_facts AS (
  SELECT customer_id, MIN(order_date) AS first_order, COUNT(DISTINCT order_id) AS lifetime_orders, SUM(amount) AS lifetime_amount
  FROM sales
  GROUP BY 1
)
SELECT
    customer_facts.lifetime_orders AS `customer_facts.lifetime_orders`,
    COUNT(*) AS `customer_facts.count`,
    AVG(customer_facts.lifetime_amount) AS `customer_facts.average`
FROM customer_facts
GROUP BY 1
ORDER BY 1
LIMIT 500
--@ rewritten

--@ case: symmetric aggregates of a fanned-out join
SELECT
    accounts.industry AS `accounts.industry`,
    COUNT(DISTINCT accounts.account_id) AS `accounts.count`,
    COALESCE(SUM(invoices.amount), 0) AS `invoices.total_amount`
FROM accounts AS accounts
LEFT JOIN invoices AS invoices ON accounts.account_id = invoices.account_id
GROUP BY 1
ORDER BY 3 DESC
LIMIT 500
--@ rewritten

--@ case: days of another zone
SELECT
    TO_DATE(FROM_UTC_TIMESTAMP(web_events.event_time, 'America/New_York')) AS `web_events.event_date`,
    web_events.device AS `web_events.device`,
    COUNT(*) AS `web_events.count`
FROM web_events AS web_events
GROUP BY 1, 2
ORDER BY 1 DESC, 2
LIMIT 500
--@ rewritten

--@ case: days of a zone of half an hour by a column that hours alone have
SELECT
    TO_DATE(FROM_UTC_TIMESTAMP(web_events.event_time, 'Asia/Kolkata')) AS `web_events.event_date`,
    web_events.browser AS `web_events.browser`,
    COUNT(*) AS `web_events.count`
FROM web_events AS web_events
GROUP BY 1, 2
ORDER BY 1 DESC, 2
LIMIT 500
--@ kept: days of India begin in the middle of the hours that the view has

--@ case: the ninetieth percentile
SELECT
    web_events.device AS `web_events.device`,
    APPROX_PERCENTILE(web_events.duration_ms, 0.9) AS `web_events.p90`
FROM web_events AS web_events
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500
--@ kept: asks a percentile, and no view has the durations

--@ case: percent of the total, in SQL
SELECT
    products.category AS `products.category`,
    SUM(sales.amount) AS `sales.total_amount`,
    100.0 * SUM(sales.amount) / SUM(SUM(sales.amount)) OVER () AS `sales.percent_of_total`
FROM sales AS sales
LEFT JOIN products AS products ON sales.product_id = products.product_id
GROUP BY 1
ORDER BY 2 DESC
LIMIT 500
--@ rewritten

--@ case: this year's quarter against last year's, by a CASE of ranges
SELECT
    CASE WHEN sales.order_date >= DATE '2024-01-01' AND sales.order_date < DATE '2024-04-01' THEN 'This' WHEN sales.order_date >= DATE '2023-01-01' AND sales.order_date < DATE '2023-04-01' THEN 'Last' END AS `sales.period`,
    COALESCE(SUM(sales.amount), 0) AS `sales.total_amount`
FROM sales AS sales
WHERE ((sales.order_date >= DATE '2024-01-01' AND sales.order_date < DATE '2024-04-01') OR (sales.order_date >= DATE '2023-01-01' AND sales.order_date < DATE '2023-04-01'))
GROUP BY 1
ORDER BY 1
LIMIT 500
--@ rewritten

--@ case: quarters as text
SELECT CONCAT(CAST(YEAR(invoices.issued_at) AS STRING), '-Q', CAST(QUARTER(invoices.issued_at) AS STRING)) AS `invoices.issued_quarter`, COALESCE(SUM(invoices.amount), 0) AS `invoices.total` FROM invoices AS invoices GROUP BY 1 ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: a filtered measure beside its total and their ratio
SELECT accounts.industry AS `accounts.industry`, COALESCE(SUM(CASE WHEN (invoices.status = 'paid') THEN invoices.amount ELSE NULL END), 0) AS `paid`, COALESCE(SUM(invoices.amount), 0) AS `all`, 1.0 * COALESCE(SUM(CASE WHEN (invoices.status = 'paid') THEN invoices.amount ELSE NULL END), 0) / NULLIF(COALESCE(SUM(invoices.amount), 0), 0) AS `share` FROM invoices AS invoices INNER JOIN subscriptions AS subscriptions ON invoices.subscription_id = subscriptions.subscription_id INNER JOIN plans AS plans ON subscriptions.plan_id = plans.plan_id INNER JOIN accounts AS accounts ON invoices.account_id = accounts.account_id GROUP BY 1 ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: a yesno as text
SELECT CASE WHEN invoices.status = 'paid' THEN 'Yes' ELSE 'No' END AS `invoices.is_paid`, COUNT(*) AS `invoices.count` FROM invoices AS invoices WHERE ((( invoices.issued_at ) >= (TIMESTAMP('2024-01-01')) AND ( invoices.issued_at ) < (TIMESTAMP('2024-03-01')))) GROUP BY 1 ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: a running total in SQL over a derived table
WITH by_month AS (SELECT DATE_FORMAT(issued_at, 'yyyy-MM') AS m, SUM(amount) AS amount FROM invoices GROUP BY DATE_FORMAT(issued_at, 'yyyy-MM')) SELECT by_month.m, SUM(by_month.amount) OVER (ORDER BY by_month.m) AS running FROM by_month ORDER BY 1 LIMIT 500
--@ rewritten

--@ case: dimension group of week with a filter
SELECT DATE_FORMAT(DATE_ADD('1970-01-05', CAST(FLOOR(DATEDIFF(sales.order_date, '1970-01-05') / 7) * 7 AS INT)), 'yyyy-MM-dd') AS `sales.order_week`, COALESCE(SUM(sales.amount), 0) AS `sales.total`
FROM sales AS sales
WHERE ((sales.order_date >= DATE '2023-01-01'))
GROUP BY 1
ORDER BY 1 DESC LIMIT 500
--@ rewritten

--@ case: a count distinct beside a sum, one view each
SELECT customers.region AS `customers.region`, COUNT(DISTINCT sales.customer_id) AS `sales.customers`, COALESCE(SUM(sales.amount), 0) AS `sales.total`
FROM sales LEFT JOIN customers ON sales.customer_id = customers.customer_id
GROUP BY 1
ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: a yesno of a date comparison
SELECT CASE WHEN sales.ship_date > sales.order_date THEN 'Yes' ELSE 'No' END AS `sales.late`, COUNT(*) AS `sales.count`
FROM sales
GROUP BY 1
ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: a dimension fill by row_number
SELECT *
FROM (SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) AS z___pivot_row_rank
FROM (SELECT *, MIN(z___rank) OVER (PARTITION BY `web_events.device`) AS z___min_rank
FROM (SELECT *, RANK() OVER (ORDER BY `web_events.count` DESC) AS z___rank
FROM (SELECT web_events.device AS `web_events.device`, web_events.country AS `web_events.country`, COUNT(*) AS `web_events.count`
FROM web_events
GROUP BY 1, 2) ww) bb) aa) xx
WHERE z___pivot_row_rank <= 500
--@ rewritten

--@ case: measure of type average on a joined explore
SELECT products.category AS `products.category`, AVG(sales.amount) AS `sales.avg`
FROM sales LEFT JOIN products ON sales.product_id = products.product_id
WHERE products.category <> 'Toys' OR products.category IS NULL
GROUP BY 1
ORDER BY 2 DESC LIMIT 500
--@ rewritten

--@ case: liquid parameter: timeframe month of text
SELECT DATE_FORMAT(TIMESTAMP(DATE_TRUNC('MONTH', invoices.issued_at)), 'yyyy-MM') AS `invoices.month`, COALESCE(SUM(CASE WHEN invoices.status = 'paid' THEN invoices.amount ELSE NULL END), 0) AS `paid`
FROM invoices
GROUP BY 1
--@ rewritten

--@ case: period over period in a derived CASE
SELECT CASE WHEN sales.order_date >= DATE '2023-07-01' AND sales.order_date < DATE '2024-01-01' THEN 'now' WHEN sales.order_date >= DATE '2023-01-01' AND sales.order_date < DATE '2023-07-01' THEN 'before' END AS `period`, SUM(sales.amount) AS `t`
FROM sales
WHERE sales.order_date >= DATE '2023-01-01' AND sales.order_date < DATE '2024-01-01'
GROUP BY 1
--@ rewritten
