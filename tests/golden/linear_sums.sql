-- Sums of what is linear in a column, from the column's sum and count.
--@ schema
CREATE TABLE t (id INT NOT NULL, k INT, r STRING, x INT, y INT NOT NULL, w INT NOT NULL, b BIGINT, p DECIMAL(10,2), f DOUBLE, tax DECIMAL(4,2));
--@ rows
INSERT INTO t VALUES (1,1,'a',1,2,5,3,1.5,0.5,0.1),(2,1,'b',NULL,2,6,4,2.5,1.5,0.2),(3,2,NULL,5,2,7,3,NULL,NULL,NULL),(4,NULL,'a',7,1,8,NULL,9.5,0.25,0.2),(4,NULL,'a',7,1,8,NULL,9.5,0.25,0.2)
--@ view m
SELECT k, r, tax, sum(x) AS sx, count(x) AS cx, sum(y) AS sy, sum(w) AS sw, count(*) AS c, sum(p) AS sp, count(p) AS cp, sum(b) AS sb, sum(f) AS sf FROM t GROUP BY k, r, tax

--@ case: a column twice
SELECT r, sum(2 * x) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sx` * 2) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a column and a constant
SELECT r, sum(x + 1), sum(x - 1), sum(1 - x) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sx` + (CAST(1 AS BIGINT) * v.`cx`)), sum(v.`sx` - (CAST(1 AS BIGINT) * v.`cx`)), sum((CAST(1 AS BIGINT) * v.`cx`) - v.`sx`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: the constant of no values is none
SELECT k, sum(x + 1) FROM t WHERE k = 1 AND r = 'b' GROUP BY k
--@ rewritten using m
SELECT v.`k` AS k, sum(v.`sx` + (CAST(1 AS BIGINT) * v.`cx`)) FROM lake.demo.m__storage AS v WHERE v.`k` = 1 AND v.`r` = 'b' GROUP BY v.`k`

--@ case: a column negated
SELECT r, sum(-x) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(-v.`sx`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a column and a key
SELECT r, sum(x * k), sum(x + k), sum(k - x) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sx` * v.`k`), sum(v.`sx` + (CAST(v.`k` AS BIGINT) * v.`cx`)), sum((CAST(v.`k` AS BIGINT) * v.`cx`) - v.`sx`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a DECIMAL and a constant
SELECT r, sum(p * 2), sum(p + 1), sum(p - 0.5) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(v.`sp` * 2) AS DECIMAL(22, 2)), CAST(sum(v.`sp` + (1 * CAST(v.`cp` AS DECIMAL(18, 0)))) AS DECIMAL(21, 2)), CAST(sum(v.`sp` - (0.5 * CAST(v.`cp` AS DECIMAL(18, 0)))) AS DECIMAL(21, 2)) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a DECIMAL and a DECIMAL key
SELECT r, sum(p * tax), sum(p * (1 - tax)) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(v.`sp` * v.`tax`) AS DECIMAL(25, 4)), CAST(sum(v.`sp` * (1 - v.`tax`)) AS DECIMAL(26, 4)) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: at the view's own grain
SELECT k, r, tax, sum(p * (1 - tax)), sum(2 * x + 1) FROM t GROUP BY k, r, tax
--@ rewritten using m
SELECT v.`k` AS k, v.`r` AS r, v.`tax` AS tax, CAST(v.`sp` * (1 - v.`tax`) AS DECIMAL(26, 4)), (v.`sx` * 2) + (CAST(1 AS BIGINT) * v.`cx`) FROM lake.demo.m__storage AS v

--@ case: two columns that are never NULL
SELECT r, sum(y + w), sum(y - w) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sy` + v.`sw`), sum(v.`sy` - v.`sw`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a linear expression of one of them
SELECT r, sum(2 * y + w) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum((v.`sy` * 2) + v.`sw`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: under a condition
SELECT r, sum(2 * x) FILTER (WHERE k = 1), sum(CASE WHEN k = 1 THEN x + 1 ELSE 0 END) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sx` * 2) FILTER(WHERE v.`k` = 1), sum(CASE WHEN v.`k` = 1 THEN v.`sx` + (CAST(1 AS BIGINT) * v.`cx`) ELSE 0 END) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: an average of such
SELECT r, avg(y * 2) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(v.`sy` * 2) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c`), 0), 0) AS DOUBLE) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: two columns of which one may be NULL
SELECT r, sum(x + y) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(x + y)

--@ case: a product of two columns
SELECT r, sum(y * w) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(y * w)

--@ case: a BIGINT, whose partial sums are added as DECIMALs
SELECT r, sum(b * 2) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0)) * 2) AS BIGINT) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a DOUBLE, which would be rounded
SELECT r, sum(f + 1) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(f + 1)

--@ case: a quotient, which Spark computes in DOUBLE
SELECT r, sum(x / 2) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(CAST(v.`sx` AS DOUBLE) / 2) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a product of a key and a constant is weighed by the rows
SELECT r, sum(k * 2) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(CAST(v.`k` * 2 AS BIGINT) * v.`c`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a DECIMAL of too many digits
SELECT r, sum(p * CAST(k AS DECIMAL(18, 6))) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(p * CAST(k AS DECIMAL(18, 6)))

--@ case: two columns of which one counts as 0 where it is NULL
SELECT r, sum(y - coalesce(x, 0)), sum(nvl(x, 0) + w), avg(y + coalesce(x, 0)) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sy` - coalesce(v.`sx`, 0)), sum(coalesce(v.`sx`, 0) + v.`sw`), CAST(sum(v.`sy` + coalesce(v.`sx`, 0)) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c`), 0), 0) AS DOUBLE) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: two columns that both count as 0
SELECT r, sum(coalesce(x, 0) + coalesce(b, 0)), sum(coalesce(p, 0) - coalesce(x, 0)) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(CAST(coalesce(v.`sx`, 0) AS DECIMAL(38, 0)) + CAST(coalesce(v.`sb`, 0) AS DECIMAL(38, 0))) AS BIGINT), CAST(sum(coalesce(v.`sp`, 0) - coalesce(v.`sx`, 0)) AS DECIMAL(23, 2)) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: of the rows with a condition
SELECT sum(CASE WHEN k = 1 THEN y - coalesce(x, 0) END) FROM t
--@ rewritten using m
SELECT sum(CASE WHEN v.`k` = 1 THEN v.`sy` - coalesce(v.`sx`, 0) END) FROM lake.demo.m__storage AS v

--@ case: a product of which one side is NULL
SELECT r, sum(y + 2 * (coalesce(x, 0) - b)) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(y + 2 * (coalesce(x, 0) - b))

--@ case: another column in its place may be NULL, too
SELECT r, sum(y - coalesce(x, k)) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(y - coalesce(x, k))

--@ case: and is not the same as 0
SELECT r, sum(y - coalesce(x, 1)) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(y - coalesce(x, 1))
