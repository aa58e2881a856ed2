-- Aliases of a SELECT list in later outputs of the same list, by Spark's rules of precedence.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT, price DECIMAL(10,2), day DATE);
CREATE TABLE goals (region STRING, total INT)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 10, 1.50, DATE '2024-01-01'), (2, 'eu', NULL, 2.25, DATE '2024-01-01'), (3, NULL, 7, NULL, DATE '2024-01-31'), (4, 'us', 3, 9.99, DATE '2024-02-01'), (4, 'us', 3, 9.99, DATE '2024-02-01'), (5, 'as', 0, 0.00, NULL);
INSERT INTO goals VALUES ('eu', 5), ('us', NULL), ('us', 2), (NULL, 3)
--@ view by_day
SELECT region, day, sum(amount) AS total, count(amount) AS amounts, count(*) AS cnt, sum(price) AS priced FROM sales GROUP BY region, day
--@ view rows_of_sales
SELECT id, region, amount FROM sales

--@ case: an expression of an alias before it
SELECT id + 1 AS b, b * 2 AS c, c + b AS d FROM sales
--@ rewritten using rows_of_sales
SELECT v.`id` + 1 AS b, (v.`id` + 1) * 2 AS c, ((v.`id` + 1) * 2) + (v.`id` + 1) AS d FROM lake.demo.rows_of_sales__storage AS v

--@ case: ratios of aggregates
SELECT region, sum(amount) AS total, count(*) AS rows, total / rows AS mean, total - rows AS rest FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS total, coalesce(sum(v.`cnt`), 0) AS rows, sum(v.`total`) / coalesce(sum(v.`cnt`), 0) AS mean, sum(v.`total`) - coalesce(sum(v.`cnt`), 0) AS rest FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: a key and what is computed from it
SELECT date_trunc('MONTH', day) AS month, year(month) AS y, sum(amount) AS total, total * 2 AS twice FROM sales GROUP BY date_trunc('MONTH', day)
--@ rewritten using by_day
SELECT date_trunc('MONTH', v.`day`) AS month, year(date_trunc('MONTH', v.`day`)) AS y, sum(v.`total`) AS total, sum(v.`total`) * 2 AS twice FROM lake.demo.by_day__storage AS v GROUP BY date_trunc('MONTH', v.`day`)

--@ case: a column of FROM comes before an alias
SELECT amount + 1 AS id, id * 2 AS twice FROM sales
--@ rewritten using rows_of_sales
SELECT v.`amount` + 1 AS id, v.`id` * 2 AS twice FROM lake.demo.rows_of_sales__storage AS v

--@ case: grouped by an alias made of another one, which Spark refuses
SELECT id + 1 AS b, b % 2 AS odd, count(*) AS n FROM sales GROUP BY b, odd
--@ kept: by_day UNSUPPORTED GROUP BY odd names an output that uses the alias of another output, which Spark refuses: write the expression of the output in GROUP BY; rows_of_sales UNSUPPORTED GROUP BY odd names an output that uses the alias of another output, which Spark refuses: write the expression of the output in GROUP BY

--@ case: grouped by the position of an alias made of another one, which Spark refuses
SELECT id + 1 AS b, b % 2 AS odd, count(*) AS n FROM sales GROUP BY 1, 2
--@ kept: by_day UNSUPPORTED GROUP BY 2 names an output that uses the alias of another output, which Spark refuses: write the expression of the output in GROUP BY; rows_of_sales UNSUPPORTED GROUP BY 2 names an output that uses the alias of another output, which Spark refuses: write the expression of the output in GROUP BY

--@ case: grouped by the expression of an alias
SELECT id + 1 AS b, b % 2 AS odd, count(*) AS n FROM sales GROUP BY id + 1
--@ rewritten using rows_of_sales
SELECT v.`id` + 1 AS b, (v.`id` + 1) % 2 AS odd, count(*) AS n FROM lake.demo.rows_of_sales__storage AS v GROUP BY v.`id` + 1

--@ case: filtered and ordered by an alias made of others
SELECT region, sum(amount) AS total, total / count(*) AS mean FROM sales GROUP BY region HAVING mean > 1 ORDER BY mean
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS total, sum(v.`total`) / coalesce(sum(v.`cnt`), 0) AS mean FROM lake.demo.by_day__storage AS v GROUP BY v.`region` HAVING (sum(v.`total`) / coalesce(sum(v.`cnt`), 0)) > 1 ORDER BY 3 ASC NULLS FIRST

--@ case: the alias alone
SELECT region, sum(amount) AS total, total FROM sales GROUP BY region
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS total, sum(v.`total`) AS total FROM lake.demo.by_day__storage AS v GROUP BY v.`region`

--@ case: in the derived table that the outer query groups
SELECT odd, sum(b) AS s FROM (SELECT id + 1 AS b, b % 2 AS odd FROM sales) AS t GROUP BY odd
--@ rewritten using rows_of_sales
SELECT (v.`id` + 1) % 2 AS odd, sum(v.`id` + 1) AS s FROM lake.demo.rows_of_sales__storage AS v GROUP BY (v.`id` + 1) % 2

--@ case: an alias after its use is no alias
SELECT b * 2 AS c, id + 1 AS b FROM sales
--@ kept: by_day UNSUPPORTED the column b is not a column of the tables in FROM: check the name; rows_of_sales UNSUPPORTED the column b is not a column of the tables in FROM: check the name

--@ case: two aliases of one name
SELECT id + 1 AS b, amount AS b, b * 2 AS c FROM sales
--@ kept: by_day UNSUPPORTED b is ambiguous, because two outputs have this alias: rename one output; rows_of_sales UNSUPPORTED b is ambiguous, because two outputs have this alias: rename one output

--@ case: within an aggregate, where Spark refuses it
SELECT region AS r, amount + 1 AS b, sum(b) AS s FROM sales GROUP BY region, amount
--@ kept: by_day UNSUPPORTED SUM(b) AS s uses the output alias b in an aggregate or a window function, which Spark refuses: write the expression of b; rows_of_sales UNSUPPORTED SUM(b) AS s uses the output alias b in an aggregate or a window function, which Spark refuses: write the expression of b

--@ case: within a window function, where Spark refuses it
SELECT id AS b, row_number() OVER (ORDER BY b) AS n FROM sales
--@ kept: by_day UNSUPPORTED ROW_NUMBER() OVER (ORDER BY b) AS n uses the output alias b in an aggregate or a window function, which Spark refuses: write the expression of b; rows_of_sales UNSUPPORTED ROW_NUMBER() OVER (ORDER BY b) AS n uses the output alias b in an aggregate or a window function, which Spark refuses: write the expression of b

--@ case: without a name that is known
SELECT id + 1 AS b, b * 2 FROM sales
--@ rewritten using rows_of_sales
SELECT v.`id` + 1 AS b, (v.`id` + 1) * 2 FROM lake.demo.rows_of_sales__storage AS v

--@ case: an alias that stands for a column of the other table, which FROM has
SELECT s.region, sum(s.amount) AS total, total + 1 AS more FROM sales AS s JOIN goals AS g ON s.region = g.region GROUP BY s.region, g.total
--@ rewritten using by_day
SELECT v.`region` AS region, sum(v.`total`) AS total, goals_0.total + 1 AS more FROM lake.demo.by_day__storage VERSION AS OF 2000 AS v, lake.demo.goals VERSION AS OF 1001 AS goals_0 WHERE v.`region` = goals_0.region GROUP BY v.`region`, goals_0.total

--@ case: an aggregate that the view lacks
SELECT region, max(amount) AS most, most + 1 AS more FROM sales GROUP BY region, day
--@ kept: by_day AGGREGATE_NOT_IN_VIEW max(amount); rows_of_sales COLUMN_NOT_IN_VIEW day
