-- Redash: what analysts write by hand, with parameters filled in and a limit of its own.

--@ case: a range of dates as parameters
select date(event_time) as day, device, count(*) as events, sum(revenue) as revenue
from web_events
where event_time >= '2024-01-15' and event_time < '2024-02-15'
group by 1, 2
order by 1, 2
LIMIT 1000
--@ rewritten

--@ case: a range of dates by BETWEEN of days
select order_date, sum(amount) as amount
from sales
where order_date between '2023-12-01' and '2023-12-31'
group by order_date
order by order_date
LIMIT 1000
--@ rewritten

--@ case: a range of times by BETWEEN, up to the last second
select event_type, count(*) as events
from web_events
where event_time between '2024-02-01 00:00:00' and '2024-02-07 23:59:59'
group by event_type
LIMIT 1000
--@ rewritten

--@ case: percent of the total by a window
select category, amount, round(100.0 * amount / sum(amount) over (), 2) as percent
from (
  select p.category, sum(s.amount) as amount
  from sales s join products p on s.product_id = p.product_id
  group by p.category
) t
order by amount desc
LIMIT 1000
--@ rewritten

--@ case: year over year by CTEs joined with themselves
with monthly as (
  select trunc(order_date, 'MM') as month, sum(amount) as amount
  from sales
  group by trunc(order_date, 'MM')
)
select cur.month, cur.amount, prev.amount as amount_last_year, (cur.amount - prev.amount) / prev.amount as growth
from monthly cur
left join monthly prev on prev.month = add_months(cur.month, -12)
order by cur.month
LIMIT 1000
--@ rewritten

--@ case: month over month by lag
select month, amount, lag(amount) over (order by month) as previous
from (select date_trunc('month', issued_at) as month, sum(amount) as amount from invoices where status = 'paid' group by 1) t
order by month
LIMIT 1000
--@ rewritten

--@ case: a running total
select day, sum(revenue) over (order by day rows between unbounded preceding and current row) as revenue
from (select to_date(event_time) as day, sum(revenue) as revenue from web_events group by to_date(event_time)) d
order by day
LIMIT 1000
--@ rewritten

--@ case: the best three products of each category
select category, product_name, amount
from (
  select p.category, p.product_name, sum(s.amount) as amount,
    row_number() over (partition by p.category order by sum(s.amount) desc, p.product_name) as place
  from sales s join products p on s.product_id = p.product_id
  group by p.category, p.product_name
) ranked
where place <= 3
order by category, place
LIMIT 1000
--@ rewritten

--@ case: a list of parameters
select country, sum(accounts) as accounts
from (select country, industry, count(*) as accounts from accounts where industry in ('retail','health') group by country, industry) x
group by country
order by accounts desc, country
LIMIT 1000
--@ rewritten

--@ case: a funnel
select
  count(distinct case when event_type = 'view' then visitor_id end) as viewed,
  count(distinct case when event_type = 'purchase' then visitor_id end) as bought
from web_events
LIMIT 1000
--@ kept: the view of distinct visitors does not tell kinds of events apart

--@ case: sessions by gaps of half an hour
select count(*) as sessions
from (
  select visitor_id, event_time, lag(event_time) over (partition by visitor_id order by event_time) as before
  from web_events
) t
where before is null or event_time > before + interval 30 minutes
LIMIT 1000
--@ kept: windows over single events, which no view has

--@ case: customers that have never come back
select count(*) as once
from (select customer_id from sales group by customer_id having count(distinct order_id) = 1) t
LIMIT 1000
--@ rewritten

--@ case: revenue by plan, of events that lasted
select v.plan, count(distinct e.visitor_id) as visitors, sum(e.revenue) as revenue
from web_events e join visitors v on v.visitor_id = e.visitor_id
where e.duration_ms is not null
group by v.plan
LIMIT 1000
--@ kept: filters events by whether they have a duration, which no summary has as a key

--@ case: revenue by plan
select v.plan, count(distinct e.visitor_id) as visitors, sum(e.revenue) as revenue, max(e.event_time) as last_seen
from web_events e join visitors v on v.visitor_id = e.visitor_id
group by v.plan
order by revenue desc
LIMIT 1000
--@ rewritten

--@ case: a dropdown's values
select distinct feature as name, feature as value from feature_usage order by 1
--@ rewritten

--@ case: the busiest days by floating-point seconds
select usage_day, sum(seconds) as seconds from feature_usage group by usage_day order by seconds desc limit 10
--@ kept: the last bits of a floating-point sum would decide which ten days come back

--@ case: the same days without a limit
select usage_day, sum(seconds) as seconds, sum(calls) as calls from feature_usage group by usage_day
--@ rewritten

--@ case: totals as another branch
select region, sum(amount) as amount from sales s join customers c on s.customer_id = c.customer_id group by region
union all
select 'Total' as region, sum(amount) as amount from sales
--@ rewritten

--@ case: a range of times by to_timestamp
select device, count(*) as events
from web_events
where event_time >= to_timestamp('2024-02-01 00:00:00', 'yyyy-MM-dd HH:mm:ss') and event_time < to_timestamp('2024-02-08 00:00:00', 'yyyy-MM-dd HH:mm:ss')
group by device
order by events desc, device
LIMIT 1000
--@ rewritten

--@ case: months of a year as columns
select region,
  sum(case when month(order_date) = 1 then amount else 0 end) as jan,
  sum(case when month(order_date) = 2 then amount else 0 end) as feb,
  sum(case when month(order_date) > 2 then amount else 0 end) as later
from sales s join customers c on c.customer_id = s.customer_id
where year(order_date) = 2023
group by region
order by region
LIMIT 1000
--@ rewritten

--@ case: customers that bought this year and last year
select count(*) as loyal
from (select distinct customer_id from sales where order_date >= '2024-01-01') a
join (select distinct customer_id from sales where order_date >= '2023-01-01' and order_date < '2024-01-01') b on a.customer_id = b.customer_id
LIMIT 1000
--@ rewritten

--@ case: months as columns, by PIVOT
SELECT * FROM (SELECT currency, month(issued_at) AS m, amount FROM invoices WHERE issued_at >= '2024-01-01' AND issued_at < '2025-01-01') PIVOT (sum(amount) FOR m IN (1 AS jan, 2 AS feb, 3 AS mar))
--@ rewritten

--@ case: statuses as columns with two measures
SELECT * FROM (SELECT date_trunc('month', issued_at) AS month, status, amount FROM invoices) PIVOT (sum(amount) AS total, count(*) AS n FOR status IN ('paid' AS paid, 'open' AS open)) ORDER BY month
--@ rewritten

--@ case: with the week before
SELECT cur.d, cur.n, prev.n AS n_before FROM (SELECT to_date(event_time) AS d, count(*) AS n FROM web_events GROUP BY to_date(event_time)) cur LEFT JOIN (SELECT date_add(to_date(event_time), 7) AS d, count(*) AS n FROM web_events GROUP BY date_add(to_date(event_time), 7)) prev ON cur.d = prev.d ORDER BY cur.d
--@ rewritten

--@ case: an approximate percentile
SELECT device, percentile_approx(duration_ms, 0.95) AS p95 FROM web_events GROUP BY device
--@ kept: a percentile of rows

--@ case: shares of a total by a scalar subquery
SELECT channel, sum(amount) AS amount, round(100 * sum(amount) / (SELECT sum(amount) FROM sales), 1) AS pct FROM sales GROUP BY channel ORDER BY amount DESC
--@ rewritten

--@ case: retention by month since first purchase
WITH f AS (SELECT customer_id, min(order_date) AS first_day
FROM sales
GROUP BY customer_id) SELECT trunc(f.first_day, 'MM') AS cohort, CAST(months_between(trunc(s.order_date, 'MM'), trunc(f.first_day, 'MM')) AS INT) AS age, count(DISTINCT s.customer_id) AS customers
FROM sales s JOIN f ON s.customer_id = f.customer_id
GROUP BY 1, 2
--@ rewritten

--@ case: accounts without any usage
SELECT a.account_name FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM feature_usage u WHERE u.account_id = a.account_id)
--@ rewritten

--@ case: moving average of seven days
SELECT d, avg(n) OVER (ORDER BY d ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS mean
FROM (SELECT to_date(event_time) AS d, count(*) AS n
FROM web_events
GROUP BY to_date(event_time)) t
ORDER BY d
--@ rewritten

--@ case: union of two metrics with labels
SELECT 'invoiced' AS what, date_trunc('month', issued_at) AS m, sum(amount) AS v
FROM invoices
GROUP BY 2
UNION ALL SELECT 'paid' AS what, date_trunc('month', issued_at) AS m, sum(amount) AS v
FROM invoices
WHERE status = 'paid'
GROUP BY 2
--@ rewritten

--@ case: the rank of countries in each month
SELECT *
FROM (SELECT date_trunc('month', event_time) AS m, country, count(*) AS n, row_number() OVER (PARTITION BY date_trunc('month', event_time)
ORDER BY count(*) DESC, country) AS r
FROM web_events
GROUP BY date_trunc('month', event_time), country) t
WHERE r <= 3
ORDER BY m, r
--@ rewritten

--@ case: recurring revenue with a filter on plans by IN
SELECT p.tier, sum(s.seats * p.monthly_price) AS mrr
FROM subscriptions s JOIN plans p USING (plan_id)
WHERE s.status IN ('active', 'trial')
GROUP BY p.tier
--@ rewritten

--@ case: share of paid invoices
SELECT date_trunc('quarter', issued_at) AS q, round(100.0 * count(paid_at) / count(*), 1) AS paid_share FROM invoices GROUP BY 1 ORDER BY 1
--@ rewritten
