-- Averages and counts of arithmetic on one column, from the sum and count of the column.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, rate DECIMAL(4,2), q INT, qn INT NOT NULL, d DECIMAL(10,2), f DOUBLE);
--@ rows
INSERT INTO t VALUES ('a', 1, 0.50, 10, 3, 12.34, 1.5), ('a', 2, NULL, NULL, 4, NULL, NULL), ('a', 2, 0.25, 8, 5, 0.02, -2.25), ('b', 1, 0.50, -5, 3, -5.55, 1e300), (NULL, 1, 0.50, NULL, 3, NULL, NULL)
--@ view m
SELECT g, h, rate, sum(q) AS sq, count(q) AS cq, sum(qn) AS sqn, sum(d) AS sd, count(d) AS cd, sum(f) AS sf, count(f) AS cf, count(*) AS n FROM t GROUP BY g, h, rate

--@ case: a column and a constant
SELECT g, avg(q + 1) AS a, avg(2 * q - 1) AS b, avg(-q) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(v.`sq` + (CAST(1 AS BIGINT) * v.`cq`)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS a, CAST(sum((v.`sq` * 2) - (CAST(1 AS BIGINT) * v.`cq`)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS b, CAST(sum(-v.`sq`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: at the view's grain
SELECT g, h, rate, avg(q + 1) AS a FROM t GROUP BY g, h, rate
--@ rewritten using m
SELECT v.`g` AS g, v.`h` AS h, v.`rate` AS rate, CAST(v.`sq` + (CAST(1 AS BIGINT) * v.`cq`) AS DOUBLE) / CAST(nullif(v.`cq`, 0) AS DOUBLE) AS a FROM lake.demo.m__storage AS v

--@ case: under a condition
SELECT g, avg(q * 2) FILTER (WHERE h = 1) AS a, avg(CASE WHEN h = 1 THEN q * 2 END) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(v.`sq` * 2) FILTER(WHERE v.`h` = 1) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`) FILTER(WHERE v.`h` = 1), 0), 0) AS DOUBLE) AS a, CAST(sum(CASE WHEN v.`h` = 1 THEN v.`sq` * 2 END) AS DOUBLE) / CAST(nullif(coalesce(sum(CASE WHEN v.`h` = 1 THEN v.`cq` ELSE 0 END), 0), 0) AS DOUBLE) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: over all rows
SELECT avg(q + 1) AS a, count(q + 1) AS c FROM t
--@ rewritten using m
SELECT CAST(sum(v.`sq` + (CAST(1 AS BIGINT) * v.`cq`)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS a, coalesce(sum(v.`cq`), 0) AS c FROM lake.demo.m__storage AS v

--@ case: of a column that is never NULL
SELECT g, avg(qn * 2) AS a FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(v.`sqn` * 2) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE) AS a FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: as DECIMALs
SELECT g, avg(q * 1.0) AS a, avg(CAST(q AS DECIMAL(18,2))) AS b, avg(d * 1.5) AS c, avg(d + 1) AS e FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(CAST((CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) - (CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(12, 0)) + CAST(CAST(CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(17, 1)) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(7, 5)) AS DECIMAL(17, 5)) AS a, CAST(CAST((CAST(sum(v.`sq`) AS DECIMAL(28, 2)) - (CAST(sum(v.`sq`) AS DECIMAL(28, 2)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(16, 0)) + CAST(CAST(CAST(sum(v.`sq`) AS DECIMAL(28, 2)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(22, 6)) AS b, CAST(CAST((CAST(sum(v.`sd` * 1.5) AS DECIMAL(23, 3)) - (CAST(sum(v.`sd` * 1.5) AS DECIMAL(23, 3)) % CAST(nullif(coalesce(sum(v.`cd`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cd`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(v.`sd` * 1.5) AS DECIMAL(23, 3)) % CAST(nullif(coalesce(sum(v.`cd`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(19, 3)) / CAST(nullif(coalesce(sum(v.`cd`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(9, 7)) AS DECIMAL(17, 7)) AS c, CAST((CAST(CAST(sum(v.`sd` + (1 * CAST(v.`cd` AS DECIMAL(18, 0)))) AS DECIMAL(21, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cd`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(15, 6)) AS e FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: which may decide rows
SELECT g FROM t GROUP BY g HAVING avg(q * 1.0) > 5
--@ rewritten using m
SELECT v.`g` AS g FROM lake.demo.m__storage AS v GROUP BY v.`g` HAVING CAST(CAST((CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) - (CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(12, 0)) + CAST(CAST(CAST(sum(v.`sq` * 1.0) AS DECIMAL(23, 1)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(17, 1)) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(7, 5)) AS DECIMAL(17, 5)) > 5

--@ case: so may those of integers, if no sum is rounded
SELECT g FROM t GROUP BY g HAVING avg(q + 1) > 5
--@ rewritten using m
SELECT v.`g` AS g FROM lake.demo.m__storage AS v GROUP BY v.`g` HAVING (CAST(sum(v.`sq` + (CAST(1 AS BIGINT) * v.`cq`)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE)) > 5

--@ case: with zeros for NULLs
SELECT g, avg(nvl(q, 0)) AS a, avg(coalesce(q, 0)) AS b, avg(coalesce(d, 0)) AS c, avg(coalesce(f, 0)) AS e FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(coalesce(v.`sq`, 0)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE) AS a, CAST(sum(coalesce(v.`sq`, 0)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE) AS b, CAST(CAST((CAST(sum(coalesce(v.`sd`, 0)) AS DECIMAL(22, 2)) - (CAST(sum(coalesce(v.`sd`, 0)) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(coalesce(v.`sd`, 0)) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(16, 6)) AS c, CAST(sum(coalesce(v.`sf`, 0)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`n`), 0), 0) AS DOUBLE) AS e FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: with another number for NULLs, of which the number is not known
SELECT g, avg(coalesce(q, 7)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW avg(coalesce(q, 7))

--@ case: counts
SELECT g, count(q + 1) AS a, count(2 * q / 3) AS b, count(CAST(d AS DOUBLE) * 1.5) AS c, count(coalesce(q, 0)) AS e, count(qn - 1) AS f FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, coalesce(sum(v.`cq`), 0) AS a, coalesce(sum(v.`cq`), 0) AS b, coalesce(sum(v.`cd`), 0) AS c, coalesce(sum(v.`n`), 0) AS e, coalesce(sum(v.`n`), 0) AS f FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: a count of a column that is NULL elsewhere
SELECT g, count(q + d) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(q + d)

--@ case: a quotient by a column, which may be zero
SELECT g, count(q / h) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(q / h)

--@ case: a quotient by zero
SELECT g, count(q % 0) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(q % 0)

--@ case: an attempt at a cast gives NULL for large numbers
SELECT g, count(try_cast(d AS DECIMAL(5,2))) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(TRY_CAST(d AS DECIMAL(5, 2)))

--@ case: a sum of coalesced values times a constant is zero where all are NULL
SELECT g, sum(coalesce(q, 0) * 2) AS a, sum(nvl(d, 0) * 1.5) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(coalesce(v.`sq`, 0) * 2) AS a, CAST(sum(coalesce(v.`sd`, 0) * 1.5) AS DECIMAL(25, 3)) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`
