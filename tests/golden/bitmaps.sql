-- count(DISTINCT) of whole numbers from bitmaps, kept by bucket.
--@ schema
CREATE TABLE d (a STRING, name STRING);
CREATE TABLE t (a STRING, b STRING, n INT, big BIGINT, price DECIMAL(10,2));
--@ rows
INSERT INTO d VALUES ('p', 'x'), ('p', 'y'), ('s', 'x'), ('z', NULL);
INSERT INTO t VALUES
  ('p', 'q', 1, 1, 1.5), ('p', 'q', 1, 40000, 1.5), ('p', 'r', 40000, 1, 2.5), ('p', 'r', -1, -40000, 2.5), ('p', 'r', NULL, NULL, NULL), (NULL, 'r', 0, 0, 2.5),
  (NULL, NULL, NULL, NULL, NULL), ('s', 'q', 32768, -32768, 1.5), ('s', 'u', 32769, 32768, 3.5), ('s', 'u', 32768, -32768, 3.5), ('s', 'q', -32768, 9223372036854775807, 0.5), ('z', 'q', NULL, 3, NULL)
--@ view finer
SELECT a, b, bitmap_bucket_number(n) AS bucket, bitmap_construct_agg(bitmap_bit_position(n)) AS bits, sum(price) AS total, count(n) AS cn FROM t GROUP BY a, b, bitmap_bucket_number(n)
--@ view longs
SELECT a, bitmap_bucket_number(big) AS bucket, bitmap_construct_agg(bitmap_bit_position(big)) AS bits FROM t GROUP BY a, bitmap_bucket_number(big)
--@ view loose
SELECT a, b, bitmap_construct_agg(bitmap_bit_position(n)) AS bits FROM t GROUP BY a, b
--@ view cents
SELECT a, bitmap_bucket_number(price) AS bucket, bitmap_construct_agg(bitmap_bit_position(price)) AS bits FROM t GROUP BY a, bitmap_bucket_number(price)

--@ case: at the grain of the bitmaps
SELECT a, b, count(DISTINCT n), sum(price), count(*) FROM t GROUP BY a, b
--@ rewritten using finer
SELECT v.`a` AS a, v.`b` AS b, coalesce(sum(bitmap_count(v.`bits`)), 0), CAST(sum(v.`total`) AS DECIMAL(20, 2)), coalesce(sum(v.`viewgate_rows_0`), 0) FROM lake.demo.finer__storage AS v GROUP BY v.`a`, v.`b`

--@ case: of long numbers, some of them negative
SELECT a, count(DISTINCT big) FROM t GROUP BY a
--@ rewritten using longs
SELECT v.`a` AS a, coalesce(sum(bitmap_count(v.`bits`)), 0) FROM lake.demo.longs__storage AS v GROUP BY v.`a`

--@ case: of some groups
SELECT a, count(DISTINCT big) FROM t WHERE a IN ('p', 'z') GROUP BY a HAVING count(DISTINCT big) > 1
--@ rewritten using longs
SELECT v.`a` AS a, coalesce(sum(bitmap_count(v.`bits`)), 0) FROM lake.demo.longs__storage AS v WHERE v.`a` IN ('p', 'z') GROUP BY v.`a` HAVING coalesce(sum(bitmap_count(v.`bits`)), 0) > 1

--@ case: under a condition on a key
SELECT a, b, count(DISTINCT n) FILTER (WHERE b = 'q') FROM t GROUP BY a, b
--@ rewritten using finer
SELECT v.`a` AS a, v.`b` AS b, coalesce(sum(bitmap_count(v.`bits`)) FILTER(WHERE v.`b` = 'q'), 0) FROM lake.demo.finer__storage AS v GROUP BY v.`a`, v.`b`

--@ case: at a coarser grain
SELECT a, count(DISTINCT n), sum(price), count(*) FROM t GROUP BY a
--@ rewritten using finer
SELECT v.`c0` AS a, coalesce(sum(bitmap_count(v.`c4`)), 0), CAST(sum(v.`c2`) AS DECIMAL(20, 2)), coalesce(sum(v.`c3`), 0) FROM (SELECT v.`a` AS c0, CAST(v.`bucket` AS bigint) AS c1, CAST(CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS c2, CAST(coalesce(sum(v.`viewgate_rows_0`), 0) AS bigint) AS c3, CAST(bitmap_or_agg(v.`bits`) AS binary) AS c4 FROM lake.demo.finer__storage AS v GROUP BY v.`a`, v.`bucket`) AS v GROUP BY v.`c0`

--@ case: of all rows
SELECT count(DISTINCT big) FROM t
--@ rewritten using longs
SELECT coalesce(sum(bitmap_count(v.`c1`)), 0) FROM (SELECT CAST(v.`bucket` AS bigint) AS c0, CAST(bitmap_or_agg(v.`bits`) AS binary) AS c1 FROM lake.demo.longs__storage AS v GROUP BY v.`bucket`) AS v

--@ case: of no rows
SELECT count(DISTINCT n) FROM t WHERE b = 'none'
--@ rewritten using finer
SELECT coalesce(sum(bitmap_count(v.`c1`)), 0) FROM (SELECT CAST(v.`bucket` AS bigint) AS c0, CAST(bitmap_or_agg(v.`bits`) AS binary) AS c1 FROM lake.demo.finer__storage AS v WHERE v.`b` = 'none' GROUP BY v.`bucket`) AS v

--@ case: a bitmap at a coarser grain
SELECT a, bitmap_bucket_number(n) AS bucket, bitmap_count(bitmap_construct_agg(bitmap_bit_position(n))) AS c FROM t GROUP BY a, bitmap_bucket_number(n)
--@ rewritten using finer
SELECT v.`a` AS a, v.`bucket` AS bucket, bitmap_count(bitmap_or_agg(v.`bits`)) AS c FROM lake.demo.finer__storage AS v GROUP BY v.`a`, v.`bucket`

--@ case: in sets the buckets would be counted twice
SELECT a, b, count(DISTINCT n) FROM t GROUP BY ROLLUP (a, b)
--@ kept: cents GROUPING_TOO_COARSE b; finer AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT n) cannot be computed from the view's bitmaps: the query has GROUPING SETS, so that bitmaps would be counted twice: add n to the view's GROUP BY; longs GROUPING_TOO_COARSE b; loose GROUPING_TOO_COARSE n

--@ case: a bitmap of DECIMALs is one of what is before the point
SELECT a, count(DISTINCT price) FROM t GROUP BY a
--@ kept: cents AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price) cannot be computed from the view's bitmaps: price is not an integer: add price to the view's GROUP BY; finer AGGREGATE_NOT_IN_VIEW count(DISTINCT price); longs AGGREGATE_NOT_IN_VIEW count(DISTINCT price); loose AGGREGATE_NOT_IN_VIEW count(DISTINCT price)

--@ case: joined with a table that repeats groups
SELECT d.name, count(DISTINCT t.n), count(*) FROM t JOIN d ON t.a = d.a GROUP BY d.name
--@ rewritten using finer
SELECT v.`c0` AS name, coalesce(sum(bitmap_count(v.`c3`)), 0), coalesce(sum(v.`c2`), 0) FROM (SELECT CAST(d_0.name AS string) AS c0, CAST(v.`bucket` AS bigint) AS c1, CAST(coalesce(sum(v.`viewgate_rows_0`), 0) AS bigint) AS c2, CAST(bitmap_or_agg(v.`bits`) AS binary) AS c3 FROM lake.demo.finer__storage VERSION AS OF 2000 AS v, lake.demo.d VERSION AS OF 1000 AS d_0 WHERE v.`a` = d_0.a GROUP BY d_0.name, v.`bucket`) AS v GROUP BY v.`c0`

--@ case: of different values at once
SELECT a, count(DISTINCT n), count(DISTINCT b) FROM t GROUP BY a
--@ kept: cents AGGREGATE_NOT_IN_VIEW count(DISTINCT n); finer AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT b); longs AGGREGATE_NOT_IN_VIEW count(DISTINCT n); loose GROUPING_TOO_COARSE n

--@ case: under a condition on what is no key of the query
SELECT a, count(DISTINCT n) FILTER (WHERE b = 'q') FROM t GROUP BY a
--@ kept: cents COLUMN_NOT_IN_VIEW b; finer COLUMN_NOT_IN_VIEW b; longs COLUMN_NOT_IN_VIEW b; loose GROUPING_TOO_COARSE n

--@ case: whoever filters the values needs them
SELECT a, count(DISTINCT n) FROM t WHERE n > 0 GROUP BY a
--@ kept: cents COLUMN_NOT_IN_VIEW n; finer COLUMN_NOT_IN_VIEW n; longs COLUMN_NOT_IN_VIEW n; loose COLUMN_NOT_IN_VIEW n
