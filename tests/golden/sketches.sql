-- Sketches of sets, united; what depends on more than the rows is left to Spark.
--@ schema
CREATE TABLE t (a STRING, b STRING, c INT, n INT, name STRING, score DOUBLE);
--@ rows
INSERT INTO t VALUES
  ('p', 'q', 1, 1, 'x', 0.5), ('p', 'q', 1, 1, 'y', 0.5), ('p', 'r', 2, 2, 'x', 1.5), ('p', 'r', 2, NULL, NULL, NULL), (NULL, 'r', 3, 3, 'z', 2.5),
  (NULL, NULL, NULL, NULL, NULL, NULL), ('s', 'q', 1, 1, 'x', 0.5), ('s', 'u', 4, 7, 'X', 3.5), ('s', 'u', 4, -7, 'y', 3.5)
--@ view seen
SELECT a, b, theta_sketch_agg(n, 12) AS ns, theta_sketch_agg(name, 10) AS names, approx_count_distinct(n) AS dn FROM t GROUP BY a, b
--@ view keyed
SELECT a, c, score, count(*) AS rows FROM t GROUP BY a, c, score

--@ case: the same sketch at the same grain
SELECT a, b, theta_sketch_estimate(theta_sketch_agg(n, 12)) AS e, theta_sketch_agg(name, 10) AS s FROM t GROUP BY a, b
--@ rewritten using seen
SELECT v.`a` AS a, v.`b` AS b, theta_sketch_estimate(v.`ns`) AS e, v.`names` AS s FROM lake.demo.seen__storage AS v

--@ case: united at a coarser one
SELECT a, theta_sketch_estimate(theta_sketch_agg(n, 12)) AS e, theta_sketch_agg(name, 10) AS s FROM t GROUP BY a
--@ rewritten using seen
SELECT v.`a` AS a, theta_sketch_estimate(theta_union_agg(v.`ns`, 12)) AS e, theta_union_agg(v.`names`, 10) AS s FROM lake.demo.seen__storage AS v GROUP BY v.`a`

--@ case: an estimate is exact enough to choose by
SELECT a FROM t GROUP BY a HAVING theta_sketch_estimate(theta_sketch_agg(n, 12)) > 1
--@ rewritten using seen
SELECT v.`a` AS a FROM lake.demo.seen__storage AS v GROUP BY v.`a` HAVING theta_sketch_estimate(theta_union_agg(v.`ns`, 12)) > 1

--@ case: of no rows
SELECT theta_sketch_estimate(theta_sketch_agg(n, 12)) AS e FROM t WHERE b = 'none'
--@ rewritten using seen
SELECT theta_sketch_estimate(theta_union_agg(v.`ns`, 12)) AS e FROM lake.demo.seen__storage AS v WHERE v.`b` = 'none'

--@ case: of another size it is another sketch
SELECT a, theta_sketch_agg(name, 12) AS s FROM t GROUP BY a
--@ kept: keyed AGGREGATE_NOT_IN_VIEW theta_sketch_agg(name, 12); seen AGGREGATE_NOT_IN_VIEW theta_sketch_agg(name, 12)

--@ case: of a key
SELECT a, theta_sketch_estimate(theta_sketch_agg(c, 5)) AS e, approx_count_distinct(c) AS d FROM t GROUP BY a
--@ rewritten using keyed
SELECT v.`a` AS a, theta_sketch_estimate(theta_sketch_agg(v.`c`, 5)) AS e, approx_count_distinct(v.`c`) AS d FROM lake.demo.keyed__storage AS v GROUP BY v.`a`

--@ case: of a floating-point key, which has lost the sign of its zeros
SELECT a, theta_sketch_agg(score, 12) AS s FROM t GROUP BY a
--@ kept: keyed AGGREGATE_NOT_IN_VIEW theta_sketch_agg(score, 12); seen AGGREGATE_NOT_IN_VIEW theta_sketch_agg(score, 12)

--@ case: an approximate count is not made from others, nor from a sketch
SELECT a, approx_count_distinct(n) FROM t GROUP BY a
--@ kept: keyed AGGREGATE_NOT_IN_VIEW approx_count_distinct(n); seen AGGREGATE_DOES_NOT_ROLL_UP approx_count_distinct(n)

--@ case: an HLL sketch depends on the number of tasks
SELECT a, b, hll_sketch_estimate(hll_sketch_agg(n)) FROM t GROUP BY a, b
--@ kept: keyed UNSUPPORTED hll_sketch_estimate() depends on how Spark divides the rows into tasks (theta_sketch_agg() does not): no view can answer a query that calls hll_sketch_estimate(); seen UNSUPPORTED hll_sketch_estimate() depends on how Spark divides the rows into tasks (theta_sketch_agg() does not): no view can answer a query that calls hll_sketch_estimate()

--@ case: and these on the order of rows
SELECT a, max_by(n, c) FROM t GROUP BY a
--@ kept: keyed UNSUPPORTED max_by() may return the value of any of several rows: no view can answer a query that calls max_by(); seen UNSUPPORTED max_by() may return the value of any of several rows: no view can answer a query that calls max_by()

--@ case: a size that is not a constant
SELECT a, theta_sketch_agg(n, 6 + 6) FROM t GROUP BY a
--@ kept: keyed UNSUPPORTED THETA_SKETCH_AGG(n, 6 + 6): theta_sketch_agg() is supported only with a value and the sketch's size: write the size, the second argument, as a number; seen UNSUPPORTED THETA_SKETCH_AGG(n, 6 + 6): theta_sketch_agg() is supported only with a value and the sketch's size: write the size, the second argument, as a number

--@ case: sketches of a view, united by the query
SELECT a, theta_sketch_estimate(theta_union_agg(ns, 12)) AS e FROM seen GROUP BY a
--@ rewritten using seen
SELECT v.`a` AS a, theta_sketch_estimate(theta_union_agg(v.`ns`, 12)) AS e FROM lake.demo.seen__storage AS v GROUP BY v.`a`
