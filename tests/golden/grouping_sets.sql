-- GROUPING SETS, ROLLUP, CUBE and GROUP BY ALL, over rows and over finer groups.
--@ schema
CREATE TABLE t (a STRING, b STRING, c STRING, d DATE, x INT, price DECIMAL(10,2), score DOUBLE);
--@ rows
INSERT INTO t VALUES
  ('p', 'q', 'u', DATE '2024-01-05', 1, 1.10, 0.5), ('p', 'q', 'w', DATE '2024-01-09', NULL, NULL, NULL), ('p', 'r', 'u', DATE '2024-02-05', 3, 3.33, 1.5),
  (NULL, 'r', 'u', DATE '2024-02-06', 3, 2.22, -2.5), (NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('s', 'q', 'u', DATE '2024-03-01', 7, 0.01, 1e9)
--@ view by_abc
SELECT a, b, c, count(*) AS cnt, sum(x) AS sx, sum(price) AS sp, avg(x) AS ax, max(x) AS hi, sum(score) AS ss FROM t GROUP BY a, b, c
--@ view by_day
SELECT timeseries(d, 'day') AS day, b, count(*) AS cnt FROM t GROUP BY 1, 2
--@ view all_rows
SELECT a, b, upper(b) AS ub, price FROM t WHERE x > 0

--@ case: ROLLUP
SELECT a, b, sum(x), count(*), avg(x) FROM t GROUP BY ROLLUP (a, b)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, sum(v.`sx`), coalesce(sum(v.`cnt`), 0), CAST(sum(v.`sx`) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`viewgate_count_0`), 0), 0) AS DOUBLE) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), ())

--@ case: as Hive writes it
SELECT a, b, sum(price) FROM t GROUP BY a, b WITH ROLLUP
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, CAST(sum(v.`sp`) AS DECIMAL(20, 2)) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), ())

--@ case: CUBE
SELECT a, b, max(x), sum(CASE WHEN c = 'u' THEN x ELSE 0 END) FROM t GROUP BY CUBE (a, b)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, max(v.`hi`), sum(CASE WHEN v.`c` = 'u' THEN v.`sx` ELSE 0 END) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), (v.`b`), ())

--@ case: GROUPING SETS
SELECT a, b, c, count(x), count(a) FROM t GROUP BY GROUPING SETS ((a, b), (b, c), a, ())
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, v.`c` AS c, coalesce(sum(v.`viewgate_count_0`), 0), coalesce(sum(CASE WHEN v.`a` IS NULL THEN 0 ELSE v.`cnt` END), 0) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`b`, v.`c`), (v.`a`), ())

--@ case: sets of keys that are named first
SELECT a, b, sum(x) FROM t GROUP BY a, b GROUPING SETS ((b), (a, b))
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`b`), (v.`a`, v.`b`))

--@ case: beside a plain key, and two at once
SELECT a, b, c, sum(x) FROM t GROUP BY c, ROLLUP (a), CUBE (b)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, v.`c` AS c, sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`c`, v.`a`, v.`b`), (v.`c`, v.`a`), (v.`c`, v.`b`), (v.`c`))

--@ case: keys together
SELECT a, b, c, sum(x) FROM t GROUP BY ROLLUP ((a, b), c)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, v.`c` AS c, sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`, v.`c`), (v.`a`, v.`b`), ())

--@ case: grouping() and grouping_id()
SELECT a, b, grouping(a), grouping(b) + 1 AS g, grouping_id(a, b) AS id, CASE WHEN grouping(a) = 1 THEN 'all' ELSE a END AS label, sum(x) FROM t GROUP BY CUBE (a, b)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, grouping(v.`a`), grouping(v.`b`) + 1 AS g, (CAST(grouping(v.`a`) AS BIGINT) * 2) + CAST(grouping(v.`b`) AS BIGINT) AS id, CASE WHEN grouping(v.`a`) = 1 THEN 'all' ELSE v.`a` END AS label, sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), (v.`b`), ())

--@ case: HAVING, ORDER BY and LIMIT
SELECT a, b, sum(x) AS total, grouping(b) AS g FROM t GROUP BY ROLLUP (a, b) HAVING sum(x) > 1 AND grouping(a) = 0 ORDER BY total DESC, a, b, g LIMIT 4
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc SHAPE HAVING uses a key of GROUPING SETS (grouping(a) = 0), which is not supported: compute the groups in a subquery, and filter in the outer SELECT; by_day GROUPING_TOO_COARSE a

--@ case: HAVING of aggregates
SELECT a, b, sum(x) AS total, grouping(b) AS g FROM t GROUP BY ROLLUP (a, b) HAVING sum(x) > 1 AND count(*) < 5 ORDER BY total DESC, a, b, g LIMIT 4
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS b, sum(v.`sx`) AS total, grouping(v.`b`) AS g FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), ()) HAVING sum(v.`sx`) > 1 AND coalesce(sum(v.`cnt`), 0) < 5 ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST, 2 ASC NULLS FIRST, 4 ASC NULLS FIRST LIMIT 4

--@ case: the order of what is no output
SELECT a, sum(x) AS total FROM t GROUP BY ROLLUP (a) ORDER BY grouping(a), a
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc SHAPE grouping(a) in ORDER BY of a query with GROUPING SETS is not an output with a name of its own: add grouping(a) to the SELECT list with an alias, which adds a column to the result; by_day GROUPING_TOO_COARSE a

--@ case: an aggregate of a key sees its values where the rows are not grouped by it
SELECT a, count(a), max(b), count(DISTINCT b) FROM t GROUP BY ROLLUP (a)
--@ rewritten using by_abc
SELECT v.`a` AS a, coalesce(sum(CASE WHEN v.`a` IS NULL THEN 0 ELSE v.`cnt` END), 0), max(v.`b`), count(DISTINCT v.`b`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`), ())

--@ case: no rows, no groups
SELECT a, sum(x) FROM t WHERE b = 'none' GROUP BY ROLLUP (a)
--@ rewritten using by_abc
SELECT v.`a` AS a, sum(v.`sx`) FROM lake.demo.by_abc__storage AS v WHERE v.`b` = 'none' GROUP BY GROUPING SETS ((v.`a`), ())

--@ case: expressions of keys
SELECT upper(a), concat(upper(a), '!'), sum(x) FROM t GROUP BY ROLLUP (upper(a))
--@ rewritten using by_abc
SELECT upper(v.`a`), concat(upper(v.`a`), '!'), sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((upper(v.`a`)), ())

--@ case: coarser buckets
SELECT timeseries(d, 'month') AS m, b, count(*) FROM t GROUP BY ROLLUP (m, b)
--@ rewritten using by_day
SELECT trunc(v.`day`, 'MONTH') AS m, v.`b` AS b, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_day__storage AS v GROUP BY GROUPING SETS ((trunc(v.`day`, 'MONTH'), v.`b`), (trunc(v.`day`, 'MONTH')), ())

--@ case: of which one is computed from another
SELECT timeseries(d, 'month') AS m, timeseries(d, 'day') AS day, count(*) FROM t GROUP BY ROLLUP (m, day)
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc GROUPING_TOO_COARSE d; by_day SHAPE the key timeseries(d, 'month') of the query's GROUPING SETS is computed from the key timeseries(d, 'day'), which is not supported: remove timeseries(d, 'month') or timeseries(d, 'day')
SELECT trunc(d, 'MONTH') AS m, CAST(d AS DATE) AS day, count(*) FROM t GROUP BY ROLLUP (m, day)

--@ case: keys that are equal in each row are not the same key
SELECT a, b, count(*) FROM t WHERE a = b GROUP BY GROUPING SETS (a, b)
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc SHAPE the keys a and b of the query's GROUPING SETS are equal, which is not supported: remove a or b; by_day COLUMN_NOT_IN_VIEW a

--@ case: over rows
SELECT a, b, sum(price), grouping(b) FROM t WHERE x > 0 GROUP BY ROLLUP (a, b)
--@ rewritten using all_rows
SELECT v.`a` AS a, v.`b` AS b, sum(v.`price`), grouping(v.`b`) FROM lake.demo.all_rows__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), ())

--@ case: GROUP BY ALL
SELECT upper(a) AS ua, b, sum(x) + count(*) FROM t GROUP BY ALL
--@ rewritten using by_abc
SELECT upper(v.`a`) AS ua, v.`b` AS b, sum(v.`sx`) + coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_abc__storage AS v GROUP BY upper(v.`a`), v.`b`

--@ case: GROUP BY ALL with a constant
SELECT 1, a, sum(x) FROM t GROUP BY ALL
--@ kept: all_rows UNSUPPORTED GROUP BY ALL with a constant among the outputs is not supported: name the grouping keys; by_abc UNSUPPORTED GROUP BY ALL with a constant among the outputs is not supported: name the grouping keys; by_day UNSUPPORTED GROUP BY ALL with a constant among the outputs is not supported: name the grouping keys

--@ case: a key that the view lacks
SELECT a, d, sum(x) FROM t GROUP BY ROLLUP (a, d)
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc GROUPING_TOO_COARSE d; by_day GROUPING_TOO_COARSE a

--@ case: sums of doubles may be returned, not compared
SELECT a, sum(score) FROM t GROUP BY ROLLUP (a) HAVING sum(score) > 1
--@ kept: all_rows VIEW_FILTERS_MORE x > 0; by_abc FLOAT_SUM_DECIDES_ROWS sum(score); by_day GROUPING_TOO_COARSE a

--@ case: one set of no keys
SELECT sum(x) FROM t GROUP BY GROUPING SETS (())
--@ kept: all_rows UNSUPPORTED GROUPING SETS without a grouping key are not supported: name at least one key; by_abc UNSUPPORTED GROUPING SETS without a grouping key are not supported: name at least one key; by_day UNSUPPORTED GROUPING SETS without a grouping key are not supported: name at least one key

--@ case: grouping() and grouping_id() under the names that Spark gives them
SELECT a, t.B, grouping(t.B), GROUPING_ID(a, b), grouping_id(), sum(x) FROM t GROUP BY CUBE (a, b)
--@ rewritten using by_abc
SELECT v.`a` AS a, v.`b` AS B, grouping(v.`b`), (CAST(grouping(v.`a`) AS BIGINT) * 2) + CAST(grouping(v.`b`) AS BIGINT), (CAST(grouping(v.`a`) AS BIGINT) * 2) + CAST(grouping(v.`b`) AS BIGINT), sum(v.`sx`) FROM lake.demo.by_abc__storage AS v GROUP BY GROUPING SETS ((v.`a`, v.`b`), (v.`a`), (v.`b`), ())
