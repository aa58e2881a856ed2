-- Aggregates at a coarser grain than the view's: the table of what rolls up, and what must not.
--@ schema
CREATE TABLE t (a STRING, b STRING, n INT NOT NULL, x INT, big BIGINT, price DECIMAL(10,2), wide DECIMAL(20,2), score DOUBLE, ok BOOLEAN);
--@ rows
INSERT INTO t VALUES
  ('p', 'q', 1, 1, 10, 1.10, 1.10, 0.5, true), ('p', 'q', 1, NULL, NULL, NULL, NULL, NULL, NULL),
  ('p', 'r', 2, 3, 30, 3.33, 3.33, 1.5, false), (NULL, 'r', 3, 3, -5, 2.22, 2.22, -2.5, true),
  (NULL, NULL, 4, NULL, NULL, NULL, NULL, NULL, NULL), ('s', 'q', 9, 7, 7, 0.01, 0.01, 1e9, true)
--@ view sums
SELECT a, b, count(*) AS rows, count(x) AS xs, sum(x) AS sx, sum(price) AS sp, min(x) AS lo, max(x) AS hi, sum(score) AS ss FROM t GROUP BY a, b
--@ view averages
SELECT a, b, avg(x) AS ax, avg(big) AS ab, avg(price) AS ap, avg(wide) AS aw, avg(score) AS asc FROM t GROUP BY a, b
--@ view logic
SELECT a, n, bool_and(ok) AS every, bool_or(ok) AS some, bit_or(x) AS bits FROM t GROUP BY a, n
--@ view by_score
SELECT score, b, count(*) AS cnt FROM t GROUP BY score, b

--@ case: a floating-point key is compared
SELECT score, count(*) FROM t WHERE score = 0.5 OR score > 1.0 GROUP BY score
--@ kept: averages FLOAT_COMPARED score = 0.5 OR score > 1.0; by_score FLOAT_COMPARED score = 0.5 OR score > 1.0; logic FLOAT_COMPARED score = 0.5 OR score > 1.0; sums FLOAT_COMPARED score = 0.5 OR score > 1.0

--@ case: groups of it are filtered by the files as rows are
SELECT score, count(*) FROM t GROUP BY score HAVING score > 1.0
--@ kept: averages GROUPING_TOO_COARSE score; by_score FLOAT_COMPARED score > 1.0; logic GROUPING_TOO_COARSE score; sums GROUPING_TOO_COARSE score

--@ case: also by the query around
SELECT * FROM (SELECT score, count(*) AS c FROM t GROUP BY score) AS x WHERE score > 1.0
--@ kept: averages UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_score UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; logic UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; sums UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; averages GROUPING_TOO_COARSE score; by_score FLOAT_COMPARED score; logic GROUPING_TOO_COARSE score; sums GROUPING_TOO_COARSE score

--@ case: also by the query around, through a common table expression
WITH x AS (SELECT score, count(*) AS c FROM t GROUP BY score) SELECT * FROM x WHERE score > 1.0
--@ kept: averages GROUPING_TOO_COARSE score; by_score FLOAT_COMPARED score; logic GROUPING_TOO_COARSE score; sums GROUPING_TOO_COARSE score; averages UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_score UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; logic UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; sums UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: but not through a LIMIT
WITH x AS (SELECT score, count(*) AS c FROM t GROUP BY score ORDER BY score LIMIT 100) SELECT * FROM x WHERE score > 1.0
--@ rewritten using by_score
WITH x AS (SELECT v.`score` AS score, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_score__storage VERSION AS OF 2003 AS v GROUP BY v.`score` ORDER BY 1 ASC NULLS FIRST LIMIT 100) SELECT * FROM x WHERE score > 1.0

--@ case: nor by a key that it does not give
WITH x AS (SELECT count(*) AS c FROM t GROUP BY score) SELECT * FROM x WHERE c > 1
--@ rewritten using by_score
WITH x AS (SELECT coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.by_score__storage VERSION AS OF 2003 AS v GROUP BY v.`score`) SELECT * FROM x WHERE c > 1

--@ case: but nothing is computed from it, for its zeros have lost their sign
SELECT score * 2, count(*) FROM t GROUP BY score * 2
--@ kept: averages GROUPING_TOO_COARSE score; by_score GROUPING_TOO_COARSE score * 2: a floating-point grouping key of the view does not keep the sign of zero, on which score * 2 may depend: add score * 2 to the view's GROUP BY; logic GROUPING_TOO_COARSE score; sums GROUPING_TOO_COARSE score

--@ case: counts and sums
SELECT a, count(*), count(1), count(x), sum(x), sum(price) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, coalesce(sum(v.`viewgate_rows_0`), 0), coalesce(sum(v.`viewgate_rows_0`), 0), coalesce(sum(v.`viewgate_count_2`), 0), sum(v.`viewgate_sum_1`), CAST(sum(v.`viewgate_sum_5`) AS DECIMAL(20, 2)) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: a count over no rows is 0, a sum is NULL
SELECT count(*), sum(x) FROM t WHERE a = 'none'
--@ rewritten using averages
SELECT coalesce(sum(v.`viewgate_rows_0`), 0), sum(v.`viewgate_sum_1`) FROM lake.demo.averages__storage AS v WHERE v.`a` = 'none'

--@ case: extremes
SELECT b, min(x), max(x) FROM t GROUP BY b
--@ rewritten using sums
SELECT v.`b` AS b, min(v.`lo`), max(v.`hi`) FROM lake.demo.sums__storage AS v GROUP BY v.`b`

--@ case: extremes and distinct counts of keys
SELECT a, max(b), count(DISTINCT b), min(DISTINCT b) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, max(v.`b`), count(DISTINCT v.`b`), min(v.`b`) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: a count of a key counts rows, not groups
SELECT a, count(b) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, coalesce(sum(CASE WHEN v.`b` IS NULL THEN 0 ELSE v.`viewgate_rows_0` END), 0) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: a sum of an integer key is weighted by rows
SELECT a, sum(n), bool_and(ok), bool_or(ok), bit_or(x) FROM t GROUP BY a
--@ rewritten using logic
SELECT v.`a` AS a, sum(CAST(v.`n` AS BIGINT) * v.`viewgate_rows_0`), bool_and(v.`every`), bool_or(v.`some`), bit_or(v.`bits`) FROM lake.demo.logic__storage AS v GROUP BY v.`a`

--@ case: a column that cannot be NULL is counted as rows
SELECT a, count(n) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: FILTER on keys
SELECT a, sum(x) FILTER (WHERE b = 'q'), count(*) FILTER (WHERE b IS NULL) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, sum(v.`viewgate_sum_1`) FILTER(WHERE v.`b` = 'q'), coalesce(sum(v.`viewgate_rows_0`) FILTER(WHERE v.`b` IS NULL), 0) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: FILTER on what is no key
SELECT a, sum(x) FILTER (WHERE x > 1) FROM t GROUP BY a
--@ kept: averages COLUMN_NOT_IN_VIEW x; by_score GROUPING_TOO_COARSE a; logic COLUMN_NOT_IN_VIEW x; sums COLUMN_NOT_IN_VIEW x

--@ case: arithmetic over exact aggregates
SELECT a, sum(x) * 100 / count(*) AS share, max(x) - min(x) AS spread FROM t GROUP BY a HAVING sum(x) > 1 ORDER BY spread DESC, a LIMIT 2
--@ rewritten using sums
SELECT v.`a` AS a, (sum(v.`sx`) * 100) / coalesce(sum(v.`rows`), 0) AS share, max(v.`hi`) - min(v.`lo`) AS spread FROM lake.demo.sums__storage AS v GROUP BY v.`a` HAVING sum(v.`sx`) > 1 ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: HAVING, and the order of an aggregate that is an output
SELECT upper(a) AS ua, sum(x) AS total FROM t GROUP BY upper(a) HAVING count(*) > 0 ORDER BY total DESC, ua
--@ rewritten using averages
SELECT upper(v.`a`) AS ua, sum(v.`viewgate_sum_1`) AS total FROM lake.demo.averages__storage AS v GROUP BY upper(v.`a`) HAVING coalesce(sum(v.`viewgate_rows_0`), 0) > 0 ORDER BY 2 DESC NULLS LAST, 1 ASC NULLS FIRST

--@ case: HAVING, and the order of what is no output
SELECT a, sum(x) AS total FROM t GROUP BY a HAVING count(*) > 0 ORDER BY total + 1
--@ rewritten using averages
SELECT v.`a` AS a, sum(v.`viewgate_sum_1`) AS total FROM lake.demo.averages__storage AS v GROUP BY v.`a` HAVING coalesce(sum(v.`viewgate_rows_0`), 0) > 0 ORDER BY `total` + 1 ASC NULLS FIRST

--@ case: the order of an aggregate that is no output
SELECT a, sum(x) FROM t GROUP BY a ORDER BY count(*) DESC, a
--@ rewritten using averages
SELECT v.`a` AS a, sum(v.`viewgate_sum_1`) FROM lake.demo.averages__storage AS v GROUP BY v.`a` ORDER BY coalesce(sum(v.`viewgate_rows_0`), 0) DESC NULLS LAST, 1 ASC NULLS FIRST

--@ case: averages of integers and doubles
SELECT a, avg(x), avg(big), avg(score) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, CAST(sum(v.`viewgate_sum_1`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_2`), 0), 0) AS DOUBLE), CAST(sum(v.`viewgate_sum_3`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_4`), 0), 0) AS DOUBLE), CAST(sum(v.`viewgate_sum_9`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_10`), 0), 0) AS DOUBLE) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: averages of decimals, which Spark gives four digits more
SELECT a, avg(price) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, CAST((CAST(CAST(sum(v.`viewgate_sum_5`) AS DECIMAL(20, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_6`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(14, 6)) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: an average of a decimal too wide to be divided exactly
SELECT a, avg(wide) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, CAST(CAST((CAST(sum(v.`viewgate_sum_7`) AS DECIMAL(30, 2)) - (CAST(sum(v.`viewgate_sum_7`) AS DECIMAL(30, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_8`), 0), 0) AS DECIMAL(16, 0)))) / CAST(nullif(coalesce(sum(v.`viewgate_count_8`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 0)) + CAST(CAST(CAST(sum(v.`viewgate_sum_7`) AS DECIMAL(30, 2)) % CAST(nullif(coalesce(sum(v.`viewgate_count_8`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(18, 2)) / CAST(nullif(coalesce(sum(v.`viewgate_count_8`), 0), 0) AS DECIMAL(16, 0)) AS DECIMAL(8, 6)) AS DECIMAL(24, 6)) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: the same at the view's own grain
SELECT a, b, avg(wide) FROM t GROUP BY a, b
--@ rewritten using averages
SELECT v.`a` AS a, v.`b` AS b, v.`aw` FROM lake.demo.averages__storage AS v

--@ case: an average from the sum and the count of another view
SELECT b, avg(x) FROM t WHERE a = 'p' GROUP BY b
--@ rewritten using averages
SELECT v.`b` AS b, v.`ax` FROM lake.demo.averages__storage AS v WHERE v.`a` = 'p'

--@ case: a sum of doubles may not decide which rows come back
SELECT a, sum(score) FROM t GROUP BY a ORDER BY sum(score) LIMIT 1
--@ kept: averages FLOAT_SUM_DECIDES_ROWS sum(score); by_score GROUPING_TOO_COARSE a; logic FLOAT_SUM_DECIDES_ROWS sum(score); sums FLOAT_SUM_DECIDES_ROWS sum(score)

--@ case: nor may it be rounded
SELECT a, round(sum(score), 2) FROM t GROUP BY a
--@ rewritten using averages
SELECT v.`a` AS a, round(sum(v.`viewgate_sum_9`), 2) FROM lake.demo.averages__storage AS v GROUP BY v.`a`

--@ case: but it may be returned
SELECT a, sum(score), sum(score) / 2 FROM t GROUP BY a ORDER BY sum(score)
--@ rewritten using averages
SELECT v.`a` AS a, sum(v.`viewgate_sum_9`), sum(v.`viewgate_sum_9`) / 2 FROM lake.demo.averages__storage AS v GROUP BY v.`a` ORDER BY 2 ASC NULLS FIRST

--@ case: a distinct count of a measure
SELECT a, count(DISTINCT x) FROM t GROUP BY a
--@ kept: averages AGGREGATE_NOT_IN_VIEW count(DISTINCT x); by_score GROUPING_TOO_COARSE a; logic AGGREGATE_NOT_IN_VIEW count(DISTINCT x); sums AGGREGATE_NOT_IN_VIEW count(DISTINCT x)

--@ case: sum of distinct values is not sum
SELECT a, sum(DISTINCT x) FROM t GROUP BY a
--@ kept: averages AGGREGATE_NOT_IN_VIEW sum(DISTINCT x); by_score GROUPING_TOO_COARSE a; logic AGGREGATE_NOT_IN_VIEW sum(DISTINCT x); sums AGGREGATE_NOT_IN_VIEW sum(DISTINCT x)

--@ case: keys by expressions of keys
SELECT upper(a), n % 2, bool_or(ok) FROM t GROUP BY upper(a), n % 2
--@ rewritten using logic
SELECT upper(v.`a`), v.`n` % 2, bool_or(v.`some`) FROM lake.demo.logic__storage AS v GROUP BY upper(v.`a`), v.`n` % 2

--@ case: an expression over a key and aggregates
SELECT concat(a, '!'), sum(x) + count(*) FROM t GROUP BY a
--@ rewritten using averages
SELECT concat(v.`a`, '!'), sum(v.`viewgate_sum_1`) + coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.averages__storage AS v GROUP BY v.`a`
