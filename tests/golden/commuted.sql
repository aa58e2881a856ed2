-- Operands in another order than the view has them: looked up by what they mean, printed as they were written.
--@ schema
CREATE TABLE t (id INT NOT NULL, region STRING, sex STRING, a INT, b INT, qty INT, price DECIMAL(10,2), x DOUBLE, y DOUBLE);
CREATE TABLE u (id INT NOT NULL, name STRING, a INT)
--@ rows
INSERT INTO t VALUES (1, 'M', 'm', 1, 2, 3, 10.50, 0.1, 0.2), (2, 'F', 'm', 2, 2, NULL, 1.25, 0.3, -0.0D), (2, 'F', 'm', 2, 2, NULL, 1.25, 0.3, -0.0D), (3, 'M', 'm', NULL, 5, 4, 2.75, NULL, 7.0), (4, NULL, 'f', 7, NULL, 5, NULL, 1e10, 3.0), (5, 'F', 'f', 3, 1, 6, 9.99, 0.7, 0.1);
INSERT INTO u VALUES (1, 'p', 2), (2, 'q', 2), (3, NULL, 1), (5, 'r', NULL);
--@ view products
SELECT region, sum(price * qty) AS paid, sum(x * y) AS area, sum(a * b + 1) AS more, max(a + b) AS top FROM t GROUP BY region
--@ view mirrored
SELECT region, a + b AS both, count(*) AS cnt, sum(qty) AS q FROM t WHERE upper(sex) = region GROUP BY region, a + b
--@ view chosen
SELECT sex, sum(CASE WHEN a = b THEN qty ELSE 0 END) AS same, sum(CASE WHEN a < b AND (x > y OR qty > 3) THEN 1 END) AS less, count(*) FILTER (WHERE region IN ('M', 'F')) AS known, sum(coalesce(a, b)) AS first, sum(a + b + qty) AS all, avg(price * qty) AS mean FROM t GROUP BY sex
--@ view either
SELECT id, region, price FROM t WHERE a = b OR x < y
--@ view outer
SELECT t.id, u.name, u.id AS other FROM t LEFT JOIN u ON t.id = u.id AND t.a + t.b > u.a

--@ case: a product
SELECT region, sum(qty * price) AS s FROM t GROUP BY region
--@ rewritten using products
SELECT v.`region` AS region, v.`paid` AS s FROM lake.demo.products__storage AS v

--@ case: a product, rolled up
SELECT sum(qty * price) AS s FROM t
--@ rewritten using chosen
SELECT CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) AS s FROM lake.demo.chosen__storage AS v

--@ case: an average of a product
SELECT avg(qty * price) AS s FROM t
--@ rewritten using chosen
SELECT CAST(CAST((CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) - (CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(19, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(25, 6)) AS s FROM lake.demo.chosen__storage AS v

--@ case: a product of floating-point numbers
SELECT region, sum(y * x) AS s FROM t GROUP BY region
--@ rewritten using products
SELECT v.`region` AS region, v.`area` AS s FROM lake.demo.products__storage AS v

--@ case: operands of operands
SELECT region, sum(1 + b * a) AS s FROM t GROUP BY region
--@ rewritten using products
SELECT v.`region` AS region, v.`more` AS s FROM lake.demo.products__storage AS v

--@ case: an extreme of a sum
SELECT max(b + a) AS m FROM t
--@ rewritten using products
SELECT max(v.`top`) AS m FROM lake.demo.products__storage AS v

--@ case: a filter of the view
SELECT region, count(*) AS n FROM t WHERE region = upper(sex) GROUP BY region
--@ rewritten using mirrored
SELECT v.`region` AS region, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.mirrored__storage AS v GROUP BY v.`region`

--@ case: a key
SELECT b + a AS k, sum(qty) AS q FROM t WHERE region = upper(sex) GROUP BY b + a
--@ rewritten using mirrored
SELECT v.`both` AS k, sum(v.`q`) AS q FROM lake.demo.mirrored__storage AS v GROUP BY v.`both`

--@ case: a key named by another order than that of the output
SELECT a + b AS k, sum(qty) AS q FROM t WHERE region = upper(sex) GROUP BY 1 ORDER BY b + a
--@ kept: chosen UNSUPPORTED the column b is neither grouped nor aggregated: add b to GROUP BY, or use b only in aggregates; either UNSUPPORTED the column b is neither grouped nor aggregated: add b to GROUP BY, or use b only in aggregates; mirrored UNSUPPORTED the column b is neither grouped nor aggregated: add b to GROUP BY, or use b only in aggregates; outer UNSUPPORTED the column b is neither grouped nor aggregated: add b to GROUP BY, or use b only in aggregates; products UNSUPPORTED the column b is neither grouped nor aggregated: add b to GROUP BY, or use b only in aggregates

--@ case: a filter on a key
SELECT sum(qty) AS q FROM t WHERE region = upper(sex) AND b + a > 3
--@ rewritten using mirrored
SELECT sum(v.`q`) AS q FROM lake.demo.mirrored__storage AS v WHERE v.`both` > 3

--@ case: the same rows by an equality and more
SELECT b + a AS k, count(*) AS n FROM t WHERE b + a = 4 AND region = upper(sex) GROUP BY b + a
--@ rewritten using mirrored
SELECT v.`both` AS k, coalesce(sum(v.`cnt`), 0) AS n FROM lake.demo.mirrored__storage AS v WHERE v.`both` = 4 GROUP BY v.`both`

--@ case: a condition of a CASE
SELECT sex, sum(CASE WHEN b = a THEN qty ELSE 0 END) AS s FROM t GROUP BY sex
--@ rewritten using chosen
SELECT v.`sex` AS sex, v.`same` AS s FROM lake.demo.chosen__storage AS v

--@ case: conditions in another order, one of them turned round
SELECT sex, sum(CASE WHEN (qty > 3 OR y < x) AND b > a THEN 1 END) AS s FROM t GROUP BY sex
--@ rewritten using chosen
SELECT v.`sex` AS sex, v.`less` AS s FROM lake.demo.chosen__storage AS v

--@ case: a list
SELECT count(*) FILTER (WHERE region IN ('F', 'M')) AS n FROM t
--@ rewritten using chosen
SELECT coalesce(sum(v.`known`), 0) AS n FROM lake.demo.chosen__storage AS v

--@ case: values of coalesce stay in their order
SELECT sex, sum(coalesce(b, a)) AS s FROM t GROUP BY sex
--@ kept: chosen AGGREGATE_NOT_IN_VIEW sum(coalesce(b, a)); either VIEW_FILTERS_MORE a = b OR x < y; mirrored VIEW_FILTERS_MORE upper(sex) = region; outer JOIN_DIFFERS the view also joins u, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; products GROUPING_TOO_COARSE sex

--@ case: two operands of a sum of three
SELECT sex, sum(qty + (b + a)) AS s FROM t GROUP BY sex
--@ rewritten using chosen
SELECT v.`sex` AS sex, v.`all` AS s FROM lake.demo.chosen__storage AS v

--@ case: a sum that is put together otherwise
SELECT sex, sum(a + (b + qty)) AS s FROM t GROUP BY sex
--@ kept: chosen AGGREGATE_NOT_IN_VIEW sum(a + b + qty); either VIEW_FILTERS_MORE a = b OR x < y; mirrored VIEW_FILTERS_MORE upper(sex) = region; outer JOIN_DIFFERS the view also joins u, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; products GROUPING_TOO_COARSE sex

--@ case: differences have an order
SELECT sex, sum(b - a) AS s FROM t GROUP BY sex
--@ kept: chosen AGGREGATE_NOT_IN_VIEW sum(b - a); either VIEW_FILTERS_MORE a = b OR x < y; mirrored VIEW_FILTERS_MORE upper(sex) = region; outer JOIN_DIFFERS the view also joins u, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; products GROUPING_TOO_COARSE sex

--@ case: values of a CASE have an order
SELECT sex, sum(CASE WHEN a = b THEN 0 ELSE qty END) AS s FROM t GROUP BY sex
--@ kept: chosen AGGREGATE_NOT_IN_VIEW sum(CASE WHEN a = b THEN 0 ELSE qty END); either VIEW_FILTERS_MORE a = b OR x < y; mirrored VIEW_FILTERS_MORE upper(sex) = region; outer JOIN_DIFFERS the view also joins u, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; products GROUPING_TOO_COARSE sex

--@ case: branches of a filter
SELECT id, price FROM t WHERE y > x OR b = a
--@ rewritten using either
SELECT v.`id` AS id, v.`price` AS price FROM lake.demo.either__storage AS v

--@ case: a branch of a filter, and more
SELECT id FROM t WHERE (y > x OR b = a) AND region = 'M'
--@ rewritten using either
SELECT v.`id` AS id FROM lake.demo.either__storage AS v WHERE v.`region` = 'M'

--@ case: what is printed keeps its order
SELECT id FROM t WHERE (b = a OR y > x) AND (price <> 0 AND 1 / price > 0.1 OR price = 0)
--@ rewritten using either
SELECT v.`id` AS id FROM lake.demo.either__storage AS v WHERE (((v.`price` <> 0) AND ((1 / v.`price`) > 0.1)) OR (v.`price` = 0))

--@ case: the condition of a join
SELECT t.id, u.name FROM t LEFT JOIN u ON u.a < t.b + t.a AND u.id = t.id
--@ rewritten using outer
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.outer__storage AS v

--@ case: another condition of a join
SELECT t.id, u.name FROM t LEFT JOIN u ON u.a > t.b + t.a AND u.id = t.id
--@ kept: chosen COLUMN_NOT_IN_VIEW b; either VIEW_FILTERS_MORE a = b OR x < y; mirrored VIEW_FILTERS_MORE upper(sex) = region; outer JOIN_DIFFERS the view has a LEFT join of u ON t.id = u.id AND t.a + b > u.a, which the query lacks: create a view without the join; products COLUMN_NOT_IN_VIEW b
