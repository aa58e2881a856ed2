-- Sums and averages of integers as DOUBLE or DECIMAL, from the stored sums of the integers.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, n INT, b BIGINT, s SMALLINT);
--@ rows
INSERT INTO t VALUES ('a', 1, 1, 4000000000000000000, 1), ('a', 2, NULL, 4000000000000000001, 2), ('a', 2, 3, 4000000000000000003, NULL), ('b', 1, 2147483647, -7, 32767), ('b', 3, 2147483647, NULL, -3), (NULL, 1, NULL, NULL, NULL)
--@ view sums
SELECT g, h, sum(n) AS n, count(n) AS cn, sum(b) AS b, count(b) AS cb, sum(s) AS s, count(*) AS c FROM t GROUP BY g, h

--@ case: an average of BIGINTs from their sum and count
SELECT g, avg(b) AS a FROM t GROUP BY g
--@ rewritten using sums
SELECT v.`g` AS g, CAST(sum(CAST(v.`b` AS DECIMAL(38, 0))) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cb`), 0), 0) AS DOUBLE) AS a FROM lake.demo.sums__storage AS v GROUP BY v.`g`

--@ case: at the view's grain
SELECT g, h, avg(b) AS a FROM t GROUP BY g, h
--@ rewritten using sums
SELECT v.`g` AS g, v.`h` AS h, CAST(CAST(v.`b` AS DECIMAL(38, 0)) AS DOUBLE) / CAST(nullif(v.`cb`, 0) AS DOUBLE) AS a FROM lake.demo.sums__storage AS v

--@ case: with a FILTER
SELECT g, avg(b) FILTER (WHERE h > 1) AS a FROM t GROUP BY g
--@ rewritten using sums
SELECT v.`g` AS g, CAST(sum(CAST(v.`b` AS DECIMAL(38, 0))) FILTER(WHERE v.`h` > 1) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cb`) FILTER(WHERE v.`h` > 1), 0), 0) AS DOUBLE) AS a FROM lake.demo.sums__storage AS v GROUP BY v.`g`

--@ case: of a CASE
SELECT g, avg(CASE WHEN h > 1 THEN b END) AS a FROM t GROUP BY g
--@ rewritten using sums
SELECT v.`g` AS g, CAST(sum(CAST(CASE WHEN v.`h` > 1 THEN v.`b` END AS DECIMAL(38, 0))) AS DOUBLE) / CAST(nullif(coalesce(sum(CASE WHEN v.`h` > 1 THEN v.`cb` ELSE 0 END), 0), 0) AS DOUBLE) AS a FROM lake.demo.sums__storage AS v GROUP BY v.`g`

--@ case: over all rows
SELECT avg(b) AS a, sum(CAST(b AS DECIMAL(38,0))) AS s FROM t
--@ rewritten using sums
SELECT CAST(sum(CAST(v.`b` AS DECIMAL(38, 0))) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cb`), 0), 0) AS DOUBLE) AS a, CAST(sum(CAST(v.`b` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)) AS s FROM lake.demo.sums__storage AS v

--@ case: a sum of BIGINTs as DOUBLEs
SELECT g, sum(CAST(b AS DOUBLE)) AS s FROM t GROUP BY g
--@ rewritten using sums
SELECT v.`g` AS g, sum(CAST(v.`b` AS DOUBLE)) AS s FROM lake.demo.sums__storage AS v GROUP BY v.`g`

--@ case: which decides no rows
SELECT g FROM t GROUP BY g HAVING sum(CAST(b AS DOUBLE)) > 5
--@ kept: FLOAT_SUM_DECIDES_ROWS sum(CAST(b AS DOUBLE))

--@ case: a sum as DECIMAL
SELECT g, sum(CAST(n AS DECIMAL(18,2))) AS s, sum(try_cast(s AS DECIMAL(10,0))) AS t FROM t GROUP BY g
--@ rewritten using sums
SELECT v.`g` AS g, CAST(sum(v.`n`) AS DECIMAL(28, 2)) AS s, CAST(sum(v.`s`) AS DECIMAL(20, 0)) AS t FROM lake.demo.sums__storage AS v GROUP BY v.`g`

--@ case: which may decide rows
SELECT g FROM t GROUP BY g HAVING sum(CAST(b AS DECIMAL(28,2))) > 5
--@ rewritten using sums
SELECT v.`g` AS g FROM lake.demo.sums__storage AS v GROUP BY v.`g` HAVING CAST(sum(CAST(v.`b` AS DECIMAL(38, 2))) AS DECIMAL(38, 2)) > 5

--@ case: a DECIMAL with too few digits is an error for some integers
SELECT g, sum(CAST(n AS DECIMAL(9,2))) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CAST(n AS DECIMAL(9, 2)))

--@ case: an attempt at such a cast gives NULL for some integers
SELECT g, sum(try_cast(n AS DECIMAL(9,2))) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(TRY_CAST(n AS DECIMAL(9, 2)))

--@ case: a FLOAT rounds integers one by one
SELECT g, sum(CAST(n AS FLOAT)) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CAST(n AS FLOAT))
