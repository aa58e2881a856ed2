-- Averages of decimals among integers are exact, so that they may decide which rows come back.
--@ schema
CREATE TABLE t (a STRING, b STRING, n SMALLINT NOT NULL, x INT, price DECIMAL(6,2));
--@ rows
INSERT INTO t VALUES ('p', 'q', 1, 2, 1.50), ('p', 'q', 3, NULL, 2.25), ('p', 'r', 5, 7, NULL), (NULL, 'q', 2, 1, 0.01),
  (NULL, NULL, 4, NULL, NULL), ('s', 'q', 9, 7, 99.99)
--@ view paid
SELECT a, b, avg(n * price) AS paid, avg(coalesce(price, x)) AS asked, avg(n + x) AS whole FROM t GROUP BY a, b
--@ view dear
SELECT a, b, avg(x * CAST(price AS DECIMAL(10,2))) AS paid, avg(CAST(x AS BIGINT) * CAST(price AS DECIMAL(10,2))) AS wide FROM t GROUP BY a, b

--@ case: a wide one of an INT
SELECT a, avg(x * CAST(price AS DECIMAL(10,2))) AS p FROM t GROUP BY a
--@ rewritten using dear
SELECT v.`a` AS a, CAST(CAST((CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) - (CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(19, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(31, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(25, 6)) AS p FROM lake.demo.dear__storage AS v GROUP BY v.`a`

--@ case: that of a BIGINT may overflow between
SELECT a, avg(CAST(x AS BIGINT) * CAST(price AS DECIMAL(10,2))) AS p FROM t GROUP BY a
--@ kept: dear AGGREGATE_DOES_NOT_ROLL_UP avg(CAST(x AS BIGINT) * CAST(price AS DECIMAL(10, 2))) (add its sum and count to the view); paid AGGREGATE_NOT_IN_VIEW avg(CAST(x AS BIGINT) * CAST(price AS DECIMAL(10, 2)))

--@ case: a product of an integer and a decimal
SELECT a FROM t GROUP BY a HAVING avg(n * price) > 1
--@ rewritten using paid
SELECT v.`a` AS a FROM lake.demo.paid__storage AS v GROUP BY v.`a` HAVING CAST(CAST((CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(22, 2)) - (CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_1`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(16, 6)) > 1

--@ case: one or the other
SELECT a FROM t GROUP BY a ORDER BY avg(coalesce(price, x)) DESC LIMIT 1
--@ rewritten using paid
SELECT v.`a` AS a FROM lake.demo.paid__storage AS v GROUP BY v.`a` ORDER BY CAST(CAST((CAST(sum(v.`viewgate_sum_3`) AS DECIMAL(22, 2)) - (CAST(sum(v.`viewgate_sum_3`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_3`) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(16, 6)) DESC NULLS LAST LIMIT 1

--@ case: integers alone are added as doubles
SELECT a FROM t GROUP BY a HAVING avg(n + x) > 1
--@ rewritten using paid
SELECT v.`a` AS a FROM lake.demo.paid__storage AS v GROUP BY v.`a` HAVING (CAST(sum(v.`viewgate_sum_5`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_6`), 0), 0) AS DOUBLE)) > 1

--@ case: and a whole number beside them makes them no decimals
SELECT a FROM t GROUP BY a HAVING avg(n + 1) > 1
--@ kept: dear AGGREGATE_NOT_IN_VIEW avg(n + 1); paid AGGREGATE_NOT_IN_VIEW avg(n + 1)
