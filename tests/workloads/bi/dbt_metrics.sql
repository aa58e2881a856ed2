-- MetricFlow, which makes dbt's metrics: numbered subqueries, grains by DATE_TRUNC, ratios as DOUBLE, metrics joined by FULL OUTER JOIN.

--@ case: a simple metric by month
SELECT
  metric_time__month
  , SUM(__revenue) AS revenue
FROM (
  SELECT
    DATE_TRUNC('month', order_date) AS metric_time__month
    , amount AS __revenue
  FROM sales sales_src_10000
) subq_2
GROUP BY
  metric_time__month
--@ rewritten

--@ case: a count of rows as a sum of ones
SELECT
  metric_time__day
  , SUM(__events) AS events
FROM (
  SELECT
    DATE_TRUNC('day', event_time) AS metric_time__day
    , 1 AS __events
  FROM web_events web_events_src_10001
) subq_2
GROUP BY
  metric_time__day
--@ rewritten

--@ case: by a dimension of a joined entity
SELECT
  subq_2.metric_time__week AS metric_time__week
  , products_src_10002.category AS product__category
  , SUM(subq_2.__revenue) AS revenue
FROM (
  SELECT
    DATE_TRUNC('week', order_date) AS metric_time__week
    , product_id AS product
    , amount AS __revenue
  FROM sales sales_src_10000
) subq_2
LEFT OUTER JOIN
  products products_src_10002
ON
  subq_2.product = products_src_10002.product_id
GROUP BY
  subq_2.metric_time__week
  , products_src_10002.category
--@ rewritten

--@ case: a ratio of two measures
SELECT
  metric_time__month
  , CAST(cost AS DOUBLE) / CAST(NULLIF(revenue, 0) AS DOUBLE) AS cost_share
FROM (
  SELECT
    metric_time__month
    , SUM(__cost) AS cost
    , SUM(__revenue) AS revenue
  FROM (
    SELECT
      DATE_TRUNC('month', order_date) AS metric_time__month
      , cost AS __cost
      , amount AS __revenue
    FROM sales sales_src_10000
  ) subq_2
  GROUP BY
    metric_time__month
) subq_4
--@ rewritten

--@ case: a ratio with a filter of its own, two facts joined FULL
SELECT
  COALESCE(subq_6.metric_time__day, subq_12.metric_time__day) AS metric_time__day
  , CAST(MAX(subq_6.purchases) AS DOUBLE) / CAST(NULLIF(MAX(subq_12.events), 0) AS DOUBLE) AS conversion_rate
FROM (
  SELECT
    metric_time__day
    , SUM(__events) AS purchases
  FROM (
    SELECT
      DATE_TRUNC('day', event_time) AS metric_time__day
      , event_type AS event__event_type
      , 1 AS __events
    FROM web_events web_events_src_10001
  ) subq_3
  WHERE event__event_type = 'purchase'
  GROUP BY
    metric_time__day
) subq_6
FULL OUTER JOIN (
  SELECT
    DATE_TRUNC('day', event_time) AS metric_time__day
    , SUM(1) AS events
  FROM web_events web_events_src_10001
  GROUP BY
    DATE_TRUNC('day', event_time)
) subq_12
ON
  subq_6.metric_time__day = subq_12.metric_time__day
GROUP BY
  COALESCE(subq_6.metric_time__day, subq_12.metric_time__day)
--@ rewritten

--@ case: a derived metric of one fact
SELECT
  product__category
  , revenue - cost AS profit
FROM (
  SELECT
    products_src_10002.category AS product__category
    , SUM(sales_src_10000.amount) AS revenue
    , SUM(sales_src_10000.cost) AS cost
  FROM sales sales_src_10000
  LEFT OUTER JOIN
    products products_src_10002
  ON
    sales_src_10000.product_id = products_src_10002.product_id
  GROUP BY
    products_src_10002.category
) subq_5
--@ rewritten

--@ case: a metric over the month before, by the time spine
SELECT
  subq_4.metric_time__month AS metric_time__month
  , SUM(subq_2.__revenue) AS revenue_1_month_ago
FROM (
  SELECT
    DATE_TRUNC('month', cal_date) AS metric_time__month
  FROM calendar time_spine_src_10009
  GROUP BY
    DATE_TRUNC('month', cal_date)
) subq_4
INNER JOIN (
  SELECT
    DATE_TRUNC('month', order_date) AS metric_time__month
    , amount AS __revenue
  FROM sales sales_src_10000
) subq_2
ON
  subq_4.metric_time__month - INTERVAL 1 MONTH = subq_2.metric_time__month
GROUP BY
  subq_4.metric_time__month
--@ rewritten

--@ case: a cumulative metric over all time
SELECT
  subq_3.cal_date AS metric_time__day
  , SUM(subq_1.__revenue) AS cumulative_revenue
FROM calendar subq_3
INNER JOIN (
  SELECT
    order_date AS metric_time__day
    , amount AS __revenue
  FROM sales sales_src_10000
) subq_1
ON
  subq_1.metric_time__day <= subq_3.cal_date
WHERE subq_3.cal_date BETWEEN '2024-01-01' AND '2024-01-31'
GROUP BY
  subq_3.cal_date
--@ rewritten

--@ case: a trailing window of seven days
SELECT
  subq_3.cal_date AS metric_time__day
  , COUNT(DISTINCT subq_1.__active_accounts) AS weekly_active_accounts
FROM calendar subq_3
INNER JOIN (
  SELECT
    usage_day AS metric_time__day
    , account_id AS __active_accounts
  FROM feature_usage usage_src_10004
) subq_1
ON
  (subq_1.metric_time__day <= subq_3.cal_date) AND (subq_1.metric_time__day > subq_3.cal_date - INTERVAL 7 DAY)
GROUP BY
  subq_3.cal_date
--@ rewritten

--@ case: distinct accounts by month
SELECT
  DATE_TRUNC('month', usage_day) AS metric_time__month
  , COUNT(DISTINCT account_id) AS active_accounts
FROM feature_usage usage_src_10004
GROUP BY
  DATE_TRUNC('month', usage_day)
--@ rewritten

--@ case: a date part
SELECT
  EXTRACT(quarter FROM order_date) AS metric_time__extract_quarter
  , EXTRACT(year FROM order_date) AS metric_time__extract_year
  , SUM(quantity) AS units
FROM sales sales_src_10000
GROUP BY
  EXTRACT(quarter FROM order_date)
  , EXTRACT(year FROM order_date)
--@ rewritten

--@ case: a metric filled with zeros over the time spine
SELECT
  subq_8.metric_time__day AS metric_time__day
  , COALESCE(subq_5.invoices, 0) AS invoices
FROM (
  SELECT cal_date AS metric_time__day FROM calendar time_spine_src_10009
) subq_8
LEFT OUTER JOIN (
  SELECT
    DATE_TRUNC('day', issued_at) AS metric_time__day
    , COUNT(*) AS invoices
  FROM invoices invoices_src_10005
  GROUP BY
    DATE_TRUNC('day', issued_at)
) subq_5
ON
  subq_8.metric_time__day = subq_5.metric_time__day
--@ rewritten

--@ case: a metric limited and ordered, with a range of time
SELECT
  metric_time__day
  , SUM(__tax) AS tax
FROM (
  SELECT
    DATE_TRUNC('day', issued_at) AS metric_time__day
    , tax AS __tax
  FROM invoices invoices_src_10005
  WHERE DATE_TRUNC('day', issued_at) BETWEEN '2023-06-01' AND '2023-12-31'
) subq_3
GROUP BY
  metric_time__day
ORDER BY metric_time__day DESC
LIMIT 50
--@ rewritten

--@ case: recurring revenue by plan
SELECT
  plan__tier
  , SUM(__mrr) AS mrr
  , SUM(__seats) AS seats
FROM (
  SELECT
    plans_src_10006.tier AS plan__tier
    , subscriptions_src_10007.status AS subscription__status
    , subscriptions_src_10007.seats * plans_src_10006.monthly_price AS __mrr
    , subscriptions_src_10007.seats AS __seats
  FROM subscriptions subscriptions_src_10007
  LEFT OUTER JOIN
    plans plans_src_10006
  ON
    subscriptions_src_10007.plan_id = plans_src_10006.plan_id
) subq_4
WHERE subscription__status = 'active'
GROUP BY
  plan__tier
--@ rewritten

--@ case: subscriptions active on the last day of a window, a measure that does not add up
SELECT
  SUM(subq_2.seats) AS seats
FROM subscriptions subq_2
INNER JOIN (
  SELECT
    account_id
    , MAX(started_on) AS started_on__complete
  FROM subscriptions subscriptions_src_10007
  GROUP BY
    account_id
) subq_3
ON
  subq_2.account_id = subq_3.account_id AND subq_2.started_on = subq_3.started_on__complete
--@ kept: no view has subscriptions by account

--@ case: a percentile
SELECT
  DATE_TRUNC('month', issued_at) AS metric_time__month
  , PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY (amount)) AS median_invoice
FROM invoices invoices_src_10005
GROUP BY
  DATE_TRUNC('month', issued_at)
--@ kept: asks a median at a coarser grain

--@ case: a conversion metric by the first event in a window
SELECT
  COUNT(DISTINCT a.visitor_id) AS converted
FROM web_events a
INNER JOIN web_events b
ON
  a.visitor_id = b.visitor_id AND a.event_time <= b.event_time AND a.event_time > b.event_time - INTERVAL 7 DAY
WHERE a.event_type = 'view' AND b.event_type = 'purchase'
--@ kept: joins single events with each other, of which the views hold the purchases only

--@ case: dimension values
SELECT
  customer__region
FROM (
  SELECT
    region AS customer__region
  FROM customers customers_src_10008
) subq_1
GROUP BY
  customer__region
--@ kept: customers that have never bought are in no view

--@ case: accounts created by country
SELECT
  DATE_TRUNC('quarter', created_at) AS metric_time__quarter
  , country AS account__country
  , COUNT(*) AS new_accounts
FROM accounts accounts_src_10010
WHERE country IS NOT NULL
GROUP BY
  DATE_TRUNC('quarter', created_at)
  , country
--@ rewritten

--@ case: a test of uniqueness
select order_id as unique_field, count(*) as n_records from sales where order_id is not null group by order_id having count(*) > 1
--@ rewritten

--@ case: a test of NULLs, counted
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (select channel from sales where channel is null) dbt_internal_test
--@ rewritten

--@ case: what an incremental model asks first
select coalesce(max(order_date), date '1900-01-01') as latest from sales
--@ rewritten

--@ case: a mean by week
SELECT metric_time__week, AVG(amount) AS average FROM (SELECT DATE_TRUNC('week', order_date) AS metric_time__week, amount FROM sales src_10000) subq_1 GROUP BY metric_time__week
--@ rewritten

--@ case: a metric with a dimension filter by a subquery
SELECT metric_time__month, SUM(__revenue) AS revenue
FROM (SELECT metric_time__month, __revenue
FROM (SELECT c.region AS customer__region, DATE_TRUNC('month', s.order_date) AS metric_time__month, s.amount AS __revenue
FROM sales s LEFT OUTER JOIN customers c ON s.customer_id = c.customer_id) subq_3
WHERE customer__region = 'North') subq_5
GROUP BY metric_time__month
--@ rewritten

--@ case: an offset of a month joined to the spine
SELECT subq_4.metric_time__month AS metric_time__month, SUM(subq_3.__amount) AS amount
FROM (SELECT DISTINCT DATE_TRUNC('month', cal_date) AS metric_time__month
FROM calendar) subq_4 INNER JOIN (SELECT DATE_TRUNC('month', issued_at) AS metric_time__month, amount AS __amount
FROM invoices) subq_3 ON add_months(subq_4.metric_time__month, -1) = subq_3.metric_time__month
GROUP BY subq_4.metric_time__month
--@ rewritten

--@ case: a ratio of two measures of one model by month
SELECT metric_time__month, CAST(amount AS DOUBLE) / CAST(NULLIF(quantity, 0) AS DOUBLE) AS price
FROM (SELECT metric_time__month, SUM(__amount) AS amount, SUM(__quantity) AS quantity
FROM (SELECT DATE_TRUNC('month', order_date) AS metric_time__month, amount AS __amount, quantity AS __quantity
FROM sales) a
GROUP BY metric_time__month) b
--@ rewritten

--@ case: an accepted values test
select count(*) as failures
from (with all_values as (select status as value_field, count(*) as n_records
from invoices
group by status) select *
from all_values
where value_field not in ('paid', 'open', 'void')) dbt_internal_test
--@ rewritten

--@ case: a relationships test
select count(*) as failures
from (with child as (select product_id as from_field
from sales
where product_id is not null), parent as (select product_id as to_field
from products) select from_field
from child left join parent on child.from_field = parent.to_field
where parent.to_field is null) dbt_internal_test
--@ rewritten

--@ case: recency test
select max(date_trunc('day', issued_at)) as most_recent from invoices
--@ rewritten
