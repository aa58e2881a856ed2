-- Sums and averages of quotients and products with constants and keys, from the stored sums.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, rate DECIMAL(4,2), q INT, b BIGINT, few BIGINT, c BIGINT NOT NULL, e BIGINT NOT NULL, d DECIMAL(10,2), w DECIMAL(25,2), f DOUBLE, fl FLOAT);
--@ rows
INSERT INTO t VALUES ('a', 1, 0.50, 10, 4000000000000000000, 3, 5, 4, 12.34, 1.25, 1.5, 0.25), ('a', 2, NULL, NULL, NULL, NULL, 6, 1, NULL, NULL, NULL, NULL), ('a', 2, 0.25, 7, -4000000000000000000, 4, 7, 2, 0.01, 3.33, -2.25, 1.5), ('b', 1, 0.50, -5, -8, 5, 8, 3, -5.55, -4.5, 1e300, 3.5), ('b', 1, -0.50, 5, -8, 5, 8, 3, 5.55, 4.5, 1e300, 3.5), (NULL, 1, 0.50, NULL, 1, NULL, 9, 2, NULL, NULL, NULL, NULL), ('z', 1, 0.50, 0, 0, 0, 0, 0, 0.00, 0.00, 0, 0)
--@ ranges
t.few = 0..1000
--@ view m
SELECT g, h, rate, sum(q) AS sq, count(q) AS cq, sum(b) AS sb, count(b) AS cb, sum(few) AS sfew, count(few) AS cfew, sum(c) AS sc, sum(e) AS se, sum(d) AS sd, count(d) AS cd, sum(w) AS sw, sum(f) AS sf, count(f) AS cf, sum(fl) AS sfl, count(*) AS n FROM t GROUP BY g, h, rate

--@ case: cents as euros, which Spark divides in DOUBLE
SELECT g, sum(q / 100) AS s, avg(q / 100) AS a, sum(b / 1000) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(CAST(v.`sq` AS DOUBLE) / 100) AS s, CAST(sum(CAST(v.`sq` AS DOUBLE) / 100) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS a, sum(CAST(v.`sb` AS DOUBLE) / 1000) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: at the view's grain no zero may be negative
SELECT g, h, rate, sum(q / 100) AS a, sum(q / -100) AS b, sum(-CAST(q AS DOUBLE)) AS c, sum(q / h) AS d, sum(CAST(q AS DOUBLE) * rate) AS e FROM t GROUP BY g, h, rate
--@ rewritten using m
SELECT v.`g` AS g, v.`h` AS h, v.`rate` AS rate, CAST(v.`sq` AS DOUBLE) / 100 AS a, (CAST(v.`sq` AS DOUBLE) / (-100)) + CAST(0 AS DOUBLE) AS b, CAST(0 AS DOUBLE) - CAST(v.`sq` AS DOUBLE) AS c, (CAST(v.`sq` AS DOUBLE) / v.`h`) + CAST(0 AS DOUBLE) AS d, (CAST(v.`sq` AS DOUBLE) * v.`rate`) + CAST(0 AS DOUBLE) AS e FROM lake.demo.m__storage AS v

--@ case: a product in DOUBLE with a number or key
SELECT g, sum(CAST(q AS DOUBLE) * 1.2) AS a, sum(q * 1e2) AS b, sum(CAST(d AS DOUBLE) * rate) AS c, sum(q / 100 * 1.1) AS e FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(CAST(v.`sq` AS DOUBLE) * 1.2) AS a, sum(CAST(v.`sq` AS DOUBLE) * 1e2) AS b, sum((CAST(v.`sd` AS DOUBLE) * v.`rate`) + CAST(0 AS DOUBLE)) AS c, sum((CAST(v.`sq` AS DOUBLE) / 100) * 1.1) AS e FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: under a condition, and with zeros for NULLs
SELECT g, sum(q / 100) FILTER (WHERE h = 1) AS a, sum(CASE WHEN h = 1 THEN q / 100 ELSE 0 END) AS b, sum(coalesce(q, 0) / 100) AS c, sum(coalesce(q / 100, 0)) AS e FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(CAST(v.`sq` AS DOUBLE) / 100) FILTER(WHERE v.`h` = 1) AS a, sum(CASE WHEN v.`h` = 1 THEN CAST(v.`sq` AS DOUBLE) / 100 ELSE 0 END) AS b, sum(CAST(coalesce(v.`sq`, 0) AS DOUBLE) / 100) AS c, sum(coalesce(CAST(v.`sq` AS DOUBLE) / 100, 0)) AS e FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: a rounded one decides no rows
SELECT g FROM t GROUP BY g HAVING sum(q / 100) > 0.05
--@ kept: FLOAT_SUM_DECIDES_ROWS sum(q / 100)

--@ case: a sum of DOUBLEs may be infinite where that of their products is not
SELECT g, sum(f / 1000) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(f / 1000)

--@ case: a sum of FLOATs as well
SELECT g, sum(fl * 2) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(fl * 2)

--@ case: a sum may cancel what is added to each DOUBLE
SELECT g, sum(q / 100 + 1) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(q / 100 + 1)

--@ case: a quotient by zero
SELECT g, sum(q / 0) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(q / 0)

--@ case: a number so large that the product may be infinite
SELECT g, sum(q * 1e300) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(q * 1e300)

--@ case: a quotient of integers by a column
SELECT g, sum(h / q) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(h / q)

--@ case: DECIMAL quotients that have all their digits
SELECT g, sum(q / 100.0) AS a, sum(d / 100) AS b, sum(d / 8) AS c, sum(d / 0.5) AS e, sum(d / 100 * 2) AS f, sum(b / 100.0) AS h FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(v.`sq` * 0.01) AS DECIMAL(27, 6)) AS a, CAST(sum(v.`sd` * 0.01) AS DECIMAL(24, 6)) AS b, CAST(sum(v.`sd` * 0.125) AS DECIMAL(24, 6)) AS c, CAST(sum(v.`sd` * 2) AS DECIMAL(25, 6)) AS e, CAST(sum((v.`sd` * 0.01) * 2) AS DECIMAL(26, 6)) AS f, CAST(sum(v.`sb` * 0.01) AS DECIMAL(37, 6)) AS h FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: under a condition
SELECT g, sum(q / 100.0) FILTER (WHERE h = 1) AS a, sum(CASE WHEN h = 1 THEN d / 100 ELSE 0 END) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(v.`sq` * 0.01) FILTER(WHERE v.`h` = 1) AS DECIMAL(27, 6)) AS a, CAST(sum(CASE WHEN v.`h` = 1 THEN CAST(v.`sd` * 0.01 AS DECIMAL(26, 6)) ELSE 0 END) AS DECIMAL(26, 6)) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: which may decide rows
SELECT g FROM t GROUP BY g HAVING sum(d / 100) > 0.1
--@ rewritten using m
SELECT v.`g` AS g FROM lake.demo.m__storage AS v GROUP BY v.`g` HAVING CAST(sum(v.`sd` * 0.01) AS DECIMAL(24, 6)) > 0.1

--@ case: an average of them
SELECT g, avg(q / 100.0) AS a FROM t WHERE h = 1 GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(CAST((CAST(sum(v.`sq` * 0.01) AS DECIMAL(27, 6)) - (CAST(sum(v.`sq` * 0.01) AS DECIMAL(27, 6)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(11, 0)) + CAST(CAST(CAST(sum(v.`sq` * 0.01) AS DECIMAL(27, 6)) % CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(22, 6)) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(12, 10)) AS DECIMAL(21, 10)) AS a FROM lake.demo.m__storage AS v WHERE v.`h` = 1 GROUP BY v.`g`

--@ case: a quotient that is rounded row by row
SELECT g, sum(d / 3) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(d / 3)

--@ case: a quotient whose digits do not fit
SELECT g, sum(w / 100) AS s FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(w / 100)

--@ case: BIGINTs, whose products may overflow before they are added
SELECT g, sum(b * 2) AS a, sum(b + 1) AS b, sum(-b) AS c, sum(b * h) AS e, avg(b * 2) AS f, sum(2 * b - 1) AS h FROM t WHERE h > 1 GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) * 2) AS BIGINT) AS a, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0)))) AS BIGINT) AS b, CAST(sum(-CAST(v.`sb` AS DECIMAL(38, 0))) AS BIGINT) AS c, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) * v.`h`) AS BIGINT) AS e, CAST(sum(CAST(CAST(v.`sb` AS DECIMAL(38, 0)) * 2 AS DECIMAL(38, 0))) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cb`), 0), 0) AS DOUBLE) AS f, CAST(sum(CAST(CAST(v.`sb` AS DECIMAL(38, 0)) * 2 AS DECIMAL(38, 0)) - (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0)))) AS BIGINT) AS h FROM lake.demo.m__storage AS v WHERE v.`h` > 1 GROUP BY v.`g`

--@ case: at the view's grain
SELECT g, h, rate, sum(b + 1) AS a, avg(b + 1) AS b FROM t GROUP BY g, h, rate
--@ rewritten using m
SELECT v.`g` AS g, v.`h` AS h, v.`rate` AS rate, CAST(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))) AS BIGINT) AS a, CAST(CAST(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))) AS DECIMAL(38, 0)) AS DOUBLE) / CAST(nullif(v.`cb`, 0) AS DOUBLE) AS b FROM lake.demo.m__storage AS v

--@ case: BIGINTs of two columns
SELECT g, sum(c - e) AS a, sum(2 * c + e) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(CAST(v.`sc` AS DECIMAL(38, 0)) - CAST(v.`se` AS DECIMAL(38, 0))) AS BIGINT) AS a, CAST(sum(CAST(CAST(v.`sc` AS DECIMAL(38, 0)) * 2 AS DECIMAL(38, 0)) + CAST(v.`se` AS DECIMAL(38, 0))) AS BIGINT) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: one of which may be NULL
SELECT g, sum(b - c) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW sum(b - c)

--@ case: BIGINTs within their bounds
SELECT g, sum(few * 2) AS a, sum(few + 1) AS b, avg(few * 2) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(v.`sfew` * 2) AS a, sum(v.`sfew` + (CAST(1 AS BIGINT) * v.`cfew`)) AS b, CAST(sum(v.`sfew` * 2) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cfew`), 0), 0) AS DOUBLE) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: BIGINTs under a condition, and with zeros for NULLs
SELECT g, sum(CASE WHEN h = 2 THEN b - 1 ELSE 0 END) AS a, sum(coalesce(b + 1, 0)) AS b, sum(b - 1) FILTER (WHERE h = 2) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, CAST(sum(CASE WHEN v.`h` = 2 THEN CAST(v.`sb` AS DECIMAL(38, 0)) - (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))) ELSE 0 END) AS BIGINT) AS a, CAST(sum(coalesce(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))), 0)) AS BIGINT) AS b, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) - (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0)))) FILTER(WHERE v.`h` = 2) AS BIGINT) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: BIGINTs as DOUBLEs and as DECIMALs
SELECT g, sum(CAST(b + 1 AS DOUBLE)) AS a, sum(CAST(b + 1 AS DECIMAL(20,0))) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(CAST(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))) AS DOUBLE)) AS a, CAST(sum(CAST(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0))) AS DECIMAL(30, 0))) AS DECIMAL(30, 0)) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: BIGINTs that may decide rows
SELECT g FROM t GROUP BY g HAVING sum(b + 1) > 5
--@ rewritten using m
SELECT v.`g` AS g FROM lake.demo.m__storage AS v GROUP BY v.`g` HAVING CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) + (CAST(1 AS BIGINT) * CAST(v.`cb` AS DECIMAL(38, 0)))) AS BIGINT) > 5

--@ case: integers as BIGINTs
SELECT g, sum(CAST(q AS BIGINT) * 100) AS a, avg(CAST(q AS BIGINT)) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, sum(v.`sq` * 100) AS a, CAST(sum(v.`sq`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cq`), 0), 0) AS DOUBLE) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`
