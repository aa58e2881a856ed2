-- GROUP BY of constants, ordinals and aliases by Spark's rules of precedence, and ORDER BY of what outputs give.
--@ schema
CREATE TABLE t (id INT NOT NULL, k INT, r STRING, x INT, y INT NOT NULL);
--@ rows
INSERT INTO t VALUES (1, 1, 'a', 1, 2), (2, 1, 'b', NULL, 2), (3, 2, NULL, 5, 2), (4, NULL, 'a', 7, 1), (4, NULL, 'a', 7, 1)
--@ view m
SELECT k, r, sum(x) AS sx, count(x) AS cx, count(*) AS c FROM t GROUP BY k, r

--@ case: a text among the keys
SELECT r, 'x', sum(x) FROM t GROUP BY r, 'x'
--@ rewritten using m
SELECT v.`r` AS r, 'x', sum(v.`sx`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: an ordinal of a constant
SELECT r, 'x' AS z, sum(x) FROM t GROUP BY 1, 2
--@ rewritten using m
SELECT v.`r` AS r, 'x' AS z, sum(v.`sx`) FROM lake.demo.m__storage AS v GROUP BY v.`r`

--@ case: an alias of a constant
SELECT k, 'total' AS z, count(x) FROM t GROUP BY k, r, z
--@ rewritten using m
SELECT v.`k` AS k, 'total' AS z, v.`cx` FROM lake.demo.m__storage AS v

--@ case: a constant alone is one group
SELECT 'total' AS z, sum(x) FROM t GROUP BY 1
--@ rewritten using m
SELECT 'total' AS z, sum(v.`sx`) FROM lake.demo.m__storage AS v HAVING coalesce(sum(v.`c`), 0) > 0

--@ case: of no rows there is none
SELECT 'total' AS z, count(x) FROM t WHERE k = 77 GROUP BY z
--@ rewritten using m
SELECT 'total' AS z, coalesce(sum(v.`cx`), 0) FROM lake.demo.m__storage AS v WHERE v.`k` = 77 HAVING coalesce(sum(v.`c`), 0) > 0

--@ case: a constant alone with HAVING
SELECT NULL AS z, count(x) FROM t WHERE k = 1 GROUP BY z HAVING sum(x) > 0 ORDER BY 2
--@ rewritten using m
SELECT NULL AS z, coalesce(sum(v.`cx`), 0) FROM lake.demo.m__storage AS v WHERE v.`k` = 1 HAVING sum(v.`sx`) > 0 AND coalesce(sum(v.`c`), 0) > 0 ORDER BY 2 ASC NULLS FIRST

--@ case: a number that is no ordinal
SELECT r, -1, sum(x) FROM t GROUP BY r, -1
--@ kept: UNSUPPORTED -1 in GROUP BY or ORDER BY is not a position in the SELECT list: give a number from 1 to 3

--@ case: a negated column is no number
SELECT -k, sum(x) FROM t GROUP BY -k ORDER BY -k
--@ rewritten using m
SELECT -v.`k`, sum(v.`sx`) FROM lake.demo.m__storage AS v GROUP BY -v.`k` ORDER BY 1 ASC NULLS FIRST

--@ case: nor is a negated aggregate
SELECT k, sum(x) AS total FROM t GROUP BY k ORDER BY -total, -count(*), 1 LIMIT 2
--@ rewritten using m
SELECT v.`k` AS k, sum(v.`sx`) AS total FROM lake.demo.m__storage AS v GROUP BY v.`k` ORDER BY -sum(v.`sx`) ASC NULLS FIRST, -coalesce(sum(v.`c`), 0) ASC NULLS FIRST, 1 ASC NULLS FIRST LIMIT 2

--@ case: a negated alias of a constant is a number
SELECT 1 AS one, k FROM t GROUP BY k ORDER BY -one, k
--@ kept: UNSUPPORTED -one in GROUP BY or ORDER BY is not a position in the SELECT list: give a number from 1 to 2

--@ case: also negated twice
SELECT k, sum(x) FROM t GROUP BY k ORDER BY - -1
--@ kept: UNSUPPORTED - -1 in GROUP BY or ORDER BY is not a position in the SELECT list: give a number from 1 to 2

--@ case: an ordinal that is none
SELECT r, sum(x) FROM t GROUP BY 3
--@ kept: UNSUPPORTED 3 in GROUP BY or ORDER BY is not a position in the SELECT list: give a number from 1 to 2

--@ case: a constant in a set of keys makes rows
SELECT r, 'x' AS z, sum(x) FROM t GROUP BY ROLLUP (r, z)
--@ kept: UNSUPPORTED GROUP BY with a constant is not supported: group by expressions of columns, not 'x'

--@ case: a column goes before an alias of its name
SELECT upper(r) AS r, sum(x) FROM t GROUP BY upper(r)
--@ rewritten using m
SELECT upper(v.`r`) AS r, sum(v.`sx`) FROM lake.demo.m__storage AS v GROUP BY upper(v.`r`)

--@ case: an alias of another column's name is no key
SELECT r AS k, sum(x) FROM t GROUP BY k
--@ kept: UNSUPPORTED the column r is neither grouped nor aggregated: add r to GROUP BY, or use r only in aggregates

--@ case: in ORDER BY the alias goes first
SELECT k AS r, sum(x) AS s FROM t GROUP BY k ORDER BY r DESC
--@ rewritten using m
SELECT v.`k` AS r, sum(v.`sx`) AS s FROM lake.demo.m__storage AS v GROUP BY v.`k` ORDER BY 1 DESC NULLS LAST

--@ case: in HAVING nobody guesses
SELECT k AS r, sum(x) FROM t GROUP BY k HAVING r > 1
--@ kept: UNSUPPORTED r is ambiguous, because an output and a column have this name: rename the output

--@ case: two outputs of a name
SELECT k AS z, r AS z, sum(x) FROM t GROUP BY k, r ORDER BY z
--@ kept: UNSUPPORTED z is ambiguous, because two outputs have this name: rename one output

--@ case: expressions of outputs behind ROLLUP
SELECT r, k, sum(x) AS s FROM t GROUP BY ROLLUP (r, k) ORDER BY coalesce(r, 'z'), s * 2, k
--@ rewritten using m
SELECT v.`r` AS r, v.`k` AS k, sum(v.`sx`) AS s FROM lake.demo.m__storage AS v GROUP BY GROUPING SETS ((v.`r`, v.`k`), (v.`r`), ()) ORDER BY coalesce(`r`, 'z') ASC NULLS FIRST, `s` * 2 ASC NULLS FIRST, 2 ASC NULLS FIRST

--@ case: and behind HAVING
SELECT r AS region, sum(x) AS s FROM t GROUP BY r HAVING count(*) > 1 ORDER BY s + 1 DESC, upper(region)
--@ rewritten using m
SELECT v.`r` AS region, sum(v.`sx`) AS s FROM lake.demo.m__storage AS v GROUP BY v.`r` HAVING coalesce(sum(v.`c`), 0) > 1 ORDER BY `s` + 1 DESC NULLS LAST, upper(`region`) ASC NULLS FIRST

--@ case: an output without a name
SELECT r, sum(x) FROM t GROUP BY ROLLUP (r) ORDER BY sum(x) + 1
--@ kept: SHAPE sum(x) + 1 in ORDER BY of a query with GROUPING SETS is not an output with a name of its own: add sum(x) + 1 to the SELECT list with an alias, which adds a column to the result

--@ case: what is no output
SELECT r, sum(x) AS s FROM t GROUP BY r HAVING count(*) > 1 ORDER BY count(*)
--@ kept: SHAPE count(*) in ORDER BY of a query with HAVING is not an output with a name of its own: add count(*) to the SELECT list with an alias, which adds a column to the result

--@ case: a name that two outputs have
SELECT r, k AS r, sum(x) AS s FROM t GROUP BY ROLLUP (r, k) ORDER BY upper(t.r)
--@ kept: SHAPE upper(r) in ORDER BY of a query with GROUPING SETS is not an output with a name of its own: add upper(r) to the SELECT list with an alias, which adds a column to the result
