-- What a WHERE implies: disjunctions over several columns, comparisons in the type in which Spark makes them, prefixes,
-- constants that are computed; and the part of a predicate that a view leaves to be asked.
--@ schema
CREATE TABLE t (id INT NOT NULL, d INT, k INT, s STRING, big BIGINT, p DECIMAL(10,2), f DOUBLE, q FLOAT, day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, flag BOOLEAN);
--@ rows
INSERT INTO t VALUES
  (1, 10, 1, 'abc', 5, 1.50, 0.5, 0.5, DATE '2024-01-05', TIMESTAMP '2024-01-05 10:00:00', TIMESTAMP_NTZ '2024-01-05 10:00:00', true),
  (2, 20, 2, 'abd', 500, 2.50, 1.5, 1.5, DATE '2023-12-31', TIMESTAMP '2023-12-31 23:59:59', TIMESTAMP_NTZ '2023-12-31 23:59:59', false),
  (3, 20, 2, 'ac', 1000, 600.00, 99.5, 2.0, DATE '2024-12-31', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', NULL),
  (170, 30, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (170, 10, 3, 'ab', 7, 0.07, -1.0, 2.0, DATE '1998-09-02', TIMESTAMP '2024-02-05 10:00:00', TIMESTAMP_NTZ '2024-02-05 10:00:00', true),
  (170, 10, 3, 'ab', 7, 0.07, -1.0, 2.0, DATE '1998-09-02', TIMESTAMP '2024-02-05 10:00:00', TIMESTAMP_NTZ '2024-02-05 10:00:00', true),
  (180, NULL, 2, 'b%c', 9007199254740993, 5001.00, 100.0, 3.0, DATE '1998-09-03', NULL, NULL, false),
  (401, 31, 9, 'abcx', 12, 0.05, 0.25, 0.25, DATE '2024-02-29', TIMESTAMP '2024-03-01 00:00:00', TIMESTAMP_NTZ '2024-03-01 00:00:00', true)
--@ view v_or
SELECT id, d, k, s, p FROM t WHERE d = 10 OR d = 20 OR id < 160
--@ view v_dnf
SELECT id, d, k, s FROM t WHERE (k = 1 AND s = 'abc') OR (k = 2 AND s = 'abd')
--@ view v_salary
SELECT id, d, p, s AS name FROM t WHERE (p < 1111.9 AND d > 10) OR (id > 400 AND p > 5000) OR p > 500
--@ view v_float
SELECT id, f, q, flag AS marked FROM t WHERE f < 100.5 AND q <= 2
--@ view v_prefix
SELECT id, s, k AS number FROM t WHERE s LIKE 'ab%'
--@ view v_shipped
SELECT id, day AS shipped FROM t WHERE day <= DATE '1998-12-01' - INTERVAL 90 DAY
--@ view v_flag
SELECT id, flag, d AS dd FROM t WHERE flag
--@ view v_big
SELECT id, big FROM t WHERE big < 1000D
--@ view v_since
SELECT id, ts FROM t WHERE CAST(ts AS DATE) >= '2024-01-01'
--@ view v_year
SELECT id, day, d AS deptno FROM t WHERE year(day) = 2024
--@ view v_discount
SELECT id, p AS discount FROM t WHERE p BETWEEN 0.06 - 0.01 AND 0.06 + 0.01
--@ view v_known
SELECT id, k AS kk, d AS other FROM t WHERE k IS NOT NULL
--@ view v_small
SELECT id, s AS text FROM t WHERE d = 10 AND k > 2

--@ case: one branch of a disjunction over two columns
SELECT id + 1 AS x, s FROM t WHERE d = 10
--@ rewritten using v_or
SELECT v.`id` + 1 AS x, v.`s` AS s FROM lake.demo.v_or__storage AS v WHERE v.`d` = 10

--@ case: another one
SELECT id, k FROM t WHERE id < 100 AND k = 2
--@ rewritten using v_known
SELECT v.`id` AS id, v.`kk` AS k FROM lake.demo.v_known__storage AS v WHERE v.`id` < 100 AND v.`kk` = 2

--@ case: a disjunction within a disjunction
SELECT id, k FROM t WHERE (d = 10 AND k > 1) OR (id = 5 AND k = 2)
--@ rewritten using v_known
SELECT v.`id` AS id, v.`kk` AS k FROM lake.demo.v_known__storage AS v WHERE (((v.`other` = 10) AND (v.`kk` > 1)) OR ((v.`id` = 5) AND (v.`kk` = 2)))

--@ case: a conjunction of disjunctions
SELECT id, k FROM t WHERE (d = 10 OR id < 3) AND (d = 20 OR k = 1)
--@ rewritten using v_or
SELECT v.`id` AS id, v.`k` AS k FROM lake.demo.v_or__storage AS v WHERE ((v.`d` = 10) OR (v.`id` < 3)) AND ((v.`d` = 20) OR (v.`k` = 1))

--@ case: a branch outside of it
SELECT id, k FROM t WHERE d = 30 OR id < 160
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: the negation of all branches but one
SELECT id, k FROM t WHERE NOT (d <> 10 AND id >= 160)
--@ rewritten using v_or
SELECT v.`id` AS id, v.`k` AS k FROM lake.demo.v_or__storage AS v WHERE NOT ((v.`d` <> 10) AND (v.`id` >= 160))

--@ case: only the complement is implied
SELECT id, k FROM t WHERE d <> 10 AND d <> 20
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: NULL is in no branch
SELECT id, k FROM t WHERE d IS NULL
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: an IN list for the branches
SELECT id, k FROM t WHERE d IN (10, 20) AND k < 3
--@ rewritten using v_known
SELECT v.`id` AS id, v.`kk` AS k FROM lake.demo.v_known__storage AS v WHERE v.`other` IN (10, 20) AND v.`kk` < 3

--@ case: an IN list with one too many
SELECT id, k FROM t WHERE d IN (10, 20, 30)
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: null-safe equality
SELECT id, k FROM t WHERE d <=> 20
--@ rewritten using v_or
SELECT v.`id` AS id, v.`k` AS k FROM lake.demo.v_or__storage AS v WHERE v.`d` IS NOT DISTINCT FROM 20

--@ case: null-safe equality with NULL
SELECT id, k FROM t WHERE d <=> NULL
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: coalesce with a value that is not asked for
SELECT id, k FROM t WHERE coalesce(d, 0) = 10
--@ rewritten using v_or
SELECT v.`id` AS id, v.`k` AS k FROM lake.demo.v_or__storage AS v WHERE coalesce(v.`d`, 0) = 10

--@ case: coalesce with the value that is asked for takes NULL, too
SELECT id, k FROM t WHERE coalesce(d, 10) = 10
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a DNF within a DNF
SELECT id FROM t WHERE (k = 1 AND s = 'abc' AND d > 5) OR (s = 'abd' AND k = 2 AND d < 30)
--@ rewritten using v_dnf
SELECT v.`id` AS id FROM lake.demo.v_dnf__storage AS v WHERE ((((v.`k` = 1) AND (v.`s` = 'abc')) AND (v.`d` > 5)) OR (((v.`s` = 'abd') AND (v.`k` = 2)) AND (v.`d` < 30)))

--@ case: the CNF of the view's DNF
SELECT id FROM t WHERE (k = 1 OR k = 2) AND (k = 1 OR s = 'abd') AND (s = 'abc' OR k = 2) AND (s = 'abc' OR s = 'abd')
--@ rewritten using v_dnf
SELECT v.`id` AS id FROM lake.demo.v_dnf__storage AS v

--@ case: branches crossed
SELECT id FROM t WHERE (k = 1 AND s = 'abd') OR (k = 2 AND s = 'abc')
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE (((v.`number` = 1) AND (v.`s` = 'abd')) OR ((v.`number` = 2) AND (v.`s` = 'abc')))

--@ case: the lists of the columns alone
SELECT id FROM t WHERE k IN (1, 2) AND s IN ('abc', 'abd')
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`number` IN (1, 2) AND v.`s` IN ('abc', 'abd')

--@ case: ranges of several columns overlap
SELECT name FROM (SELECT s AS name, p, d FROM t) AS e WHERE p > 1000 OR (d >= 30 AND p <= 500)
--@ rewritten using v_salary
SELECT v.`name` AS name FROM lake.demo.v_salary__storage AS v WHERE ((v.`p` > 1000) OR ((v.`d` >= 30) AND (v.`p` <= 500)))

--@ case: a gap between the ranges
SELECT s AS name FROM t WHERE p > 1000 OR (d >= 5 AND p <= 500)
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a DOUBLE below a DOUBLE
SELECT id, f FROM t WHERE f < 50 AND q < 1
--@ rewritten using v_float
SELECT v.`id` AS id, v.`f` AS f FROM lake.demo.v_float__storage AS v WHERE v.`f` < 50 AND v.`q` < 1

--@ case: a DOUBLE below a decimal literal, and a FLOAT below a whole number
SELECT id, f FROM t WHERE f <= 100.25 AND q <= 2.0
--@ rewritten using v_float
SELECT v.`id` AS id, v.`f` AS f FROM lake.demo.v_float__storage AS v WHERE v.`f` <= 100.25

--@ case: a DOUBLE list
SELECT id, f FROM t WHERE f IN (0.5, 1.5) AND q = 1.5
--@ rewritten using v_float
SELECT v.`id` AS id, v.`f` AS f FROM lake.demo.v_float__storage AS v WHERE v.`f` IN (0.5, 1.5) AND v.`q` = 1.5

--@ case: a decimal literal that is the next DOUBLE
SELECT id FROM t WHERE f <= 100.5 AND q <= 2
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: NaN is greater than all numbers
SELECT id, f FROM t WHERE f > 50 AND q <= 2
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a longer prefix
SELECT id FROM t WHERE s LIKE 'abc%'
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`s` LIKE 'abc%'

--@ case: startswith
SELECT id FROM t WHERE startswith(s, 'abc')
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE startswith(v.`s`, 'abc')

--@ case: more than a prefix
SELECT id FROM t WHERE s LIKE 'ab%x'
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`s` LIKE 'ab%x'

--@ case: a single text
SELECT id FROM t WHERE s = 'abd'
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`s` = 'abd'

--@ case: the prefix as a range
SELECT id FROM t WHERE s >= 'ab' AND s < 'ac'
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v

--@ case: a list of texts
SELECT id FROM t WHERE s IN ('ab', 'abcx')
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`s` IN ('ab', 'abcx')

--@ case: a shorter prefix
SELECT id FROM t WHERE s LIKE 'a%'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: one character more than the range
SELECT id FROM t WHERE s >= 'ab' AND s <= 'ac'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a wildcard within the prefix
SELECT id FROM t WHERE s LIKE 'a_c%'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: an escaped wildcard is no prefix
SELECT id FROM t WHERE s LIKE 'ab\\%%'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a date from an interval within one from another
SELECT id FROM t WHERE day <= DATE '1998-12-01' - INTERVAL 120 DAY
--@ rewritten using v_shipped
SELECT v.`id` AS id FROM lake.demo.v_shipped__storage AS v WHERE v.`shipped` <= CAST('1998-08-03' AS DATE)

--@ case: the date itself
SELECT id FROM t WHERE day <= '1998-09-02'
--@ rewritten using v_shipped
SELECT v.`id` AS id FROM lake.demo.v_shipped__storage AS v

--@ case: the day after, from a function
SELECT id FROM t WHERE day < date_add(DATE '1998-09-02', 1)
--@ rewritten using v_shipped
SELECT v.`id` AS id FROM lake.demo.v_shipped__storage AS v

--@ case: one day too late
SELECT id FROM t WHERE day <= DATE '1998-12-01' - INTERVAL 89 DAYS
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: months end where the shorter one does
SELECT id FROM t WHERE day <= add_months(DATE '1998-09-30', -7)
--@ rewritten using v_shipped
SELECT v.`id` AS id FROM lake.demo.v_shipped__storage AS v WHERE v.`shipped` <= CAST('1998-02-28' AS DATE)

--@ case: a boolean column compared
SELECT id, dd FROM (SELECT id, d AS dd, flag FROM t) AS x WHERE flag = true
--@ rewritten using v_flag
SELECT v.`id` AS id, v.`dd` AS dd FROM lake.demo.v_flag__storage AS v

--@ case: IS TRUE
SELECT id FROM t WHERE flag IS TRUE AND d > 10
--@ rewritten using v_flag
SELECT v.`id` AS id FROM lake.demo.v_flag__storage AS v WHERE v.`dd` > 10

--@ case: not false, which is unknown for NULL
SELECT id FROM t WHERE NOT (flag = false)
--@ rewritten using v_flag
SELECT v.`id` AS id FROM lake.demo.v_flag__storage AS v

--@ case: IS NOT FALSE takes NULL
SELECT id FROM t WHERE flag IS NOT FALSE
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: known is not true
SELECT id FROM t WHERE flag IS NOT NULL
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a BIGINT below a DOUBLE is below the whole number
SELECT id FROM t WHERE big < 1000
--@ rewritten using v_big
SELECT v.`id` AS id FROM lake.demo.v_big__storage AS v

--@ case: and below a DECIMAL
SELECT id FROM t WHERE big <= 999.5
--@ rewritten using v_big
SELECT v.`id` AS id FROM lake.demo.v_big__storage AS v

--@ case: cast to DOUBLE by the query
SELECT id, big FROM t WHERE CAST(big AS DOUBLE) <= 500
--@ rewritten using v_big
SELECT v.`id` AS id, v.`big` AS big FROM lake.demo.v_big__storage AS v WHERE CAST(v.`big` AS DOUBLE) <= 500

--@ case: one too many
SELECT id FROM t WHERE big <= 1000
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a DOUBLE beyond 2^53 is several whole numbers
SELECT id FROM t WHERE big <= 9007199254740992D
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a time since a date's midnight
SELECT id FROM t WHERE ts >= '2024-01-01 00:00:00'
--@ rewritten using v_since
SELECT v.`id` AS id FROM lake.demo.v_since__storage AS v

--@ case: later than that
SELECT id FROM t WHERE ts >= '2024-01-05 07:00:00'
--@ rewritten using v_since
SELECT v.`id` AS id FROM lake.demo.v_since__storage AS v WHERE v.`ts` >= '2024-01-05 07:00:00'

--@ case: a bucket
SELECT id FROM t WHERE date_trunc('MONTH', ts) = '2024-02-01'
--@ rewritten using v_since
SELECT v.`id` AS id FROM lake.demo.v_since__storage AS v WHERE date_trunc('MONTH', v.`ts`) = '2024-02-01'

--@ case: a moment before it
SELECT id FROM t WHERE ts >= '2023-12-31 23:59:59'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a year as a range
SELECT id FROM t WHERE day BETWEEN '2024-01-01' AND '2024-12-31'
--@ rewritten using v_year
SELECT v.`id` AS id FROM lake.demo.v_year__storage AS v

--@ case: a month of the year
SELECT id FROM t WHERE trunc(day, 'MONTH') = '2024-02-01'
--@ rewritten using v_year
SELECT v.`id` AS id FROM lake.demo.v_year__storage AS v WHERE trunc(v.`day`, 'MONTH') = '2024-02-01'

--@ case: a day before the year
SELECT id FROM t WHERE day BETWEEN '2023-12-31' AND '2024-12-31'
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: decimals computed
SELECT id FROM t WHERE p >= 0.05 AND p <= 0.07
--@ rewritten using v_discount
SELECT v.`id` AS id FROM lake.demo.v_discount__storage AS v

--@ case: decimals beyond them
SELECT id, discount FROM (SELECT id, p AS discount FROM t) AS x WHERE discount BETWEEN 0.04 AND 0.06
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: a comparison knows no NULL
SELECT id, other FROM (SELECT id, k, d AS other FROM t) AS x WHERE k + 1 < other
--@ rewritten using v_known
SELECT v.`id` AS id, v.`other` AS other FROM lake.demo.v_known__storage AS v WHERE (v.`kk` + 1) < v.`other`

--@ case: but null-safe equality does
SELECT id FROM t WHERE k <=> d
--@ kept: v_big VIEW_FILTERS_MORE big < CAST(1000 AS DOUBLE); v_discount VIEW_FILTERS_MORE p >= 0.05; v_dnf VIEW_FILTERS_MORE k = 1 AND s = 'abc' OR k = 2 AND s = 'abd'; v_flag VIEW_FILTERS_MORE flag; v_float VIEW_FILTERS_MORE f < 100.5; v_known VIEW_FILTERS_MORE NOT k IS NULL; v_or VIEW_FILTERS_MORE d = 10 OR d = 20 OR id < 160; v_prefix VIEW_FILTERS_MORE s LIKE 'ab%'; v_salary VIEW_FILTERS_MORE p < 1111.9 AND d > 10 OR id > 400 AND p > 5000 OR p > 500; v_shipped VIEW_FILTERS_MORE day <= CAST('1998-09-02' AS DATE); v_since VIEW_FILTERS_MORE CAST(ts AS DATE) >= '2024-01-01'; v_small VIEW_FILTERS_MORE d = 10; v_year VIEW_FILTERS_MORE year(day) = 2024

--@ case: what is left of a disjunction is asked of what the view shows
SELECT id FROM t WHERE d = 10 AND k > 2 AND (d <> 10 OR s = 'ab')
--@ rewritten using v_or
SELECT v.`id` AS id FROM lake.demo.v_or__storage AS v WHERE v.`d` = 10 AND v.`k` > 2 AND ((v.`d` <> 10) OR (v.`s` = 'ab'))

--@ case: a branch that the view excludes
SELECT id FROM t WHERE (d = 10 AND k > 2 AND s LIKE 'a%') OR (d = 10 AND k = 3 AND k < 1)
--@ rewritten using v_or
SELECT v.`id` AS id FROM lake.demo.v_or__storage AS v WHERE v.`d` = 10 AND (((v.`k` > 2) AND (v.`s` LIKE 'a%')) OR ((v.`k` = 3) AND (v.`k` < 1)))

--@ case: a column that both branches need
SELECT id FROM t WHERE d = 10 AND k > 2 AND (k = 3 OR s = 'x')
--@ rewritten using v_or
SELECT v.`id` AS id FROM lake.demo.v_or__storage AS v WHERE v.`d` = 10 AND v.`k` > 2 AND ((v.`k` = 3) OR (v.`s` = 'x'))

--@ case: nothing can be true
SELECT id FROM t WHERE d = 10 AND d = 20
--@ rewritten using v_or
SELECT v.`id` AS id FROM lake.demo.v_or__storage AS v WHERE v.`d` = 10 AND v.`d` = 20

--@ case: a text in hexadecimal digits, as Metabase writes it
SELECT id FROM t WHERE s = decode(unhex('616264'), 'utf-8')
--@ rewritten using v_prefix
SELECT v.`id` AS id FROM lake.demo.v_prefix__storage AS v WHERE v.`s` = 'abd'

--@ case: digits that are none
SELECT id FROM t WHERE s = decode(unhex('61 6264'), 'utf-8')
--@ kept: v_big UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_discount UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_dnf UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_flag UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_float UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_known UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_or UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_prefix UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_salary UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_shipped UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_since UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_small UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery; v_year UNSUPPORTED the function decode() is not supported: read the tables in a subquery, which a view can answer, and call decode() only in the SELECT around the subquery
