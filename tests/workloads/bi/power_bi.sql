-- Power BI with its connector for Spark, DirectQuery: nested row sets, LEFT joins by relationships, a limit of a million.

--@ case: a column chart over one table
select `rows`.`channel` as `channel`, sum(`rows`.`amount`) as `a0`
from (select `channel`, `amount` from `sales` as `$Table`) as `rows`
group by `channel`
limit 1000001
--@ rewritten

--@ case: by a related table, and no empty marks
select `channel`, `category`, `a0`
from (
  select `rows`.`channel` as `channel`, `rows`.`category` as `category`, sum(`rows`.`amount`) as `a0`
  from (
    select `OTBL`.`channel`, `OTBL`.`amount`, `ITBL`.`category`
    from `sales` as `OTBL`
    left outer join `products` as `ITBL` on (`OTBL`.`product_id` = `ITBL`.`product_id`)
  ) as `rows`
  group by `channel`, `category`
) as `ITBL`
where not `a0` is null
limit 1000001
--@ rewritten

--@ case: by the calendar's month
select `rows`.`cal_year` as `cal_year`, `rows`.`month_name` as `month_name`, sum(`rows`.`amount`) as `a0`
from (
  select `OTBL`.`amount`, `ITBL`.`cal_year`, `ITBL`.`month_name`
  from `sales` as `OTBL`
  inner join `calendar` as `ITBL` on (`OTBL`.`order_date` = `ITBL`.`cal_date`)
) as `rows`
group by `cal_year`, `month_name`
limit 1000001
--@ rewritten

--@ case: a slicer on the calendar's year
select `rows`.`segment` as `segment`, sum(`rows`.`amount`) as `a0`, sum(cast(`rows`.`quantity` as bigint)) as `a1`
from (
  select `OTBL`.`amount`, `OTBL`.`quantity`, `C2`.`segment`
  from `sales` as `OTBL`
  left outer join `customers` as `C2` on (`OTBL`.`customer_id` = `C2`.`customer_id`)
  left outer join `calendar` as `C3` on (`OTBL`.`order_date` = `C3`.`cal_date`)
  where `C3`.`cal_year` = 2023 and not `C3`.`is_holiday`
) as `rows`
group by `segment`
limit 1000001
--@ rewritten

--@ case: a card
select sum(`rows`.`amount`) as `a0` from (select `amount` from `sales` as `$Table`) as `rows`
--@ rewritten

--@ case: a matrix by three tables, groups filtered by two lists
select `rows`.`region` as `region`, `rows`.`category` as `category`, `rows`.`cal_quarter` as `cal_quarter`, sum(`rows`.`amount`) as `a0`, count(1) as `a1`
from (
  select `t0`.`amount`, `t1`.`region`, `t2`.`category`, `t3`.`cal_quarter`
  from `sales` as `t0`
  inner join `customers` as `t1` on (`t0`.`customer_id` = `t1`.`customer_id`)
  inner join `products` as `t2` on (`t0`.`product_id` = `t2`.`product_id`)
  inner join `calendar` as `t3` on (`t0`.`order_date` = `t3`.`cal_date`)
  where (`t1`.`region` in ('North', 'East')) and (`t2`.`category` in ('Books', 'Toys') and `t2`.`category` is not null)
) as `rows`
group by `region`, `category`, `cal_quarter`
limit 1000001
--@ rewritten

--@ case: the matrix's totals by region
select `rows`.`region` as `region`, sum(`rows`.`amount`) as `a0`
from (
  select `t0`.`amount`, `t1`.`region` from `sales` as `t0` inner join `customers` as `t1` on (`t0`.`customer_id` = `t1`.`customer_id`)
) as `rows`
group by `region`
limit 1000001
--@ rewritten

--@ case: top N by the measure, the measure read from the groups
select `product_name`, `a0`
from (
  select `rows`.`product_name` as `product_name`, sum(`rows`.`amount`) as `a0`
  from (
    select `OTBL`.`amount`, `ITBL`.`product_name`
    from `sales` as `OTBL` left outer join `products` as `ITBL` on (`OTBL`.`product_id` = `ITBL`.`product_id`)
  ) as `rows`
  group by `product_name`
) as `ITBL`
where not `a0` is null
order by `a0` desc, `product_name`
limit 1001
--@ rewritten

--@ case: DISTINCTCOUNT, and whether there is a blank
select `rows`.`region` as `region`, count(distinct `rows`.`customer_id`) + max(case when `rows`.`customer_id` is null then 1 else 0 end) as `a0`
from (
  select `t0`.`customer_id`, `t1`.`region` from `sales` as `t0` left outer join `customers` as `t1` on (`t0`.`customer_id` = `t1`.`customer_id`)
) as `rows`
group by `region`
limit 1000001
--@ rewritten

--@ case: DISTINCTCOUNT of orders by category
select `rows`.`category` as `category`, count(distinct `rows`.`order_id`) as `a0`
from (
  select `t0`.`order_id`, `t1`.`category` from `sales` as `t0` left outer join `products` as `t1` on (`t0`.`product_id` = `t1`.`product_id`)
) as `rows`
group by `category`
limit 1000001
--@ kept: no view has orders by product

--@ case: a slicer's values
select `category` from (select distinct `rows`.`category` as `category` from `products` as `rows`) as `_` order by `category` limit 101
--@ kept: products that were never sold are in no view

--@ case: a slicer's values of a fact
select `rows`.`channel` as `channel` from `sales` as `rows` group by `channel` order by `channel` limit 101
--@ rewritten

--@ case: a table visual's rows
select `OTBL`.`order_id`, `OTBL`.`order_date`, `OTBL`.`amount`, `ITBL`.`product_name`
from `sales` as `OTBL`
left outer join `products` as `ITBL` on (`OTBL`.`product_id` = `ITBL`.`product_id`)
where `OTBL`.`order_date` >= cast('2024-02-01' as date)
limit 501
--@ kept: rows of all channels, of which the views hold the online ones only

--@ case: drill through to online sales
select `OTBL`.`order_id`, `OTBL`.`order_date`, `OTBL`.`amount`, `ITBL`.`product_name`
from `sales` as `OTBL`
left outer join `products` as `ITBL` on (`OTBL`.`product_id` = `ITBL`.`product_id`)
where `OTBL`.`channel` = 'online' and `ITBL`.`category` = 'Books'
limit 501
--@ rewritten

--@ case: year to date, a range of days as literals
select sum(`rows`.`amount`) as `a0`, sum(`rows`.`cost`) as `a1`
from (
  select `amount`, `cost` from `sales` as `$Table`
  where `order_date` >= cast('2024-01-01' as date) and `order_date` < cast('2024-02-16' as date)
) as `rows`
--@ rewritten

--@ case: mean as sum and count
select `rows`.`subcategory` as `subcategory`, sum(`rows`.`amount`) as `a0`, count(`rows`.`amount`) as `a1`, min(`rows`.`amount`) as `a2`
from (
  select `OTBL`.`amount`, `ITBL`.`subcategory`
  from `sales` as `OTBL` left outer join `products` as `ITBL` on (`OTBL`.`product_id` = `ITBL`.`product_id`)
) as `rows`
group by `subcategory`
limit 1000001
--@ rewritten

--@ case: a hierarchy of a timestamp, by its day
select cast(`rows`.`event_time` as date) as `c1`, `rows`.`event_type` as `event_type`, count(1) as `a0`
from `web_events` as `rows`
where `rows`.`event_time` >= cast('2024-02-01 00:00:00' as timestamp) and `rows`.`event_time` < cast('2024-02-15 00:00:00' as timestamp)
group by cast(`rows`.`event_time` as date), `rows`.`event_type`
limit 1000001
--@ rewritten

--@ case: a semijoin with picked pairs
select `rows`.`tier` as `tier`, sum(`rows`.`amount`) as `a0`
from (
  select `i`.`amount`, `p`.`tier`, `a`.`country`
  from `invoices` as `i`
  inner join `subscriptions` as `s` on (`i`.`subscription_id` = `s`.`subscription_id`)
  inner join `plans` as `p` on (`s`.`plan_id` = `p`.`plan_id`)
  inner join `accounts` as `a` on (`i`.`account_id` = `a`.`account_id`)
) as `rows`
where (`rows`.`tier` = 'team' and `rows`.`country` = 'DE') or (`rows`.`tier` = 'enterprise' and `rows`.`country` = 'US')
group by `tier`
limit 1000001
--@ rewritten

--@ case: case-insensitive search in a slicer
select `rows`.`account_name` as `account_name` from `accounts` as `rows` where locate('account 1', lower(`rows`.`account_name`)) >= 1 group by `account_name` limit 101
--@ kept: no view has the accounts' names

--@ case: the outer query without blanks
select `C1`, `a0` from (select sum(`t0`.`amount`) as `a0`, `t0`.`channel` as `C1` from (select `order_date`, `channel`, `amount` from `sales`) as `t0` group by `t0`.`channel`) as `ITBL` where not (`a0` is null) limit 1000001
--@ rewritten

--@ case: a slicer that is a list of years
select sum(`t0`.`amount`) as `a0`, `t1`.`cal_year` as `c1` from `sales` as `t0` left outer join `calendar` as `t1` on (`t0`.`order_date` = `t1`.`cal_date`) where (`t1`.`cal_year` = 2024 and `t1`.`cal_year` is not null) group by `t1`.`cal_year` limit 1000001
--@ rewritten

--@ case: several measures of one table
select count(1) as `a0`, sum(cast(`t0`.`quantity` as double)) as `a1`, min(`t0`.`order_date`) as `a2`, max(`t0`.`order_date`) as `a3` from `sales` as `t0` where `t0`.`order_date` >= date '2024-01-01' and `t0`.`order_date` < date '2025-01-01'
--@ rewritten

--@ case: a measure filtered in the visual
select `category`, `a0` from (select `t1`.`category` as `category`, sum(`t0`.`amount`) as `a0` from `sales` as `t0` inner join `products` as `t1` on `t0`.`product_id` = `t1`.`product_id` group by `t1`.`category`) as `q` where `a0` > 100 order by `a0` desc, `category` limit 501
--@ rewritten

--@ case: direct query of a slicer's month and year
select `year`, `month`, sum(`amount`) as `C1`
from (select year(`order_date`) as `year`, month(`order_date`) as `month`, `amount`
from `sales`) as `ITBL`
group by `year`, `month`
order by `year`, `month` limit 1000001
--@ rewritten

--@ case: AVERAGEX over customers
select avg(`a`) as `A0` from (select `customer_id`, sum(`amount`) as `a` from `sales` group by `customer_id`) as `t`
--@ rewritten

--@ case: TOPN with ties by dense_rank
select `category`, `a`
from (select `category`, `a`, dense_rank() over (order by `a` desc) as `r`
from (select p.`category`, sum(s.`amount`) as `a`
from `sales` s left join `products` p on s.`product_id` = p.`product_id`
group by p.`category`) t) u
where `r` <= 2
--@ rewritten

--@ case: the calendar LEFT JOINed by sales of the day
select c.`cal_year`, sum(b.`a`) as `a`
from `calendar` c left join (select `order_date`, sum(`amount`) as `a`
from `sales`
group by `order_date`) b on c.`cal_date` = b.`order_date`
group by c.`cal_year`
--@ rewritten

--@ case: a measure of two filters side by side
select count(case when `status` = 'paid' then 1 end) as `paid`, count(case when `status` <> 'paid' then 1 end) as `open`, sum(`amount`) as `all`
from `invoices`
where `currency` = 'EUR'
--@ rewritten

--@ case: sales of holidays
select sum(s.`amount`) as `a` from `sales` s inner join `calendar` c on s.`order_date` = c.`cal_date` where c.`is_holiday` = true
--@ rewritten

--@ case: blank rows for the visual, a right join of dimension
select p.`category`, sum(s.`amount`) as `a` from `sales` s right join `products` p on s.`product_id` = p.`product_id` group by p.`category`
--@ rewritten

--@ case: count rows of all invoices
select count_big from (select count(*) as count_big from `invoices`) t
--@ rewritten

--@ case: the distinct accounts of active months
select count(distinct `account_id`) as `C1`
from `invoices`
where `issued_at` >= timestamp '2023-01-01 00:00:00' and `issued_at` < timestamp '2023-07-01 00:00:00'
--@ rewritten
