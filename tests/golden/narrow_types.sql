-- Types that Iceberg does not have: what the storage keeps as INT is read as what was computed.
--@ schema
CREATE TABLE t (k STRING, g STRING, n INT, p DECIMAL(10,2));
--@ rows
INSERT INTO t VALUES ('a', 'x', 7, 2.50), ('a', 'y', 3, 1.25), ('b', 'x', -7, 100000.00), ('c', 'x', NULL, 1.00), (NULL, 'y', 5, NULL)
--@ view tops
SELECT k, g, max(CAST(n AS SMALLINT)) AS top, min(CAST(n AS TINYINT)) AS least, sum(p) AS total FROM t GROUP BY k, g

--@ case: a quotient has the digits that its divisor's type gives it
SELECT k FROM t GROUP BY k HAVING sum(p) / max(CAST(n AS SMALLINT)) > 0.5
--@ rewritten using tops
SELECT v.`k` AS k FROM lake.demo.tops__storage AS v GROUP BY v.`k` HAVING (CAST(sum(v.`total`) AS DECIMAL(20, 2)) / max(CAST(v.`top` AS SMALLINT))) > 0.5

--@ case: at the same grain, and in an order
SELECT k, g FROM t GROUP BY k, g ORDER BY max(CAST(n AS SMALLINT)) + min(CAST(n AS TINYINT)), k, g LIMIT 2
--@ rewritten using tops
SELECT v.`k` AS k, v.`g` AS g FROM lake.demo.tops__storage AS v ORDER BY CAST(v.`top` AS SMALLINT) + CAST(v.`least` AS TINYINT) ASC NULLS FIRST, 1 ASC NULLS FIRST, 2 ASC NULLS FIRST LIMIT 2
