-- Whole numbers plus or minus a constant in a view, from which the numbers are computed back.
--@ schema
CREATE TABLE t (n INT, w BIGINT, s SMALLINT, x DOUBLE, p DECIMAL(9,2), d DATE, v INT);
--@ rows
INSERT INTO t VALUES (1, 10, 3, 0.5, 1.25, DATE '2024-01-31', 1), (1, 10, 3, 0.5, 1.25, DATE '2024-01-31', 2), (2, -7, -4, 1.5, 2.50, DATE '2024-02-29', 4), (NULL, NULL, NULL, NULL, NULL, NULL, 8), (1000000000, 4611686018427387904, 100, 1e300, 9.99, DATE '2023-12-31', 16), (-1000000000, 0, 0, 0.1, 0.00, DATE '2024-03-01', 32)
--@ view shifted
SELECT n + 1 AS n1, w - 5 AS w5, s + 2 AS s2, 3 + n AS n3, sum(v) AS total, count(*) AS cnt FROM t GROUP BY n + 1, w - 5, s + 2, 3 + n
--@ view others
SELECT x + 1 AS x1, p + 1 AS p1, n * 2 AS twice, 7 - n AS less, n + s AS both, v FROM t

--@ case: an INT plus one
SELECT n, sum(v) FROM t GROUP BY n
--@ rewritten using shifted
SELECT v.`n1` - 1 AS n, sum(v.`total`) FROM lake.demo.shifted__storage AS v GROUP BY v.`n1` - 1

--@ case: in a filter
SELECT sum(v) FROM t WHERE n > 1 AND w <= 10
--@ rewritten using shifted
SELECT sum(v.`total`) FROM lake.demo.shifted__storage AS v WHERE (v.`n1` - 1) > 1 AND (v.`w5` + 5) <= 10

--@ case: a BIGINT and a SMALLINT
SELECT w, s, count(*) FROM t GROUP BY w, s
--@ rewritten using shifted
SELECT v.`w5` + 5 AS w, CAST(v.`s2` - 2 AS SMALLINT) AS s, coalesce(sum(v.`cnt`), 0) FROM lake.demo.shifted__storage AS v GROUP BY v.`w5` + 5, CAST(v.`s2` - 2 AS SMALLINT)

--@ case: computed further
SELECT n * 2 + s, sum(v) FROM t WHERE w IS NOT NULL GROUP BY n * 2 + s
--@ rewritten using shifted
SELECT ((v.`n1` - 1) * 2) + CAST(v.`s2` - 2 AS SMALLINT), sum(v.`total`) FROM lake.demo.shifted__storage AS v WHERE NOT ((v.`w5` + 5) IS NULL) GROUP BY ((v.`n1` - 1) * 2) + CAST(v.`s2` - 2 AS SMALLINT)

--@ case: as it is in the view
SELECT n + 1, sum(v) FROM t GROUP BY n + 1
--@ rewritten using shifted
SELECT v.`n1`, sum(v.`total`) FROM lake.demo.shifted__storage AS v GROUP BY v.`n1`

--@ case: plus another number
SELECT n + 2, sum(v) FROM t GROUP BY n + 2
--@ rewritten using shifted
SELECT (v.`n1` - 1) + 2, sum(v.`total`) FROM lake.demo.shifted__storage AS v GROUP BY (v.`n1` - 1) + 2

--@ case: a DOUBLE plus one has lost bits
SELECT x, v FROM t
--@ kept: others COLUMN_NOT_IN_VIEW x; shifted GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a DECIMAL plus one
SELECT p, v FROM t
--@ kept: others COLUMN_NOT_IN_VIEW p; shifted GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a multiple, a difference from a constant, and a sum of columns
SELECT n, s, v FROM t
--@ kept: others COLUMN_NOT_IN_VIEW n; shifted GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY
