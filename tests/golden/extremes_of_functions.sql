-- Minima and maxima of monotone functions of a column, from the minimum and maximum of the column.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, q INT, b BIGINT, d DECIMAL(10,2), f DOUBLE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, dt DATE);
--@ rows
INSERT INTO t VALUES ('a', 1, 10, 5, 12.34, 1.5, TIMESTAMP '2024-01-01 10:00:00', TIMESTAMP_NTZ '2024-01-01 10:00:00', DATE '2024-01-01'), ('a', 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('a', 2, -7, 12, -0.05, -2.25, TIMESTAMP '2025-03-31 23:59:59', TIMESTAMP_NTZ '2025-03-31 23:59:59', DATE '2025-03-31'), ('b', 1, -5, -8, -5.55, CAST('NaN' AS DOUBLE), TIMESTAMP '2024-01-01 12:30:00', TIMESTAMP_NTZ '2023-01-01 12:30:00', DATE '2024-02-29'), ('b', 1, 0, 0, 0.05, 0.5, NULL, NULL, NULL), (NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
--@ view m
SELECT g, h, min(q) AS minq, max(q) AS maxq, min(b) AS minb, max(b) AS maxb, min(d) AS mind, max(d) AS maxd, min(f) AS minf, max(f) AS maxf, min(ts) AS mints, max(ts) AS maxts, min(ntz) AS minntz, max(ntz) AS maxntz, min(dt) AS mindt, max(dt) AS maxdt FROM t GROUP BY g, h

--@ case: of arithmetic with constants
SELECT g, max(q * 2) AS a, min(q + 1) AS b, max(2 * q - 3) AS c, max(b + 1) AS e, min(d * 1.5) AS f FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxq` * 2) AS a, min(v.`minq` + 1) AS b, max((2 * v.`maxq`) - 3) AS c, max(v.`maxb` + 1) AS e, min(v.`mind` * 1.5) AS f FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: which reverses the order
SELECT g, max(-q) AS a, min(-d) AS b, max(5 - q) AS c, max(q * -2) AS e, min(q / -4) AS f, max(-b) AS h FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(-v.`minq`) AS a, min(-v.`maxd`) AS b, max(5 - v.`minq`) AS c, max(v.`minq` * (-2)) AS e, min(v.`maxq` / (-4)) AS f, max(-v.`minb`) AS h FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: at the view's grain
SELECT g, h, max(q * 2) AS a, min(-q) AS b, max(year(ts)) AS c FROM t GROUP BY g, h
--@ rewritten using m
SELECT v.`g` AS g, v.`h` AS h, v.`maxq` * 2 AS a, -v.`maxq` AS b, year(v.`maxts`) AS c FROM lake.demo.m__storage AS v

--@ case: over all rows
SELECT max(q * 2) AS a, min(year(dt)) AS b FROM t
--@ rewritten using m
SELECT max(v.`maxq` * 2) AS a, min(year(v.`mindt`)) AS b FROM lake.demo.m__storage AS v

--@ case: of quotients, which are rounded to the same value
SELECT g, max(q / 3) AS a, min(d / 7) AS b, max(q DIV 4) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxq` / 3) AS a, min(v.`mind` / 7) AS b, max(v.`maxq` DIV 4) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: DIV keeps 64 bits of a greater quotient, also in ANSI mode
SELECT g, max(d DIV 0.00000000001) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(d DIV 0.00000000001)

--@ case: a quotient of DECIMALs that fits BIGINT
SELECT g, max(d DIV 0.0000000001) AS a FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxd` DIV 0.0000000001) AS a FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: which may decide rows, because an extreme is not rounded again
SELECT g FROM t GROUP BY g HAVING max(q / 100) > 0.05
--@ rewritten using m
SELECT v.`g` AS g FROM lake.demo.m__storage AS v GROUP BY v.`g` HAVING max(v.`maxq` / 100) > 0.05

--@ case: of casts to wider types and of roundings
SELECT g, max(CAST(q AS BIGINT)) AS a, max(CAST(q AS DOUBLE) * 1.5) AS b, max(round(d, 1)) AS c, min(floor(d)) AS e FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(CAST(v.`maxq` AS BIGINT)) AS a, max(CAST(v.`maxq` AS DOUBLE) * 1.5) AS b, max(round(v.`maxd`, 1)) AS c, min(floor(v.`mind`)) AS e FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: of DOUBLEs
SELECT g, max(f * 1.2) AS a, min(f + 1) AS b, min(f / 3) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxf` * 1.2) AS a, min(v.`minf` + 1) AS b, min(v.`minf` / 3) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: NaN is the greatest in either order
SELECT g, max(-f) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(-f)

--@ case: infinity times zero is NaN
SELECT g, max(f * 0) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(f * 0)

--@ case: of days, months and years
SELECT g, max(to_date(ts)) AS a, min(year(ts)) AS b, max(date_trunc('month', ts)) AS c, min(CAST(ntz AS DATE)) AS e, max(year(dt)) AS f FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(CAST(v.`maxts` AS DATE)) AS a, min(year(v.`mints`)) AS b, max(date_trunc('MONTH', v.`maxts`)) AS c, min(CAST(v.`minntz` AS DATE)) AS e, max(year(v.`maxdt`)) AS f FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: under a condition
SELECT g, max(q * 2) FILTER (WHERE h = 1) AS a, min(CASE WHEN h = 1 THEN -q END) AS b, max(CASE WHEN h = 1 THEN year(ts) ELSE 0 END) AS c FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(v.`maxq` * 2) FILTER(WHERE v.`h` = 1) AS a, min(CASE WHEN v.`h` = 1 THEN -v.`maxq` END) AS b, max(CASE WHEN v.`h` = 1 THEN year(v.`maxts`) ELSE 0 END) AS c FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: the span between them
SELECT g, datediff(max(to_date(ts)), min(to_date(ts))) AS a, max(year(dt)) - min(year(dt)) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, datediff(max(CAST(v.`maxts` AS DATE)), min(CAST(v.`mints` AS DATE))) AS a, max(year(v.`maxdt`)) - min(year(v.`mindt`)) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`

--@ case: a remainder keeps no order
SELECT g, max(q % 3) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(q % 3)

--@ case: nor does a month
SELECT g, max(month(dt)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(month(dt))

--@ case: nor does a product with a key
SELECT g, max(q * h) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(q * h)

--@ case: a value for NULLs may be the greatest
SELECT g, max(coalesce(q, 0)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(coalesce(q, 0))

--@ case: an integer as text is ordered otherwise
SELECT g, max(CAST(q AS STRING)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(CAST(q AS STRING))
