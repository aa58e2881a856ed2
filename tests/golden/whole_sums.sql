-- Averages and sums of whole numbers that Spark adds as DOUBLEs: exact, and allowed to decide which rows come back,
-- where the tables' numbers of rows and the bounds of their columns leave no room beyond 2^53.
--@ schema
CREATE TABLE sales (id BIGINT NOT NULL, shop INT, region STRING, quantity INT, stock BIGINT, code BIGINT, weight DOUBLE);
CREATE TABLE shops (id INT NOT NULL, name STRING, staff INT);
ALTER TABLE shops SET TBLPROPERTIES ('viewgate.primary-key' = 'id')
--@ rows
INSERT INTO sales VALUES (1, 1, 'eu', 3, 4000000000, 9007199254740993, 1), (2, 1, 'eu', NULL, 5, 1, 2), (3, 2, 'us', 7, -4000000000, 9007199254740993, 3), (4, 2, NULL, 8, NULL, 3, NULL), (4, 2, NULL, 8, NULL, 3, NULL), (5, NULL, 'us', 100, 1, 2, 5);
INSERT INTO shops VALUES (1, 'one', 3), (2, 'two', NULL), (3, 'three', 4)
--@ ranges
sales.quantity = 0..100
sales.stock = -4000000000..4000000000
--@ records
sales = 1000000
shops = 500
--@ view by_shop
SELECT shop, region, avg(quantity) AS quantity, avg(stock) AS stock, avg(code) AS code, avg(weight) AS weight, sum(CAST(quantity AS DOUBLE)) AS pieces, sum(stock) AS stocks, count(*) AS n FROM sales GROUP BY shop, region
--@ view by_name
SELECT name, region, avg(quantity) AS quantity, avg(staff) AS staff FROM sales JOIN shops ON sales.shop = shops.id GROUP BY name, region

--@ case: an average of an INT decides about groups
SELECT shop FROM sales GROUP BY shop HAVING avg(quantity) > 5
--@ rewritten using by_shop
SELECT v.`shop` AS shop FROM lake.demo.by_shop__storage AS v GROUP BY v.`shop` HAVING (CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) > 5

--@ case: and about the first rows
SELECT region, avg(quantity) AS a FROM sales GROUP BY region ORDER BY a DESC LIMIT 1
--@ rewritten using by_shop
SELECT v.`region` AS region, CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region` ORDER BY 2 DESC NULLS LAST LIMIT 1

--@ case: one of a BIGINT within its bounds
SELECT region FROM sales GROUP BY region HAVING avg(stock) > 0
--@ rewritten using by_shop
SELECT v.`region` AS region FROM lake.demo.by_shop__storage AS v GROUP BY v.`region` HAVING (CAST(sum(v.`stocks`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_3`), 0), 0) AS DOUBLE)) > 0

--@ case: one of a BIGINT of which no bounds are known
SELECT region FROM sales GROUP BY region HAVING avg(code) > 5
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(code)

--@ case: a DOUBLE column is never whole, whatever its bounds
SELECT region FROM sales GROUP BY region HAVING avg(weight) > 2
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: a rounded average
SELECT region, round(avg(quantity), 1) AS a FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, round(CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE), 1) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: one of a DOUBLE column may differ by one unit of its last digit
SELECT region, round(avg(weight), 1) AS a FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, round(CAST(sum(v.`viewgate_sum_6`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_7`), 0), 0) AS DOUBLE), 1) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: a whole number that is a DOUBLE in its row
SELECT region FROM sales GROUP BY region HAVING sum(CAST(quantity AS DOUBLE)) > 9
--@ rewritten using by_shop
SELECT v.`region` AS region FROM lake.demo.by_shop__storage AS v GROUP BY v.`region` HAVING sum(v.`pieces`) > 9

--@ case: a rank by an average
SELECT shop, rank() OVER (ORDER BY avg(quantity) DESC) AS place FROM sales GROUP BY shop
--@ rewritten using by_shop
SELECT v.`shop` AS shop, rank() OVER (ORDER BY CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) DESC) AS place FROM lake.demo.by_shop__storage AS v GROUP BY v.`shop`

--@ case: an average of sums
SELECT region, round(avg(sum(stock)) OVER (), 2) AS a FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, round(avg(sum(v.`stocks`)) OVER (), 2) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: an average of averages is none of whole numbers
SELECT region, round(avg(avg(quantity)) OVER (), 2) AS a FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, round(avg(CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) OVER (), 2) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: a join by the other table's key has no more rows
SELECT name FROM sales JOIN shops ON sales.shop = shops.id GROUP BY name HAVING avg(quantity) > 5
--@ rewritten using by_name
SELECT v.`name` AS name FROM lake.demo.by_name__storage AS v GROUP BY v.`name` HAVING (CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE)) > 5

--@ case: nor one with a table of which nothing is known but the type
SELECT name FROM sales JOIN shops ON sales.shop = shops.id GROUP BY name HAVING avg(staff) > 3
--@ rewritten using by_name
SELECT v.`name` AS name FROM lake.demo.by_name__storage AS v GROUP BY v.`name` HAVING (CAST(sum(v.`viewgate_sum_3`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DOUBLE)) > 3

--@ case: a derived table's average decides
SELECT count(*) AS c FROM (SELECT region, avg(quantity) AS a FROM sales GROUP BY region) AS r WHERE a > 5
--@ rewritten using by_shop
SELECT count(*) AS c FROM (SELECT v.`region` AS region, CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`) AS r WHERE a > 5

--@ case: a scalar subquery's average decides
SELECT shop, sum(stock) AS s FROM sales WHERE region = 'us' GROUP BY shop HAVING sum(stock) > (SELECT avg(quantity) FROM sales)
--@ rewritten using by_shop
SELECT v.`shop` AS shop, v.`stocks` AS s FROM lake.demo.by_shop__storage AS v WHERE v.`region` = 'us' AND v.`stocks` > (SELECT CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) FROM lake.demo.by_shop__storage AS v)

--@ case: groups of groups
SELECT a, count(*) AS c FROM (SELECT shop, avg(quantity) AS a FROM sales GROUP BY shop) AS s GROUP BY a
--@ rewritten using by_shop
SELECT a, count(*) AS c FROM (SELECT v.`shop` AS shop, CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage AS v GROUP BY v.`shop`) AS s GROUP BY a

--@ case: totals of all grouping sets
SELECT region, shop, avg(quantity) AS a FROM sales GROUP BY ROLLUP (region, shop) ORDER BY a DESC, region, shop LIMIT 2
--@ rewritten using by_shop
SELECT v.`region` AS region, v.`shop` AS shop, CAST(sum(v.`viewgate_sum_0`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage AS v GROUP BY GROUPING SETS ((v.`region`, v.`shop`), (v.`region`), ()) ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST, 2 ASC NULLS FIRST LIMIT 2

--@ case: a variance is calculated in DOUBLE
SELECT region FROM sales GROUP BY region HAVING stddev(quantity) > 1
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS stddev_samp(quantity)

--@ case: with the key of a table joined LEFT
SELECT region, avg(staff) AS a FROM sales LEFT JOIN shops ON sales.shop = shops.id GROUP BY region ORDER BY a LIMIT 1
--@ rewritten using by_shop
SELECT v.`region` AS region, CAST(sum(CAST(shops_0.staff AS BIGINT) * v.`n`) AS DOUBLE) / CAST(nullif(coalesce(sum(CASE WHEN shops_0.staff IS NULL THEN 0 ELSE v.`n` END), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.shops VERSION AS OF 1001 AS shops_0 ON v.`shop` = shops_0.id GROUP BY v.`region` ORDER BY 2 ASC NULLS FIRST LIMIT 1

--@ case: a sum in DOUBLE of arithmetic
SELECT region FROM sales GROUP BY region HAVING sum(CAST(quantity AS DOUBLE)) / count(*) > 3
--@ rewritten using by_shop
SELECT v.`region` AS region FROM lake.demo.by_shop__storage AS v GROUP BY v.`region` HAVING (sum(v.`pieces`) / coalesce(sum(v.`n`), 0)) > 3

--@ case: a product beyond all bounds
SELECT region FROM sales GROUP BY region HAVING avg(quantity * stock) > 9
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(quantity * stock)

--@ case: nothing else is calculated with what is rounded
SELECT region, round(avg(weight), 1) * 10 AS a FROM sales GROUP BY region
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: nor are rows told apart by it
SELECT DISTINCT round(avg(weight), 1) AS a FROM sales GROUP BY region
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: or put into an order that LIMIT cuts
SELECT region, round(avg(weight), 1) AS a FROM sales GROUP BY region ORDER BY a LIMIT 1
--@ kept: by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: or joined
SELECT count(*) AS c FROM (SELECT region, round(avg(weight), 1) AS a FROM sales GROUP BY region) AS r JOIN shops ON r.a = shops.staff
--@ kept: by_name JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop TABLES_DIFFER the view reads sales, which this SELECT does not read: create a view over the query's tables; by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: a query around that hands it on
SELECT a, region FROM (SELECT region, round(avg(weight), 1) AS a FROM sales GROUP BY region) AS r
--@ rewritten using by_shop
SELECT round(CAST(sum(v.`viewgate_sum_6`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_7`), 0), 0) AS DOUBLE), 1) AS a, v.`region` AS region FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: and one that calculates
SELECT a * 10 AS b, region FROM (SELECT region, round(avg(weight), 1) AS a FROM sales GROUP BY region) AS r
--@ kept: by_name UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_shop UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_name JOIN_DIFFERS the view also joins shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_shop FLOAT_SUM_DECIDES_ROWS avg(weight)

--@ case: whole numbers as DOUBLEs, from their sum and count
SELECT region, sum(CAST(quantity AS DOUBLE)) AS s, avg(CAST(quantity AS DOUBLE)) AS a, count(CAST(quantity AS DOUBLE)) AS c FROM sales GROUP BY region HAVING avg(CAST(quantity AS DOUBLE)) > 4
--@ rewritten using by_shop
SELECT v.`region` AS region, sum(v.`pieces`) AS s, CAST(sum(v.`pieces`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE) AS a, coalesce(sum(v.`viewgate_count_1`), 0) AS c FROM lake.demo.by_shop__storage AS v GROUP BY v.`region` HAVING (CAST(sum(v.`pieces`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_1`), 0), 0) AS DOUBLE)) > 4

--@ case: at the view's own grain
SELECT shop, region, avg(CAST(quantity AS DOUBLE)) AS a FROM sales GROUP BY shop, region
--@ rewritten using by_shop
SELECT v.`shop` AS shop, v.`region` AS region, CAST(v.`pieces` AS DOUBLE) / CAST(nullif(v.`viewgate_count_1`, 0) AS DOUBLE) AS a FROM lake.demo.by_shop__storage AS v

--@ case: not a sum of BIGINTs, which may overflow before it is cast
SELECT region, sum(CAST(stock AS DOUBLE)) AS s FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, sum(CAST(v.`stocks` AS DOUBLE)) AS s FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`

--@ case: from the sum of the whole numbers
SELECT name, sum(CAST(quantity AS DOUBLE)) AS s, avg(CAST(quantity AS DOUBLE)) AS a FROM sales JOIN shops ON sales.shop = shops.id GROUP BY name
--@ rewritten using by_name
SELECT v.`name` AS name, sum(CAST(v.`viewgate_sum_1` AS DOUBLE)) AS s, CAST(sum(CAST(v.`viewgate_sum_1` AS DOUBLE)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE) AS a FROM lake.demo.by_name__storage AS v GROUP BY v.`name`

--@ case: the same for each group of the view
SELECT name, region, sum(CAST(quantity AS DOUBLE)) AS s FROM sales JOIN shops ON sales.shop = shops.id GROUP BY name, region
--@ rewritten using by_name
SELECT v.`name` AS name, v.`region` AS region, CAST(v.`viewgate_sum_1` AS DOUBLE) AS s FROM lake.demo.by_name__storage AS v

--@ case: extremes as DOUBLEs
SELECT region, max(CAST(shop AS DOUBLE)) AS top FROM sales GROUP BY region
--@ rewritten using by_shop
SELECT v.`region` AS region, max(CAST(v.`shop` AS DOUBLE)) AS top FROM lake.demo.by_shop__storage AS v GROUP BY v.`region`
