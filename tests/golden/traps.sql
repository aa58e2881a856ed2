-- What looks like a hit and is none: each of these has given a wrong answer somewhere.
--@ schema
CREATE TABLE a (g STRING, h STRING, k INT, b BIGINT, x DOUBLE, d DECIMAL(10,2), sm SMALLINT, st STRING, bo BOOLEAN);
CREATE TABLE e (k INT, w INT);
CREATE TABLE dim (k INT, w INT);
CREATE TABLE wide (m INT, b BIGINT)
--@ rows
INSERT INTO a VALUES ('u', 'p', 1, 9000000000000000000, 1.0, 1.50, 300, 'abc', true), ('u', 'q', 1, 5, -0.0D, NULL, 300, 'xyz', false), ('u', 'q', 2, NULL, 2.5, 2.25, 7, NULL, NULL), (NULL, 'p', 9, 1, NULL, 9.99, NULL, 'true', true);
INSERT INTO dim VALUES (1, 10), (2, 20), (2, NULL);
INSERT INTO wide VALUES (1, 9007199254740993), (2, 9007199254740992), (3, 1), (-4, NULL)
--@ view grouped
SELECT g, h, k, sm, count(*) AS cnt, sum(b) AS sb, count(b) AS cb, min(sm) AS low FROM a GROUP BY g, h, k, sm
--@ view copied
SELECT g, h, k, st, bo, x FROM a WHERE k IS NOT NULL
--@ view all_of_e
SELECT sum(k) AS sk, count(*) AS cnt FROM e
--@ view distinct_filtered
SELECT g, h, count(DISTINCT k) FILTER (WHERE bo) AS c, sum(DISTINCT k) FILTER (WHERE bo) AS s FROM a GROUP BY g, h
--@ view float_sums
SELECT g, h, sum(x) AS sx FROM a GROUP BY g, h
--@ view cast_sum
SELECT g, h, sum(CAST(x AS DECIMAL(38,0))) AS s, count(x) AS c FROM a GROUP BY g, h
--@ view at_limit
SELECT m, b FROM wide WHERE b = 9007199254740992
--@ view from_one
SELECT m, b AS c FROM wide WHERE m >= 1

--@ case: NOT LIKE is not LIKE
SELECT g, st FROM a WHERE k > 0 AND st NOT LIKE 'a%'
--@ rewritten using copied
SELECT v.`g` AS g, v.`st` AS st FROM lake.demo.copied__storage AS v WHERE v.`k` > 0 AND NOT (v.`st` LIKE 'a%')

--@ case: a name of WITH without AS
WITH a (SELECT 'zz' AS g, 1 AS k) SELECT g, sum(k) FROM a GROUP BY g
--@ kept: NO_VIEW

--@ case: a comparison of a comparison is read from the left by Spark
SELECT count(*) FROM a WHERE st LIKE 'true' = bo
--@ kept: cast_sum UNSUPPORTED st LIKE 'true' = bo has a comparison without parentheses as an operand, which is not supported: put this operand in parentheses; copied UNSUPPORTED st LIKE 'true' = bo has a comparison without parentheses as an operand, which is not supported: put this operand in parentheses; distinct_filtered UNSUPPORTED st LIKE 'true' = bo has a comparison without parentheses as an operand, which is not supported: put this operand in parentheses; float_sums UNSUPPORTED st LIKE 'true' = bo has a comparison without parentheses as an operand, which is not supported: put this operand in parentheses; grouped UNSUPPORTED st LIKE 'true' = bo has a comparison without parentheses as an operand, which is not supported: put this operand in parentheses

--@ case: in parentheses it is clear
SELECT count(*) FROM a WHERE (st LIKE 'true') = bo AND k > 0
--@ rewritten using copied
SELECT count(*) FROM lake.demo.copied__storage AS v WHERE (v.`st` LIKE 'true') = v.`bo` AND v.`k` > 0

--@ case: || binds as + does
SELECT k || 9 + 1 FROM a
--@ kept: cast_sum UNSUPPORTED k || 9 + 1 mixes || with + or -, which is not supported: put one operation in parentheses; copied UNSUPPORTED k || 9 + 1 mixes || with + or -, which is not supported: put one operation in parentheses; distinct_filtered UNSUPPORTED k || 9 + 1 mixes || with + or -, which is not supported: put one operation in parentheses; float_sums UNSUPPORTED k || 9 + 1 mixes || with + or -, which is not supported: put one operation in parentheses; grouped UNSUPPORTED k || 9 + 1 mixes || with + or -, which is not supported: put one operation in parentheses

--@ case: constants over a view of one row that stands for none
SELECT max(1), count(DISTINCT 1), bool_and(true) FROM e
--@ kept: AGGREGATE_NOT_IN_VIEW max(1)

--@ case: a table beside a view of one row that stands for none
SELECT dim.k, count(*) FROM e CROSS JOIN dim GROUP BY dim.k
--@ kept: GROUPING_TOO_COARSE the view stores a single group of all rows: add k to the view's GROUP BY

--@ case: the greatest of a table beside it
SELECT max(dim.w) FROM e CROSS JOIN dim
--@ kept: GROUPING_TOO_COARSE the view stores a single group of all rows: create a view with GROUP BY to join it with dim

--@ case: distinct values with a filter do not add up
SELECT g, count(DISTINCT k) FILTER (WHERE bo) FROM a GROUP BY g
--@ kept: cast_sum COLUMN_NOT_IN_VIEW bo; copied VIEW_FILTERS_MORE NOT k IS NULL; distinct_filtered COLUMN_NOT_IN_VIEW bo; float_sums COLUMN_NOT_IN_VIEW bo; grouped COLUMN_NOT_IN_VIEW bo

--@ case: DISTINCT matters to bit_xor
SELECT g, bit_xor(DISTINCT k) FROM a WHERE k < 9 GROUP BY g
--@ rewritten using copied
SELECT v.`g` AS g, bit_xor(DISTINCT v.`k`) FROM lake.demo.copied__storage AS v WHERE v.`k` < 9 GROUP BY v.`g`

--@ case: a sum of casts is not the sum
SELECT g, avg(x) FROM a GROUP BY g
--@ kept: cast_sum AGGREGATE_NOT_IN_VIEW avg(x); copied VIEW_FILTERS_MORE NOT k IS NULL; distinct_filtered AGGREGATE_NOT_IN_VIEW avg(x); float_sums AGGREGATE_NOT_IN_VIEW avg(x); grouped AGGREGATE_NOT_IN_VIEW avg(x)

--@ case: a stored sum of BIGINTs did not overflow in ANSI mode, and its sum as DECIMAL cannot
SELECT g, avg(b) FROM a GROUP BY g
--@ rewritten using grouped
SELECT v.`g` AS g, CAST(sum(CAST(v.`sb` AS DECIMAL(38, 0))) AS DOUBLE) / CAST(nullif(coalesce(sum(v.`cb`), 0), 0) AS DOUBLE) FROM lake.demo.grouped__storage AS v GROUP BY v.`g`

--@ case: NaN is greater than all, and files do not know of it
SELECT count(*) FROM a WHERE x > 5
--@ kept: cast_sum FLOAT_COMPARED x > 5; copied VIEW_FILTERS_MORE NOT k IS NULL; distinct_filtered FLOAT_COMPARED x > 5; float_sums FLOAT_COMPARED x > 5; grouped FLOAT_COMPARED x > 5

--@ case: a SMALLINT is computed with as one, though it is kept as an INT
SELECT g, sm * sm, count(*) FROM a WHERE sm < 100 GROUP BY g, sm
--@ rewritten using grouped
SELECT v.`g` AS g, v.`sm` * v.`sm`, coalesce(sum(v.`cnt`), 0) FROM lake.demo.grouped__storage AS v WHERE v.`sm` < 100 GROUP BY v.`g`, v.`sm`

--@ case: a float sum that a query around filters by
SELECT g FROM (SELECT g, sum(x) AS s FROM a WHERE h <> 'z' GROUP BY g) WHERE s = 1e16
--@ kept: cast_sum UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; copied UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; distinct_filtered UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; float_sums UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; grouped UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; cast_sum FLOAT_SUM_DECIDES_ROWS sum(x); copied VIEW_FILTERS_MORE NOT k IS NULL; distinct_filtered FLOAT_SUM_DECIDES_ROWS sum(x); float_sums FLOAT_SUM_DECIDES_ROWS sum(x); grouped FLOAT_SUM_DECIDES_ROWS sum(x)

--@ case: a float sum that is handed on
SELECT * FROM (SELECT g, sum(x) AS s FROM a GROUP BY g) AS t LIMIT 100
--@ rewritten using float_sums
SELECT v.`g` AS g, sum(v.`sx`) AS s FROM lake.demo.float_sums__storage AS v GROUP BY v.`g` LIMIT 100

--@ case: a float sum that makes rows equal
SELECT g, sum(x) FROM a GROUP BY g UNION SELECT st, 1.0D FROM a
--@ kept: cast_sum FLOAT_SUM_DECIDES_ROWS sum(x); copied VIEW_FILTERS_MORE NOT k IS NULL; distinct_filtered FLOAT_SUM_DECIDES_ROWS sum(x); float_sums FLOAT_SUM_DECIDES_ROWS sum(x); grouped FLOAT_SUM_DECIDES_ROWS sum(x); cast_sum GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; distinct_filtered GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; float_sums GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a float sum that is only put beside others
SELECT g, sum(x) FROM a GROUP BY g UNION ALL SELECT h, sum(x) FROM a GROUP BY h
--@ rewritten using float_sums
SELECT v.`g` AS g, sum(v.`sx`) FROM lake.demo.float_sums__storage AS v GROUP BY v.`g` UNION ALL SELECT v.`h` AS h, sum(v.`sx`) FROM lake.demo.float_sums__storage AS v GROUP BY v.`h`

--@ case: the character of code 0 before digits, which would be printed as one octal character
SELECT g, st FROM a WHERE k > 0 AND st IN ('abc', '\u000012', 'x' '\u0000')
--@ kept: cast_sum UNSUPPORTED a string literal with the character U+0000 is not supported: remove this character; copied UNSUPPORTED a string literal with the character U+0000 is not supported: remove this character; distinct_filtered UNSUPPORTED a string literal with the character U+0000 is not supported: remove this character; float_sums UNSUPPORTED a string literal with the character U+0000 is not supported: remove this character; grouped UNSUPPORTED a string literal with the character U+0000 is not supported: remove this character

--@ case: a default within the sum over an empty table, which is NULL
SELECT sum(coalesce(k, 0)) AS s FROM e
--@ kept: AGGREGATE_NOT_IN_VIEW sum(coalesce(k, 0))

--@ case: a default by another name within a filtered sum over an empty table
SELECT sum(nvl(k, 0)) FILTER (WHERE true) AS s FROM e
--@ kept: AGGREGATE_NOT_IN_VIEW sum(nvl(k, 0))

--@ case: zeros and ones of an empty table, which are no count
SELECT sum(CASE WHEN k IS NOT NULL THEN 1 ELSE 0 END) AS s FROM e
--@ kept: AGGREGATE_NOT_IN_VIEW sum(CASE WHEN NOT k IS NULL THEN 1 ELSE 0 END)

--@ case: a BIGINT with a DOUBLE default is compared in DOUBLE, where 2^53 + 1 is 2^53
SELECT m FROM wide WHERE coalesce(b, 1e0) = 9007199254740992
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: and so is a BIGINT in a list with a DOUBLE
SELECT m FROM wide WHERE b IN (9007199254740992, 9007199254740992, -1D)
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a literal that DOUBLE rounds to a whole number
SELECT m FROM wide WHERE CAST(m AS DOUBLE) > 0.99999999999999999999
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a literal that DOUBLE rounds to no whole number
SELECT m FROM wide WHERE CAST(m AS DOUBLE) > 0.1
--@ rewritten using from_one
SELECT v.`m` AS m FROM lake.demo.from_one__storage AS v

--@ case: a list that has more digits than a DECIMAL
SELECT m FROM wide WHERE m IN (0.99999999999999999999, 12345678901234567890)
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a DECIMAL of 38 digits, to whose scale Spark rounds a literal
SELECT m FROM wide WHERE CAST(m AS DECIMAL(38,2)) > 0.995
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a literal that a DECIMAL of 38 digits holds
SELECT m FROM wide WHERE CAST(m AS DECIMAL(38,2)) > 0.99
--@ rewritten using from_one
SELECT v.`m` AS m FROM lake.demo.from_one__storage AS v

--@ case: a BIGINT through DOUBLE is another number
SELECT m FROM wide WHERE CAST(CAST(b AS DOUBLE) AS DECIMAL(38,0)) = 9007199254740992
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a default that makes an INT a BIGINT, beside whose digits Spark rounds a literal
SELECT m FROM wide WHERE coalesce(m, 5000000000) > 0.99999999999999999999
--@ kept: at_limit VIEW_FILTERS_MORE b = 9007199254740992; from_one VIEW_FILTERS_MORE m >= 1

--@ case: a default of its own type
SELECT m FROM wide WHERE coalesce(m, 0) > 0.5
--@ rewritten using from_one
SELECT v.`m` AS m FROM lake.demo.from_one__storage AS v
