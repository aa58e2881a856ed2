-- Numbers that a view holds in a wider type, read back as they were.
--@ schema
CREATE TABLE t (id INT NOT NULL, k INT, s SMALLINT, x INT, p DECIMAL(10,2), b BIGINT, f FLOAT, d DATE);
--@ rows
INSERT INTO t VALUES (1, 1, 1, 5, 1.50, 7, 0.5, DATE '2024-01-01'), (2, 1, 2, NULL, 2.50, 8, 1.5, DATE '2024-01-02'), (3, NULL, NULL, 9, NULL, NULL, NULL, NULL), (3, NULL, NULL, 9, NULL, NULL, NULL, NULL)
--@ view rows
SELECT CAST(k AS BIGINT) AS wide_k, CAST(s AS DECIMAL(10, 0)) AS wide_s, CAST(p AS DECIMAL(20, 4)) AS wide_p, CAST(f AS DOUBLE) AS wide_f, CAST(d AS TIMESTAMP) AS at, CAST(b AS INT) AS narrow_b FROM t
--@ view groups
SELECT CAST(k AS BIGINT) AS wide_k, sum(x) AS total, count(*) AS n FROM t GROUP BY CAST(k AS BIGINT)

--@ case: an INT from a BIGINT
SELECT k, s FROM t WHERE k = 1
--@ rewritten using rows
SELECT CAST(v.`wide_k` AS INT) AS k, CAST(v.`wide_s` AS SMALLINT) AS s FROM lake.demo.rows__storage AS v WHERE CAST(v.`wide_k` AS INT) = 1

--@ case: a DECIMAL from one of more digits
SELECT p + 1 FROM t WHERE k > 0
--@ rewritten using rows
SELECT CAST(v.`wide_p` AS DECIMAL(10, 2)) + 1 FROM lake.demo.rows__storage AS v WHERE CAST(v.`wide_k` AS INT) > 0

--@ case: a key
SELECT k, sum(x) FROM t GROUP BY k
--@ rewritten using groups
SELECT CAST(v.`wide_k` AS INT) AS k, v.`total` FROM lake.demo.groups__storage AS v

--@ case: what is computed of a key
SELECT k + 1, count(*) FROM t WHERE k < 5 GROUP BY k + 1
--@ rewritten using groups
SELECT CAST(v.`wide_k` AS INT) + 1, coalesce(sum(v.`n`), 0) FROM lake.demo.groups__storage AS v WHERE CAST(v.`wide_k` AS INT) < 5 GROUP BY CAST(v.`wide_k` AS INT) + 1

--@ case: in another wide type
SELECT CAST(k AS DECIMAL(12, 0)) FROM t
--@ rewritten using rows
SELECT CAST(CAST(v.`wide_k` AS INT) AS DECIMAL(12, 0)) FROM lake.demo.rows__storage AS v

--@ case: a FLOAT in a DOUBLE has another sign of zero as a key
SELECT f FROM t
--@ kept: groups GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; rows COLUMN_NOT_IN_VIEW f

--@ case: a DATE is no midnight in all zones
SELECT d FROM t
--@ kept: groups GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; rows COLUMN_NOT_IN_VIEW d

--@ case: a BIGINT does not fit an INT
SELECT b FROM t
--@ kept: groups GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; rows COLUMN_NOT_IN_VIEW b

--@ case: a sum of integers in a wider type is the same
SELECT k, sum(CAST(x AS BIGINT)) FROM t GROUP BY k
--@ rewritten using groups
SELECT CAST(v.`wide_k` AS INT) AS k, v.`total` FROM lake.demo.groups__storage AS v

--@ case: a sum of DECIMALs has another type
SELECT k, sum(CAST(x AS DECIMAL(20, 0))) FROM t GROUP BY k
--@ rewritten using groups
SELECT CAST(v.`wide_k` AS INT) AS k, CAST(v.`total` AS DECIMAL(30, 0)) FROM lake.demo.groups__storage AS v
