-- Sums that decide about rows: those of integers and decimals may, however these are computed; those of floating-point
-- numbers may not, for the order in which they are added decides their last bits.
--@ schema
CREATE TABLE t (k STRING, j STRING, n INT, m INT, price DECIMAL(10,2), rate DECIMAL(5,4), wide DECIMAL(38,10), x DOUBLE);
--@ rows
INSERT INTO t VALUES ('a', 'p', 1, 2, 10.00, 0.5000, 1.5, 0.1), ('a', 'p', 2, 3, 20.50, 0.2500, 2.5, 0.2), ('a', 'q', 3, 4, NULL, 0.1000, NULL, 0.3), ('b', 'p', 4, 5, 3.33, NULL, 4.5, NULL), ('b', 'q', NULL, 7, 7.77, 0.3333, 5.5, 0.7), (NULL, 'q', 6, 1, 1.11, 0.1250, 6.5, 0.9), (NULL, 'q', 6, 1, 1.11, 0.1250, 6.5, 0.9);
--@ view halves
SELECT k, j, sum(price / 2) AS half, sum(n / rate) AS ratio, sum(n / m) AS quotient, sum(price % 3) AS rest, sum(m DIV 2) AS whole, sum(price / x) AS mixed, sum(coalesce(price, n)) AS either, sum(coalesce(price, x)) AS other, sum(-price) AS negative, sum(abs(price)) AS size, sum(round(price, 1)) AS rounded, sum(CAST(x AS DECIMAL(10,2))) AS cut, sum(CAST(n AS DOUBLE)) AS made, sum(wide * 2) AS twice FROM t GROUP BY k, j
--@ view prices
SELECT k, j, sum(price) AS total, max(price) AS top, min(n) AS low, count(*) AS cnt, avg(price) AS mean, sum(x) AS xs, max(x) AS xmax, avg(n) AS middle FROM t GROUP BY k, j

--@ case: a decimal by a number
SELECT k, sum(price / 2) AS s FROM t GROUP BY k HAVING sum(price / 2) > 5
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`half`) AS DECIMAL(24, 6)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`half`) AS DECIMAL(24, 6)) > 5

--@ case: a number by a decimal
SELECT k, sum(n / rate) AS s FROM t GROUP BY k HAVING sum(n / rate) > 5
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`ratio`) AS DECIMAL(30, 6)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`ratio`) AS DECIMAL(30, 6)) > 5

--@ case: integers are divided as doubles
SELECT k, sum(n / m) AS s FROM t GROUP BY k HAVING sum(n / m) > 1
--@ kept: halves FLOAT_SUM_DECIDES_ROWS sum(n / m); prices FLOAT_SUM_DECIDES_ROWS sum(n / m)

--@ case: a decimal by a double
SELECT k, sum(price / x) AS s FROM t GROUP BY k HAVING sum(price / x) > 5
--@ kept: halves FLOAT_SUM_DECIDES_ROWS sum(price / x); prices FLOAT_SUM_DECIDES_ROWS sum(price / x)

--@ case: what a decimal leaves
SELECT k, sum(price % 3) AS s FROM t GROUP BY k HAVING sum(price % 3) > 1
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`rest`) AS DECIMAL(13, 2)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`rest`) AS DECIMAL(13, 2)) > 1

--@ case: whole division
SELECT k, sum(m DIV 2) AS s FROM t GROUP BY k HAVING sum(m DIV 2) > 1
--@ rewritten using halves
SELECT v.`k` AS k, sum(v.`whole`) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING sum(v.`whole`) > 1

--@ case: a decimal or an integer
SELECT k, sum(coalesce(price, n)) AS s FROM t GROUP BY k HAVING sum(coalesce(price, n)) > 10
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`either`) AS DECIMAL(22, 2)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`either`) AS DECIMAL(22, 2)) > 10

--@ case: a decimal or a double
SELECT k, sum(coalesce(price, x)) AS s FROM t GROUP BY k HAVING sum(coalesce(price, x)) > 10
--@ kept: halves FLOAT_SUM_DECIDES_ROWS sum(coalesce(price, x)); prices FLOAT_SUM_DECIDES_ROWS sum(coalesce(price, x))

--@ case: a sign
SELECT k, sum(-price) AS s FROM t GROUP BY k HAVING sum(-price) < -10
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`negative`) AS DECIMAL(20, 2)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`negative`) AS DECIMAL(20, 2)) < (-10)

--@ case: functions that keep a decimal one
SELECT k, sum(abs(price)) AS a, sum(round(price, 1)) AS r FROM t GROUP BY k ORDER BY sum(abs(price)), sum(round(price, 1)) LIMIT 2
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`size`) AS DECIMAL(20, 2)) AS a, CAST(sum(v.`rounded`) AS DECIMAL(20, 1)) AS r FROM lake.demo.halves__storage AS v GROUP BY v.`k` ORDER BY 2 ASC NULLS FIRST, 3 ASC NULLS FIRST LIMIT 2

--@ case: a double cut to a decimal in its row
SELECT k, sum(CAST(x AS DECIMAL(10,2))) AS s FROM t GROUP BY k HAVING sum(CAST(x AS DECIMAL(10,2))) > 0.5
--@ rewritten using halves
SELECT v.`k` AS k, CAST(sum(v.`cut`) AS DECIMAL(20, 2)) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING CAST(sum(v.`cut`) AS DECIMAL(20, 2)) > 0.5

--@ case: an integer made a double in its row
SELECT k, sum(CAST(n AS DOUBLE)) AS s FROM t GROUP BY k HAVING sum(CAST(n AS DOUBLE)) > 1
--@ rewritten using halves
SELECT v.`k` AS k, sum(v.`made`) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING sum(v.`made`) > 1

--@ case: one at the greatest precision
SELECT k, sum(wide * 2) AS s FROM t GROUP BY k HAVING sum(wide * 2) > 5
--@ rewritten using halves
SELECT v.`k` AS k, sum(v.`twice`) AS s FROM lake.demo.halves__storage AS v GROUP BY v.`k` HAVING sum(v.`twice`) > 5

--@ case: an average of sums of decimals
SELECT k, round(sum(price) - avg(sum(price)) OVER (), 2) AS more FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(CAST(sum(v.`total`) AS DECIMAL(20, 2)) - avg(CAST(sum(v.`total`) AS DECIMAL(20, 2))) OVER (), 2) AS more FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: a rounded share of the total
SELECT k, round(sum(price) / sum(sum(price)) OVER (), 2) AS share FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(CAST(sum(v.`total`) AS DECIMAL(20, 2)) / sum(CAST(sum(v.`total`) AS DECIMAL(20, 2))) OVER (), 2) AS share FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: a rounded average of averages
SELECT k, round(sum(avg(price)) OVER (), 2) AS s FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(sum(CAST((CAST(CAST(sum(v.`total`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_0`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6))) OVER (), 2) AS s FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: a rounded sum of extremes
SELECT k, round(sum(max(price)) OVER (), 1) AS s, round(sum(min(n) + 1) OVER (), 0) AS t FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(sum(max(v.`top`)) OVER (), 1) AS s, round(sum(min(v.`low`) + 1) OVER (), 0) AS t FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: an average of integers is one of doubles
SELECT k, round(avg(sum(n)) OVER (), 1) AS s FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(avg(sum(v.`viewgate_sum_1`)) OVER (), 1) AS s FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: a sum of averages that are doubles
SELECT k, round(sum(avg(n)) OVER (), 1) AS s FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(sum(CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE)) OVER (), 1) AS s FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: extremes of doubles
SELECT k, round(sum(max(x)) OVER (), 1) AS s FROM t GROUP BY k
--@ rewritten using prices
SELECT v.`k` AS k, round(sum(max(v.`xmax`)) OVER (), 1) AS s FROM lake.demo.prices__storage AS v GROUP BY v.`k`

--@ case: a sum of doubles cut to a decimal
SELECT k, round(sum(CAST(sum(x) AS DECIMAL(10,2))) OVER (), 1) AS s FROM t GROUP BY k
--@ kept: halves FLOAT_SUM_DECIDES_ROWS sum(x); prices FLOAT_SUM_DECIDES_ROWS sum(x)

--@ case: a condition on a sum of doubles
SELECT k, round(sum(CASE WHEN sum(x) > 1 THEN count(*) END) OVER (), 1) AS s FROM t GROUP BY k
--@ kept: halves FLOAT_SUM_DECIDES_ROWS sum(x); prices FLOAT_SUM_DECIDES_ROWS sum(x)
