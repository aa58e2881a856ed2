-- Minima and maxima of functions of integers: without ANSI mode a product wraps around.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, q INT, d DECIMAL(10,2), w DECIMAL(38,0), dt DATE);
--@ rows
INSERT INTO t VALUES ('a', 1, 10, 12.34, 1, DATE '2024-01-01'), ('a', 2, -7, -0.05, 99999999999999999999999999999999999999, DATE '2025-03-31'), ('b', 1, NULL, NULL, NULL, NULL)
--@ settings
spark.sql.ansi.enabled = false
--@ view m
SELECT g, h, min(q) AS minq, max(q) AS maxq, min(d) AS mind, max(d) AS maxd, max(dt) AS maxdt, min(w) AS minw, max(w) AS maxw, count(w) AS cw FROM t GROUP BY g, h

--@ case: a product of integers
SELECT g, max(q * 2) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(q * 2)

--@ case: the least integer has no opposite
SELECT g, max(-q) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(-q)

--@ case: the greatest integers have no greater multiple of 10
SELECT g, max(round(q, -1)) AS a, min(round(q, -2)) AS b FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(round(q, -1))

--@ case: integers rounded to units stay as they are
SELECT g, max(round(q)) AS a, min(round(q, 2)) AS b, max(ceil(q)) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(round(v.`maxq`)) AS a, min(round(v.`minq`, 2)) AS b, max(ceil(v.`maxq`)) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: quotients, casts, DECIMALs and dates
SELECT g, max(q / 100) AS a, max(-d) AS b, min(d + 1) AS c, max(CAST(q AS BIGINT)) AS e, max(year(dt)) AS f FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxq` / 100) AS a, max(-v.`mind`) AS b, min(v.`mind` + 1) AS c, max(CAST(v.`maxq` AS BIGINT)) AS e, max(year(v.`maxdt`)) AS f FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: a product with more than 38 digits is NULL, and the maximum leaves it out
SELECT g, max(w * 2) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(w * 2)

--@ case: nor does the count count it
SELECT g, count(w * 2) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(w * 2)

--@ case: a rounded number may have 39 digits, too
SELECT g, min(round(w, -2)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW min(round(w, -2))

--@ case: DIV keeps 64 bits of a greater quotient
SELECT g, max(w DIV 3) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(w DIV 3)

--@ case: and is NULL for a quotient of more than 38 digits
SELECT g, count(w DIV 0.01) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW count(w DIV 0.01)

--@ case: a quotient that fits BIGINT
SELECT g, max(d DIV 2) AS a FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxd` DIV 2) AS a FROM lake.demo.m__storage AS v GROUP BY v.`g`
