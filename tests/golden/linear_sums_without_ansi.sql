-- Sums of what is linear in an integer: without ANSI mode a product wraps, and only DECIMALs are certain.
--@ schema
CREATE TABLE t (id INT NOT NULL, k INT, r STRING, x INT, y INT NOT NULL, w INT NOT NULL, b BIGINT, p DECIMAL(10,2), f DOUBLE, tax DECIMAL(4,2));
CREATE TABLE small (k INT, i INT, q FLOAT);
--@ rows
INSERT INTO t VALUES (1,1,'a',1,2,5,3,1.5,0.5,0.1),(2,1,'b',NULL,2,6,4,2.5,1.5,0.2),(3,2,NULL,5,2,7,3,NULL,NULL,NULL),(4,NULL,'a',7,1,8,NULL,9.5,0.25,0.2),(4,NULL,'a',7,1,8,NULL,9.5,0.25,0.2);
INSERT INTO small VALUES (1, 3, 1.5), (0, 16777217, 2.5), (0, 16777219, 0.1)
--@ settings
spark.sql.ansi.enabled = false
--@ view m
SELECT k, r, tax, sum(x) AS sx, count(x) AS cx, sum(y) AS sy, sum(w) AS sw, count(*) AS c, sum(p) AS sp, count(p) AS cp, sum(b) AS sb, sum(f) AS sf FROM t GROUP BY k, r, tax
--@ view floats
SELECT k, sum(i) AS si, sum(q) AS sq, count(*) AS n FROM small GROUP BY k

--@ case: an integer
SELECT r, sum(2 * x) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(2 * x)

--@ case: a DECIMAL
SELECT r, sum(p * 2) FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, CAST(sum(v.`sp` * 2) AS DECIMAL(22, 2)) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a BIGINT sum that wraps is no sum of DECIMALs
SELECT r, sum(b * 1.0) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(b * 1.0)

--@ case: nor is it under a CASE with a branch in a wider type
SELECT r, sum(CASE WHEN k > 1 THEN b ELSE 0.0 END) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CASE WHEN k > 1 THEN b ELSE 0.0 END)

--@ case: nor where NULL becomes a DECIMAL
SELECT r, sum(coalesce(b, 0.0)) FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(coalesce(b, 0.0))

--@ case: in its own type it wraps as the whole does
SELECT r, sum(CASE WHEN k > 1 THEN b END) AS s FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(CASE WHEN v.`k` > 1 THEN v.`sb` END) AS s FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a FLOAT or an INT is a FLOAT, which rounds the INT
SELECT sum(CASE WHEN k > 0 THEN q ELSE i END) AS s FROM small
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CASE WHEN k > 0 THEN q ELSE i END)

--@ case: a sum of BIGINTs may have wrapped where that of DECIMALs or DOUBLEs does not
SELECT k, sum(CAST(b AS DECIMAL(38,0))) AS d, sum(CAST(b AS DOUBLE)) AS f FROM t GROUP BY k
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CAST(b AS DECIMAL(38, 0)))

--@ case: a sum of INTs as DECIMAL
SELECT k, sum(CAST(x AS DECIMAL(12,2))) AS s FROM t GROUP BY k
--@ rewritten using m
SELECT v.`k` AS k, CAST(sum(v.`sx`) AS DECIMAL(22, 2)) AS s FROM lake.demo.m__storage AS v GROUP BY v.`k`

--@ case: an average of integers that may wrap around
SELECT r, avg(x + 1) AS a FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW avg(x + 1)

--@ case: their number is the column's
SELECT r, count(x + 1) AS c, count(CAST(x AS BIGINT) * 2) AS d, avg(p * 2) AS a FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, coalesce(sum(v.`cx`), 0) AS c, coalesce(sum(v.`cx`), 0) AS d, CAST(CAST((CAST(sum(v.`sp` * 2) AS DECIMAL(22, 2)) - (CAST(sum(v.`sp` * 2) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`cp`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`cp`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(10, 0)) + CAST(CAST(CAST(sum(v.`sp` * 2) AS DECIMAL(22, 2)) % CAST(nullif(coalesce(sum(v.`cp`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`cp`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(16, 6)) AS a FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: a DECIMAL with too few digits is NULL
SELECT r, count(CAST(p AS DECIMAL(3,2))) AS c FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW count(CAST(p AS DECIMAL(3, 2)))

--@ case: BIGINTs wrap around in the same way before and after they are added
SELECT r, sum(b * 2) AS a, sum(-b) AS b, sum(b * k) AS c FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(v.`sb` * 2) AS a, sum(-v.`sb`) AS b, sum(v.`sb` * v.`k`) AS c FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: but not as DOUBLEs
SELECT r, sum(b / 100) AS s FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW sum(b / 100)

--@ case: nor in an average
SELECT r, avg(b * 2) AS s FROM t GROUP BY r
--@ kept: AGGREGATE_NOT_IN_VIEW avg(b * 2)

--@ case: quotients of INTs and DECIMALs
SELECT r, sum(x / 100) AS a, sum(p / 100) AS b, sum(x / 100.0) AS c FROM t GROUP BY r
--@ rewritten using m
SELECT v.`r` AS r, sum(CAST(v.`sx` AS DOUBLE) / 100) AS a, CAST(sum(v.`sp` * 0.01) AS DECIMAL(24, 6)) AS b, CAST(sum(v.`sx` * 0.01) AS DECIMAL(27, 6)) AS c FROM lake.demo.m__storage AS v GROUP BY v.`r`
