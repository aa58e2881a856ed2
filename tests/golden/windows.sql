-- Window functions over rows and over groups; those that tell equal rows apart only where no rows are equal.
--@ schema
CREATE TABLE t (a STRING, b STRING, n INT, price DECIMAL(10,2), score DOUBLE);
--@ rows
INSERT INTO t VALUES
  ('p', 'q', 1, 1.10, 0.5), ('p', 'q', NULL, NULL, NULL), ('p', 'r', 3, 3.33, 1.5), ('p', 'r', 3, 3.33, 1.5),
  (NULL, 'r', 3, 2.22, -2.5), (NULL, NULL, NULL, NULL, NULL), ('s', 'q', 7, 0.01, 1e9), ('s', 'u', 3, 1.10, 2.5)
--@ view groups
SELECT a, b, count(*) AS cnt, sum(n) AS sn, sum(price) AS sp, sum(score) AS ss, max(n) AS hi FROM t GROUP BY a, b
--@ view some_rows
SELECT a, b, n, score FROM t WHERE n > 0

--@ case: the share of a total
SELECT a, sum(n), sum(n) / sum(sum(n)) OVER (), sum(sum(price)) OVER () FROM t GROUP BY a
--@ rewritten using groups
SELECT v.`a` AS a, sum(v.`sn`), sum(v.`sn`) / sum(sum(v.`sn`)) OVER (), sum(CAST(sum(v.`sp`) AS DECIMAL(20, 2))) OVER () FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: totals of a part, at the view's own grain
SELECT a, b, sum(n), sum(sum(n)) OVER (PARTITION BY a), count(*) OVER (PARTITION BY a) FROM t GROUP BY a, b
--@ rewritten using groups
SELECT v.`a` AS a, v.`b` AS b, v.`sn`, sum(v.`sn`) OVER (PARTITION BY v.`a`), count(*) OVER (PARTITION BY v.`a`) FROM lake.demo.groups__storage AS v

--@ case: ranks
SELECT a, rank() OVER (ORDER BY sum(n) DESC), dense_rank() OVER (ORDER BY count(*)), percent_rank() OVER (PARTITION BY a ORDER BY max(n)) FROM t GROUP BY a
--@ rewritten using groups
SELECT v.`a` AS a, rank() OVER (ORDER BY sum(v.`sn`) DESC), dense_rank() OVER (ORDER BY coalesce(sum(v.`cnt`), 0) ASC), percent_rank() OVER (PARTITION BY v.`a` ORDER BY max(v.`hi`) ASC) FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: running totals take in all that is equal
SELECT a, b, sum(sum(n)) OVER (PARTITION BY a ORDER BY count(*)), max(sum(price)) OVER (ORDER BY b DESC NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t GROUP BY a, b
--@ rewritten using groups
SELECT v.`a` AS a, v.`b` AS b, sum(v.`sn`) OVER (PARTITION BY v.`a` ORDER BY v.`cnt` ASC), max(v.`sp`) OVER (ORDER BY v.`b` DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM lake.demo.groups__storage AS v

--@ case: the order of all keys leaves nothing equal
SELECT a, b, row_number() OVER (ORDER BY sum(n), a, b), lag(sum(n)) OVER (PARTITION BY a ORDER BY b), sum(count(*)) OVER (PARTITION BY b ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), first_value(sum(n)) OVER (PARTITION BY a ORDER BY b), ntile(2) OVER (ORDER BY a, b) FROM t GROUP BY a, b
--@ rewritten using groups
SELECT v.`a` AS a, v.`b` AS b, row_number() OVER (ORDER BY v.`sn` ASC, v.`a` ASC, v.`b` ASC), lag(v.`sn`) OVER (PARTITION BY v.`a` ORDER BY v.`b` ASC), sum(v.`cnt`) OVER (PARTITION BY v.`b` ORDER BY v.`a` ASC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), first_value(v.`sn`) OVER (PARTITION BY v.`a` ORDER BY v.`b` ASC), ntile(2) OVER (ORDER BY v.`a` ASC, v.`b` ASC) FROM lake.demo.groups__storage AS v

--@ case: coarser groups
SELECT a, lead(sum(n), 1, 0) OVER (ORDER BY a), row_number() OVER (ORDER BY a DESC) AS r FROM t WHERE b IS NOT NULL GROUP BY a HAVING count(*) > 0 ORDER BY r
--@ rewritten using groups
SELECT v.`a` AS a, lead(sum(v.`sn`), 1, 0) OVER (ORDER BY v.`a` ASC), row_number() OVER (ORDER BY v.`a` DESC) AS r FROM lake.demo.groups__storage AS v WHERE NOT (v.`b` IS NULL) GROUP BY v.`a` HAVING coalesce(sum(v.`cnt`), 0) > 0 ORDER BY 3 ASC NULLS FIRST

--@ case: an order that leaves groups equal
SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY sum(n)) FROM t GROUP BY a, b
--@ kept: groups UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY a ORDER BY SUM(n) ASC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; some_rows UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY a ORDER BY SUM(n) ASC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: a frame of rows that are equal
SELECT a, b, sum(count(*)) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t GROUP BY a, b
--@ kept: groups UNSUPPORTED SUM(COUNT(*)) OVER (ORDER BY a ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT … depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; some_rows UNSUPPORTED SUM(COUNT(*)) OVER (ORDER BY a ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT … depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: a frame of all rows
SELECT a, b, sum(count(*)) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t GROUP BY a, b
--@ rewritten using groups
SELECT v.`a` AS a, v.`b` AS b, sum(v.`cnt`) OVER (ORDER BY v.`a` ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM lake.demo.groups__storage AS v

--@ case: a window may not be ordered by a sum of doubles
SELECT a, rank() OVER (ORDER BY sum(score)) FROM t GROUP BY a
--@ kept: groups FLOAT_SUM_DECIDES_ROWS sum(score); some_rows VIEW_FILTERS_MORE n > 0

--@ case: but may sum it
SELECT a, sum(score) / sum(sum(score)) OVER () FROM t GROUP BY a
--@ rewritten using groups
SELECT v.`a` AS a, sum(v.`ss`) / sum(sum(v.`ss`)) OVER () FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: over rows
SELECT a, n, sum(n) OVER (PARTITION BY a), rank() OVER (PARTITION BY b ORDER BY n DESC), count(*) OVER () FROM t WHERE n > 0
--@ rewritten using some_rows
SELECT v.`a` AS a, v.`n` AS n, sum(v.`n`) OVER (PARTITION BY v.`a`), rank() OVER (PARTITION BY v.`b` ORDER BY v.`n` DESC), count(*) OVER () FROM lake.demo.some_rows__storage AS v

--@ case: rows that are equal
SELECT a, row_number() OVER (ORDER BY n) FROM t WHERE n > 0
--@ kept: groups UNSUPPORTED ROW_NUMBER() OVER (ORDER BY n ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets; some_rows UNSUPPORTED ROW_NUMBER() OVER (ORDER BY n ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets

--@ case: over rows of which the view holds groups
SELECT a, sum(n) OVER (PARTITION BY a) FROM t
--@ kept: groups GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; some_rows VIEW_FILTERS_MORE n > 0

--@ case: filtered before, not behind
SELECT a, n, avg(n) OVER (PARTITION BY a) AS m FROM t WHERE n > 0 AND b = 'r' ORDER BY a, n, m
--@ rewritten using some_rows
SELECT v.`a` AS a, v.`n` AS n, avg(v.`n`) OVER (PARTITION BY v.`a`) AS m FROM lake.demo.some_rows__storage AS v WHERE v.`b` = 'r' ORDER BY 1 ASC NULLS FIRST, 2 ASC NULLS FIRST, 3 ASC NULLS FIRST

--@ case: the most of sums of doubles over a window may not choose rows
SELECT a, sum(score) OVER (PARTITION BY a) AS s FROM t WHERE n > 0 ORDER BY s LIMIT 1
--@ kept: groups COLUMN_NOT_IN_VIEW n; some_rows FLOAT_SUM_DECIDES_ROWS sum(score)

--@ case: behind ROLLUP
SELECT a, sum(n), rank() OVER (PARTITION BY grouping(a) ORDER BY sum(n) DESC) FROM t GROUP BY ROLLUP (a)
--@ rewritten using groups
SELECT v.`a` AS a, sum(v.`sn`), rank() OVER (PARTITION BY grouping(v.`a`) ORDER BY sum(v.`sn`) DESC) FROM lake.demo.groups__storage AS v GROUP BY GROUPING SETS ((v.`a`), ())

--@ case: subtotals may look like groups
SELECT a, row_number() OVER (ORDER BY a) FROM t GROUP BY ROLLUP (a)
--@ kept: groups UNSUPPORTED ROW_NUMBER() OVER (ORDER BY a ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets; some_rows UNSUPPORTED ROW_NUMBER() OVER (ORDER BY a ASC) depends on the order of rows with equal values in its ORDER BY: such a window function is supported only over the groups of a GROUP BY without grouping sets

--@ case: a named window
SELECT a, sum(sum(n)) OVER w FROM t GROUP BY a WINDOW w AS (PARTITION BY a)
--@ kept: groups UNSUPPORTED the clause WINDOW is not supported: write each window in OVER (…); some_rows UNSUPPORTED the clause WINDOW is not supported: write each window in OVER (…)

--@ case: a RANGE of distances
SELECT a, sum(count(*)) OVER (ORDER BY sum(n) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (PARTITION BY count(*) ORDER BY max(n) DESC RANGE BETWEEN 2 PRECEDING AND 4 FOLLOWING), sum(sum(price)) OVER (ORDER BY sum(n) RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) FROM t GROUP BY a
--@ rewritten using groups
SELECT v.`a` AS a, sum(coalesce(sum(v.`cnt`), 0)) OVER (ORDER BY sum(v.`sn`) ASC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (PARTITION BY coalesce(sum(v.`cnt`), 0) ORDER BY max(v.`hi`) DESC RANGE BETWEEN 2 PRECEDING AND 4 FOLLOWING), sum(CAST(sum(v.`sp`) AS DECIMAL(20, 2))) OVER (ORDER BY sum(v.`sn`) ASC RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: a RANGE of which two ends are the current row
SELECT a, b, count(*) OVER (ORDER BY count(*) RANGE BETWEEN CURRENT ROW AND CURRENT ROW), min(sum(n)) OVER (ORDER BY sum(price) RANGE BETWEEN CURRENT ROW AND 2.5 FOLLOWING) FROM t GROUP BY a, b
--@ rewritten using groups
SELECT v.`a` AS a, v.`b` AS b, count(*) OVER (ORDER BY v.`cnt` ASC RANGE BETWEEN CURRENT ROW AND CURRENT ROW), min(v.`sn`) OVER (ORDER BY v.`sp` ASC RANGE BETWEEN CURRENT ROW AND 2.5 FOLLOWING) FROM lake.demo.groups__storage AS v

--@ case: a RANGE over a sum of which the last digit is open
SELECT a, sum(count(*)) OVER (ORDER BY sum(score) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY a
--@ kept: groups FLOAT_SUM_DECIDES_ROWS sum(score); some_rows VIEW_FILTERS_MORE n > 0

--@ case: what tells equal rows apart in a RANGE of distances
SELECT a, b, first_value(sum(n)) OVER (ORDER BY count(*) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY a, b
--@ kept: groups UNSUPPORTED FIRST_VALUE(SUM(n)) OVER (ORDER BY COUNT(*) ASC RANGE BETWEEN 1 PRECEDING AND CU… depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; some_rows UNSUPPORTED FIRST_VALUE(SUM(n)) OVER (ORDER BY COUNT(*) ASC RANGE BETWEEN 1 PRECEDING AND CU… depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: a window function of no name that is known
SELECT a, some_rank() OVER (ORDER BY a) FROM t GROUP BY a
--@ kept: groups UNSUPPORTED SOME_RANK() OVER (ORDER BY a): some_rank() is not supported as a window function: read the tables in a subquery, which a view can answer, and call some_rank() only in the SELECT around the subquery; some_rows UNSUPPORTED SOME_RANK() OVER (ORDER BY a): some_rank() is not supported as a window function: read the tables in a subquery, which a view can answer, and call some_rank() only in the SELECT around the subquery

--@ case: DISTINCT of groups
SELECT DISTINCT sum(n) FROM t GROUP BY a
--@ rewritten using groups
SELECT DISTINCT sum(v.`sn`) FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: DISTINCT of windows, in order
SELECT DISTINCT a, sum(sum(n)) OVER (PARTITION BY a) AS s FROM t GROUP BY a, b ORDER BY s DESC, a LIMIT 2
--@ rewritten using groups
SELECT DISTINCT v.`a` AS a, sum(v.`sn`) OVER (PARTITION BY v.`a`) AS s FROM lake.demo.groups__storage AS v ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: DISTINCT with a constant
SELECT DISTINCT a, 'x' AS kind, 1 + 1 FROM t
--@ rewritten using groups
SELECT v.`a` AS a, 'x' AS kind, 1 + 1 FROM lake.demo.groups__storage AS v GROUP BY v.`a`

--@ case: DISTINCT of constants
SELECT DISTINCT 1, 'x' FROM t WHERE n > 0
--@ rewritten using some_rows
SELECT DISTINCT 1, 'x' FROM lake.demo.some_rows__storage AS v

--@ case: DISTINCT of sums of doubles
SELECT DISTINCT sum(score) FROM t GROUP BY a
--@ kept: groups FLOAT_SUM_DECIDES_ROWS sum(score); some_rows VIEW_FILTERS_MORE n > 0

--@ case: DISTINCT in the order of what it leaves out
SELECT DISTINCT a FROM t GROUP BY a, b ORDER BY b
--@ kept: groups UNSUPPORTED ORDER BY names b, which is not an output of the SELECT DISTINCT: add b to the outputs; some_rows UNSUPPORTED ORDER BY names b, which is not an output of the SELECT DISTINCT: add b to the outputs

--@ case: a filter around by floating point does not come down to the files, but where windows are cut by it
WITH x AS (SELECT n, score, rank() OVER (PARTITION BY a ORDER BY n) AS r FROM t WHERE n > 0) SELECT n FROM x WHERE score > 1.0 AND r = 1
--@ rewritten using some_rows
WITH x AS (SELECT v.`n` AS n, v.`score` AS score, rank() OVER (PARTITION BY v.`a` ORDER BY v.`n` ASC) AS r FROM lake.demo.some_rows__storage VERSION AS OF 2001 AS v) SELECT n FROM x WHERE score > 1.0 AND r = 1

--@ case: there it does
WITH x AS (SELECT n, score, rank() OVER (PARTITION BY score ORDER BY n) AS r FROM t WHERE n > 0) SELECT n FROM x WHERE score > 1.0 AND r = 1
--@ kept: groups COLUMN_NOT_IN_VIEW n; some_rows FLOAT_COMPARED score; groups UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; some_rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately
