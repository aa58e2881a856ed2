-- The example of CarbonData's guide: three queries that must hit agg_sales and three that must not.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, user_id STRING, sex STRING, country STRING, quantity INT, price BIGINT);
--@ rows
INSERT INTO sales VALUES
  (TIMESTAMP '2016-02-23 09:01:30', 'c001', 'male', 'xxx', 100, 2),
  (TIMESTAMP '2016-02-23 09:01:50', 'c002', 'male', 'yyy', 200, 5),
  (TIMESTAMP '2016-02-23 09:03:30', 'c003', 'female', 'xxx', 400, 1),
  (TIMESTAMP '2016-02-23 09:03:50', 'c004', 'male', 'yyy', 300, 5),
  (TIMESTAMP '2016-02-23 09:07:50', 'c005', 'female', 'xxx', 500, 5),
  (NULL, 'c005', NULL, 'xxx', NULL, NULL),
  (NULL, 'c005', NULL, 'xxx', NULL, NULL)
--@ view agg_sales
SELECT country, sex, sum(quantity), avg(price) FROM sales GROUP BY country, sex

--@ case: the view's own query
SELECT country, sex, sum(quantity), avg(price) FROM sales GROUP BY country, sex
--@ rewritten using agg_sales
SELECT v.`country` AS country, v.`sex` AS sex, v.`viewgate_output_2`, v.`viewgate_output_3` FROM lake.demo.agg_sales__storage AS v

--@ case: coarser
SELECT sex, sum(quantity) FROM sales GROUP BY sex
--@ rewritten using agg_sales
SELECT v.`sex` AS sex, sum(v.`viewgate_output_2`) FROM lake.demo.agg_sales__storage AS v GROUP BY v.`sex`

--@ case: an average at a coarser grain
SELECT avg(price), country FROM sales GROUP BY country
--@ rewritten using agg_sales
SELECT CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE), v.`country` AS country FROM lake.demo.agg_sales__storage AS v GROUP BY v.`country`

--@ case: finer
SELECT user_id, country, sex, sum(quantity), avg(price) FROM sales GROUP BY user_id, country, sex
--@ kept: GROUPING_TOO_COARSE user_id

--@ case: an average of what a sum is of, whose values are counted
SELECT sex, avg(quantity) FROM sales GROUP BY sex
--@ rewritten using agg_sales
SELECT v.`sex` AS sex, CAST(sum(v.`viewgate_output_2`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_3`), 0), 0) AS DOUBLE) FROM lake.demo.agg_sales__storage AS v GROUP BY v.`sex`

--@ case: an extreme that the view does not hold
SELECT country, max(price) FROM sales GROUP BY country
--@ kept: AGGREGATE_NOT_IN_VIEW max(price)
