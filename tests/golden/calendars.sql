-- Calendars: a table of dates joined on its day is one of labels, answered from storage by day; ISO, Sunday, fiscal and 4-4-5 calendars.
--@ schema
CREATE TABLE sales (id BIGINT, ts TIMESTAMP, day DATE, region STRING, amount BIGINT);
CREATE TABLE dates (date DATE NOT NULL, year INT, quarter INT, month_name STRING, holiday BOOLEAN, fiscal_year INT, fiscal_quarter STRING, week_begin DATE, month_begin DATE);
CREATE TABLE date_dim (date_key INT NOT NULL, date DATE, year INT, fiscal_quarter STRING);
CREATE TABLE facts (date_key INT, region STRING, amount BIGINT);
ALTER TABLE dates SET TBLPROPERTIES ('viewgate.primary-key' = 'date', 'viewgate.trust-constraints' = 'true');
ALTER TABLE date_dim SET TBLPROPERTIES ('viewgate.primary-key' = 'date_key', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES
  (1, TIMESTAMP '2024-01-01 10:00:00', DATE '2024-01-01', 'eu', 10), (2, TIMESTAMP '2024-01-01 11:00:00', DATE '2024-01-01', 'us', 20),
  (3, TIMESTAMP '2023-12-31 23:59:59.9', DATE '2023-12-31', 'eu', 30), (4, TIMESTAMP '2024-02-05 00:00:00', DATE '2024-02-05', 'eu', 40),
  (5, NULL, NULL, 'eu', 50), (6, TIMESTAMP '2030-02-05 10:00:00', DATE '2030-02-05', NULL, 60),
  (7, TIMESTAMP '2018-01-01 10:00:00', DATE '2018-01-01', 'eu', 70), (8, TIMESTAMP '2018-12-31 10:00:00', DATE '2018-12-31', 'eu', 80);
INSERT INTO dates VALUES
  (DATE '2018-01-01', 2018, 1, 'January', true, 2017, 'FY17Q4', DATE '2018-01-01', DATE '2018-01-01'),
  (DATE '2018-12-31', 2018, 4, 'December', false, 2018, 'FY18Q4', DATE '2018-12-31', DATE '2018-12-01'),
  (DATE '2023-12-31', 2023, 4, 'December', false, 2023, 'FY23Q4', DATE '2023-12-25', DATE '2023-12-01'),
  (DATE '2024-01-01', 2024, 1, 'January', true, 2023, 'FY23Q4', DATE '2024-01-01', DATE '2024-01-01'),
  (DATE '2024-02-05', 2024, 1, 'February', false, 2024, 'FY24Q1', DATE '2024-02-05', DATE '2024-02-01'),
  (DATE '2024-02-06', 2024, 1, NULL, NULL, 2024, 'FY24Q1', DATE '2024-02-05', DATE '2024-02-01');
INSERT INTO date_dim VALUES (20240101, DATE '2024-01-01', 2024, 'FY23Q4'), (20231231, DATE '2023-12-31', 2023, 'FY23Q4'), (20240205, DATE '2024-02-05', 2024, 'FY24Q1');
INSERT INTO facts VALUES (20240101, 'eu', 1), (20240101, 'us', 2), (20231231, 'eu', 3), (20240205, 'eu', 4), (NULL, 'eu', 5)
--@ view by_hour
SELECT date_trunc('hour', ts) AS h, min(amount) AS low FROM sales GROUP BY 1
--@ view by_ts_day
SELECT to_date(ts) AS d, region, sum(amount) AS s, count(*) AS c FROM sales GROUP BY 1, 2
--@ view by_day
SELECT day, region, bit_xor(amount) AS bits, avg(amount) AS mean FROM sales GROUP BY day, region
--@ view by_week
SELECT date_trunc('week', ts) AS w, bit_and(amount) AS bits FROM sales GROUP BY 1
--@ view by_month
SELECT trunc(ts, 'MONTH') AS m, bit_or(amount) AS bits FROM sales GROUP BY 1
--@ view by_calendar
SELECT d.date, s.region, max(s.amount) AS top FROM sales AS s JOIN dates AS d ON s.day = d.date GROUP BY d.date, s.region
--@ view by_key
SELECT date_key, region, sum(amount) AS s FROM facts GROUP BY date_key, region

--@ case: years and quarters, from days
SELECT d.year, d.quarter, bit_xor(s.amount) AS x FROM sales AS s JOIN dates AS d ON s.day = d.date GROUP BY d.year, d.quarter
--@ rewritten using by_day
SELECT dates_0.year AS year, dates_0.quarter AS quarter, bit_xor(v.`bits`) AS x FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE v.`day` = dates_0.date GROUP BY dates_0.year, dates_0.quarter

--@ case: the day of a time
SELECT d.year, sum(s.amount) AS t FROM sales AS s JOIN dates AS d ON to_date(s.ts) = d.date GROUP BY d.year
--@ rewritten using by_ts_day
SELECT dates_0.year AS year, sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE v.`d` = dates_0.date GROUP BY dates_0.year

--@ case: the day of a time, from hours
SELECT d.fiscal_quarter, min(s.amount) AS low FROM sales AS s JOIN dates AS d ON CAST(s.ts AS DATE) = d.date GROUP BY 1
--@ rewritten using by_hour
SELECT dates_0.fiscal_quarter AS fiscal_quarter, min(v.`low`) AS low FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE CAST(v.`h` AS DATE) = dates_0.date GROUP BY dates_0.fiscal_quarter

--@ case: a day that is truncated
SELECT d.fiscal_quarter, count(*) AS c FROM sales AS s JOIN dates AS d ON date_trunc('day', s.ts) = d.date GROUP BY 1
--@ rewritten using by_hour
SELECT dates_0.fiscal_quarter AS fiscal_quarter, coalesce(sum(v.`viewgate_rows_0`), 0) AS c FROM lake.demo.by_hour__storage VERSION AS OF 2000 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE date_trunc('DAY', v.`h`) = dates_0.date GROUP BY dates_0.fiscal_quarter

--@ case: filters by labels
SELECT d.month_name, avg(s.amount) AS a FROM sales AS s JOIN dates AS d ON s.day = d.date WHERE d.fiscal_year = 2023 AND d.holiday AND s.region = 'eu' GROUP BY d.month_name
--@ rewritten using by_day
SELECT dates_0.month_name AS month_name, CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_day__storage VERSION AS OF 2002 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0 WHERE v.`day` = dates_0.date AND dates_0.fiscal_year = 2023 AND dates_0.holiday AND v.`region` = 'eu' GROUP BY dates_0.month_name

--@ case: days without a label stay
SELECT d.year, sum(s.amount) AS t FROM sales AS s LEFT JOIN dates AS d ON to_date(s.ts) = d.date GROUP BY d.year
--@ rewritten using by_ts_day
SELECT dates_0.year AS year, sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v LEFT JOIN lake.demo.dates VERSION AS OF 1001 AS dates_0 ON v.`d` = dates_0.date GROUP BY dates_0.year

--@ case: months of a 4-4-5 calendar hold whole days, and no months of the other
SELECT d.fiscal_quarter, bit_or(s.amount) AS bits FROM sales AS s JOIN dates AS d ON to_date(s.ts) = d.date GROUP BY 1
--@ kept: by_calendar VIEW_FILTERS_MORE day = date; by_day COLUMN_NOT_IN_VIEW ts; by_hour AGGREGATE_NOT_IN_VIEW bit_or(amount); by_month COLUMN_NOT_IN_VIEW ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_or(amount); by_week COLUMN_NOT_IN_VIEW ts

--@ case: labels of months, from months
SELECT d.year, bit_or(s.amount) AS bits FROM sales AS s JOIN (SELECT DISTINCT month_begin, year FROM dates) AS d ON trunc(s.ts, 'MONTH') = d.month_begin GROUP BY d.year
--@ rewritten using by_month
SELECT d_0.year AS year, bit_or(v.`bits`) AS bits FROM lake.demo.by_month__storage VERSION AS OF 2004 AS v, (SELECT DISTINCT month_begin, year FROM dates VERSION AS OF 1001) AS d_0 WHERE v.`m` = d_0.month_begin GROUP BY d_0.year

--@ case: the table of dates joined back to a view that groups by its key
SELECT d.year, d.holiday, max(s.amount) AS top FROM sales AS s JOIN dates AS d ON s.day = d.date WHERE d.quarter = 1 GROUP BY d.year, d.holiday
--@ rewritten using by_calendar
SELECT dates_0_again.year AS year, dates_0_again.holiday AS holiday, max(v.`top`) AS top FROM lake.demo.by_calendar__storage VERSION AS OF 2005 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0_again WHERE dates_0_again.quarter = 1 AND v.`date` = dates_0_again.date GROUP BY dates_0_again.year, dates_0_again.holiday

--@ case: the whole numbers that warehouses have for dates
SELECT d.year, d.fiscal_quarter, sum(f.amount) AS t FROM facts AS f JOIN date_dim AS d ON f.date_key = d.date_key WHERE d.date >= '2024-01-01' GROUP BY 1, 2
--@ rewritten using by_key
SELECT date_dim_0.year AS year, date_dim_0.fiscal_quarter AS fiscal_quarter, sum(v.`s`) AS t FROM lake.demo.by_key__storage VERSION AS OF 2006 AS v, lake.demo.date_dim VERSION AS OF 1002 AS date_dim_0 WHERE v.`date_key` = date_dim_0.date_key AND date_dim_0.date >= '2024-01-01' GROUP BY date_dim_0.year, date_dim_0.fiscal_quarter

--@ case: made of a time
SELECT d.year, sum(s.amount) AS t FROM sales AS s JOIN date_dim AS d ON CAST(date_format(s.ts, 'yyyyMMdd') AS INT) = d.date_key GROUP BY d.year
--@ rewritten using by_ts_day
SELECT date_dim_0.year AS year, sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v, lake.demo.date_dim VERSION AS OF 1002 AS date_dim_0 WHERE CAST(date_format(CAST(v.`d` AS TIMESTAMP), 'yyyyMMdd') AS INT) = date_dim_0.date_key GROUP BY date_dim_0.year

--@ case: days that a calendar names
SELECT s.region, sum(s.amount) AS t FROM sales AS s WHERE to_date(s.ts) IN (SELECT date FROM dates WHERE holiday) GROUP BY s.region
--@ rewritten using by_ts_day
SELECT v.`region` AS region, sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v LEFT SEMI JOIN lake.demo.dates VERSION AS OF 1001 AS dates_0 ON v.`d` = dates_0.date AND dates_0.holiday GROUP BY v.`region`

--@ case: since a day that a calendar names
SELECT sum(s.amount) AS t FROM sales AS s WHERE to_date(s.ts) >= (SELECT min(date) FROM dates WHERE fiscal_year = 2023)
--@ rewritten using by_ts_day
SELECT sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v WHERE v.`d` >= (SELECT min(date) FROM dates VERSION AS OF 1001 WHERE fiscal_year = 2023)

--@ case: how many days there were of each label
SELECT d.year, count(DISTINCT s.day) AS days FROM sales AS s JOIN dates AS d ON s.day = d.date GROUP BY d.year
--@ rewritten using by_calendar
SELECT dates_0_again.year AS year, count(DISTINCT v.`date`) AS days FROM lake.demo.by_calendar__storage VERSION AS OF 2005 AS v, lake.demo.dates VERSION AS OF 1001 AS dates_0_again WHERE v.`date` = dates_0_again.date GROUP BY dates_0_again.year

--@ case: weeks by the year that they belong to
SELECT extract(YEAROFWEEK FROM ts) AS y, weekofyear(ts) AS w, bit_and(amount) AS bits FROM sales GROUP BY 1, 2
--@ rewritten using by_week
SELECT date_part('YEAROFWEEK', v.`w`) AS y, weekofyear(v.`w`) AS w, bit_and(v.`bits`) AS bits FROM lake.demo.by_week__storage AS v GROUP BY date_part('YEAROFWEEK', v.`w`), weekofyear(v.`w`)

--@ case: the year of a week is that of its Thursday
SELECT year(date_add(date_trunc('week', ts), 3)) AS y, extract(WEEK FROM ts) AS w, bit_and(amount) AS bits FROM sales GROUP BY 1, 2
--@ rewritten using by_week
SELECT year(date_add(v.`w`, 3)) AS y, weekofyear(v.`w`) AS w, bit_and(v.`bits`) AS bits FROM lake.demo.by_week__storage AS v GROUP BY year(date_add(v.`w`, 3)), weekofyear(v.`w`)

--@ case: by the year of the day, the first week and the last may be one
SELECT year(ts) AS y, weekofyear(ts) AS w, bit_and(amount) AS bits FROM sales GROUP BY 1, 2
--@ kept: by_calendar JOIN_DIFFERS the view also joins dates, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_day GROUPING_TOO_COARSE ts; by_hour AGGREGATE_NOT_IN_VIEW bit_and(amount); by_month GROUPING_TOO_COARSE ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_and(amount); by_week GROUPING_TOO_COARSE ts

--@ case: that needs days
SELECT year(ts) AS y, weekofyear(ts) AS w, sum(amount) AS s FROM sales GROUP BY 1, 2
--@ rewritten using by_ts_day
SELECT year(v.`d`) AS y, weekofyear(v.`d`) AS w, sum(v.`s`) AS s FROM lake.demo.by_ts_day__storage AS v GROUP BY year(v.`d`), weekofyear(v.`d`)

--@ case: weeks from Sunday
SELECT date_sub(to_date(ts), dayofweek(ts) - 1) AS w, sum(amount) AS s FROM sales GROUP BY 1
--@ rewritten using by_ts_day
SELECT date_sub(v.`d`, dayofweek(v.`d`) - 1) AS w, sum(v.`s`) AS s FROM lake.demo.by_ts_day__storage AS v GROUP BY date_sub(v.`d`, dayofweek(v.`d`) - 1)

--@ case: weeks from Sunday are no weeks from Monday
SELECT date_sub(to_date(ts), dayofweek(ts) - 1) AS w, bit_and(amount) AS bits FROM sales GROUP BY 1
--@ kept: by_calendar JOIN_DIFFERS the view also joins dates, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_day GROUPING_TOO_COARSE ts; by_hour AGGREGATE_NOT_IN_VIEW bit_and(amount); by_month GROUPING_TOO_COARSE ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_and(amount); by_week GROUPING_TOO_COARSE ts

--@ case: a fiscal year from July
SELECT year(add_months(to_date(ts), 6)) AS fy, quarter(add_months(to_date(ts), 6)) AS fq, sum(amount) AS s FROM sales GROUP BY 1, 2
--@ rewritten using by_ts_day
SELECT year(add_months(v.`d`, 6)) AS fy, quarter(add_months(v.`d`, 6)) AS fq, sum(v.`s`) AS s FROM lake.demo.by_ts_day__storage AS v GROUP BY year(add_months(v.`d`, 6)), quarter(add_months(v.`d`, 6))

--@ case: the same from months
SELECT year(add_months(ts, 6)) AS fy, quarter(add_months(ts, 6)) AS fq, bit_or(amount) AS bits FROM sales GROUP BY 1, 2
--@ rewritten using by_month
SELECT year(add_months(v.`m`, 6)) AS fy, quarter(add_months(v.`m`, 6)) AS fq, bit_or(v.`bits`) AS bits FROM lake.demo.by_month__storage AS v GROUP BY year(add_months(v.`m`, 6)), quarter(add_months(v.`m`, 6))

--@ case: the first day of a fiscal year, from months
SELECT add_months(trunc(add_months(ts, -3), 'YEAR'), 3) AS begins, bit_or(amount) AS bits FROM sales GROUP BY 1
--@ rewritten using by_month
SELECT add_months(trunc(add_months(v.`m`, -3), 'YEAR'), 3) AS begins, bit_or(v.`bits`) AS bits FROM lake.demo.by_month__storage AS v GROUP BY add_months(trunc(add_months(v.`m`, -3), 'YEAR'), 3)

--@ case: days so many months on are not the same all month
SELECT day(add_months(ts, 1)) AS d, bit_or(amount) AS bits FROM sales GROUP BY 1
--@ kept: by_calendar JOIN_DIFFERS the view also joins dates, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_day GROUPING_TOO_COARSE ts; by_hour AGGREGATE_NOT_IN_VIEW bit_or(amount); by_month GROUPING_TOO_COARSE ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_or(amount); by_week GROUPING_TOO_COARSE ts

--@ case: neither are weeks
SELECT weekofyear(add_months(ts, 1)) AS w, bit_or(amount) AS bits FROM sales GROUP BY 1
--@ kept: by_calendar JOIN_DIFFERS the view also joins dates, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_day GROUPING_TOO_COARSE ts; by_hour AGGREGATE_NOT_IN_VIEW bit_or(amount); by_month GROUPING_TOO_COARSE ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_or(amount); by_week GROUPING_TOO_COARSE ts

--@ case: a fiscal year by cases, from months
SELECT CASE WHEN month(ts) >= 4 THEN year(ts) ELSE year(ts) - 1 END AS fy, (pmod(month(ts) - 4, 12) DIV 3) + 1 AS fq, bit_or(amount) AS bits FROM sales GROUP BY 1, 2
--@ rewritten using by_month
SELECT CASE WHEN month(v.`m`) >= 4 THEN year(v.`m`) ELSE year(v.`m`) - 1 END AS fy, (pmod(month(v.`m`) - 4, 12) DIV 3) + 1 AS fq, bit_or(v.`bits`) AS bits FROM lake.demo.by_month__storage AS v GROUP BY CASE WHEN month(v.`m`) >= 4 THEN year(v.`m`) ELSE year(v.`m`) - 1 END, (pmod(month(v.`m`) - 4, 12) DIV 3) + 1

--@ case: a fiscal year that begins within a month needs days
SELECT year(date_add(to_date(ts), 5)) AS fy, bit_or(amount) AS bits FROM sales GROUP BY 1
--@ kept: by_calendar JOIN_DIFFERS the view also joins dates, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_day GROUPING_TOO_COARSE ts; by_hour AGGREGATE_NOT_IN_VIEW bit_or(amount); by_month GROUPING_TOO_COARSE ts; by_ts_day AGGREGATE_NOT_IN_VIEW bit_or(amount); by_week GROUPING_TOO_COARSE ts

--@ case: thirteen weeks from a date on
SELECT datediff(to_date(ts), DATE '2018-01-01') DIV 91 AS q, sum(amount) AS s FROM sales GROUP BY 1
--@ rewritten using by_ts_day
SELECT datediff(v.`d`, CAST('2018-01-01' AS DATE)) DIV 91 AS q, sum(v.`s`) AS s FROM lake.demo.by_ts_day__storage AS v GROUP BY datediff(v.`d`, CAST('2018-01-01' AS DATE)) DIV 91

--@ case: a table of dates may have a date twice where no key says otherwise
SELECT d.year, sum(s.amount) AS t FROM sales AS s JOIN date_dim AS d ON to_date(s.ts) = d.date GROUP BY d.year
--@ rewritten using by_ts_day
SELECT date_dim_0.year AS year, sum(v.`s`) AS t FROM lake.demo.by_ts_day__storage VERSION AS OF 2001 AS v, lake.demo.date_dim VERSION AS OF 1002 AS date_dim_0 WHERE v.`d` = date_dim_0.date GROUP BY date_dim_0.year
