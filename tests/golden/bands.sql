-- A filter on a column of which the view has only a CASE that divides its values into bands.
--@ schema
CREATE TABLE payments (id INT NOT NULL, amount DECIMAL(10,2) NOT NULL, age INT, score DOUBLE, name STRING, day DATE);
CREATE TABLE people (id INT NOT NULL, born DATE)
--@ rows
INSERT INTO payments VALUES (1, -5.00, 17, 0.5, 'ann', DATE '2024-01-01'), (2, 0.00, 18, -0.0D, 'bob', DATE '2024-01-02'), (3, 9.99, NULL, NULL, NULL, NULL), (3, 9.99, NULL, NULL, NULL, NULL), (4, 10.00, 64, 99.5, 'cy', DATE '2023-12-31'), (5, 100.00, 65, 1.0, 'abe', DATE '2024-02-29'), (6, 250.00, 3, 10.0, 'zoe', DATE '2024-03-01');
INSERT INTO people VALUES (1, DATE '2000-01-01'), (9, NULL)
--@ view by_band
SELECT day, CASE WHEN amount < 0 THEN 'refund' WHEN amount < 10 THEN 'small' WHEN amount < 100 THEN 'medium' ELSE 'large' END AS band, count(*) AS n, sum(amount) AS total FROM payments GROUP BY day, CASE WHEN amount < 0 THEN 'refund' WHEN amount < 10 THEN 'small' WHEN amount < 100 THEN 'medium' ELSE 'large' END
--@ view by_age
SELECT CASE WHEN age >= 18 AND age < 65 THEN 1 WHEN age IS NULL THEN 7 WHEN age < 18 THEN 2 END AS grown, max(id) AS id, count(*) AS n FROM payments GROUP BY CASE WHEN age >= 18 AND age < 65 THEN 1 WHEN age IS NULL THEN 7 WHEN age < 18 THEN 2 END
--@ view by_score
SELECT CASE WHEN score < 1 THEN 'low' ELSE 'high' END AS level, min(id) AS id FROM payments GROUP BY CASE WHEN score < 1 THEN 'low' ELSE 'high' END
--@ view by_name
SELECT id + 0.5 AS id_half, CASE WHEN name LIKE 'a%' THEN 'a' WHEN name < 'm' THEN 'm' WHEN name IS NOT NULL THEN 'z' END AS letter, CASE WHEN day < DATE '2024-01-01' THEN DATE '1900-01-01' ELSE day END AS mixed, CASE WHEN id < 2 THEN 1 WHEN id < 4 THEN 1.0 ELSE 2 END AS twice FROM payments

--@ case: one band
SELECT sum(amount) AS refunds FROM payments WHERE amount < 0
--@ rewritten using by_band
SELECT CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS refunds FROM lake.demo.by_band__storage AS v WHERE v.`band` = 'refund'

--@ case: two bands, by groups
SELECT day, count(*) AS n FROM payments WHERE amount < 10 GROUP BY day
--@ rewritten using by_band
SELECT v.`day` AS day, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_band__storage AS v WHERE v.`band` IN ('refund', 'small') GROUP BY v.`day`

--@ case: a band between two bounds
SELECT count(*) AS n FROM payments WHERE amount >= 10 AND amount < 100 AND day >= DATE '2024-01-01'
--@ rewritten using by_band
SELECT coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_band__storage AS v WHERE v.`band` IN ('medium', 'large') AND v.`band` IN ('refund', 'small', 'medium') AND v.`day` >= CAST('2024-01-01' AS DATE)

--@ case: BETWEEN, NOT and OR
SELECT day, sum(amount) AS total FROM payments WHERE NOT amount >= 0 OR amount >= 100 GROUP BY day
--@ rewritten using by_band
SELECT v.`day` AS day, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total FROM lake.demo.by_band__storage AS v WHERE v.`band` IN ('refund', 'large') GROUP BY v.`day`

--@ case: ELSE has the rest of a column that is never NULL
SELECT count(*) AS n FROM payments WHERE amount >= 100
--@ rewritten using by_band
SELECT coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_band__storage AS v WHERE v.`band` = 'large'

--@ case: whole numbers by other bounds
SELECT count(*) AS n, max(id) AS id FROM payments WHERE age > 17 AND age <= 64
--@ rewritten using by_age
SELECT coalesce(sum(v.`n`), 0) AS n, max(v.`id`) AS id FROM lake.demo.by_age__storage AS v WHERE ((v.`grown` = 1) OR (v.`grown` IS NULL)) AND v.`grown` IN (1, 2)

--@ case: children
SELECT max(id) AS id FROM payments WHERE age <= 17
--@ rewritten using by_age
SELECT max(v.`id`) AS id FROM lake.demo.by_age__storage AS v WHERE v.`grown` = 2

--@ case: NULL has a band of its own
SELECT count(*) AS n FROM payments WHERE age IS NULL
--@ rewritten using by_age
SELECT coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_age__storage AS v WHERE v.`grown` = 7

--@ case: a CASE without ELSE is NULL for the rest
SELECT count(*) AS n FROM payments WHERE age >= 65
--@ rewritten using by_age
SELECT coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_age__storage AS v WHERE v.`grown` IS NULL

--@ case: a prefix, in rows
SELECT id + 0.5 AS h FROM payments WHERE name LIKE 'a%'
--@ rewritten using by_name
SELECT v.`id_half` AS h FROM lake.demo.by_name__storage AS v WHERE v.`letter` = 'a'

--@ case: in EXISTS
SELECT id FROM people AS p WHERE EXISTS (SELECT 1 FROM payments AS q WHERE q.day = p.born AND q.amount < 0)
--@ rewritten using by_band
SELECT id FROM people VERSION AS OF 1001 AS p WHERE EXISTS (SELECT 1 FROM lake.demo.by_band__storage VERSION AS OF 2000 AS v WHERE v.`day` = p.born AND v.`band` = 'refund')

--@ case: a part of a band
SELECT count(*) AS n FROM payments WHERE amount < 5
--@ kept: by_age COLUMN_NOT_IN_VIEW amount; by_band COLUMN_NOT_IN_VIEW amount; by_name COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW amount

--@ case: a bound that belongs to the other band
SELECT count(*) AS n FROM payments WHERE amount <= 10
--@ kept: by_age COLUMN_NOT_IN_VIEW amount; by_band COLUMN_NOT_IN_VIEW amount; by_name COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW amount

--@ case: NULL would be in ELSE
SELECT count(*) AS n FROM payments WHERE age < 65 OR age IS NULL OR age > 70
--@ kept: by_age COLUMN_NOT_IN_VIEW age; by_band COLUMN_NOT_IN_VIEW age; by_name COLUMN_NOT_IN_VIEW age; by_score COLUMN_NOT_IN_VIEW age

--@ case: DOUBLE
SELECT min(id) AS id FROM payments WHERE score < 1
--@ kept: by_age COLUMN_NOT_IN_VIEW score; by_band COLUMN_NOT_IN_VIEW score; by_name COLUMN_NOT_IN_VIEW score; by_score COLUMN_NOT_IN_VIEW score

--@ case: 1 and 1.0 are one value
SELECT count(*) AS n FROM payments WHERE id < 2
--@ kept: by_age COLUMN_NOT_IN_VIEW id; by_band COLUMN_NOT_IN_VIEW id; by_name COLUMN_NOT_IN_VIEW id; by_score COLUMN_NOT_IN_VIEW id

--@ case: a CASE with values that are no literals
SELECT id FROM payments WHERE day < DATE '2024-01-01'
--@ kept: by_age COLUMN_NOT_IN_VIEW day; by_band GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_name COLUMN_NOT_IN_VIEW day; by_score COLUMN_NOT_IN_VIEW day

--@ case: a sum of the column over a part of a band
SELECT sum(amount) AS total FROM payments WHERE amount BETWEEN 10 AND 99
--@ kept: by_age COLUMN_NOT_IN_VIEW amount; by_band COLUMN_NOT_IN_VIEW amount; by_name COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW amount

--@ case: bands under FILTER
SELECT day, count(*) FILTER (WHERE amount < 0) AS refunds, sum(amount) FILTER (WHERE amount >= 0 AND amount < 100) AS middle FROM payments GROUP BY day
--@ rewritten using by_band
SELECT v.`day` AS day, coalesce(sum(v.`n`) FILTER(WHERE v.`band` = 'refund'), 0) AS refunds, CAST(sum(v.`total`) FILTER(WHERE (v.`band` IN ('small', 'medium', 'large')) AND (v.`band` IN ('refund', 'small', 'medium'))) AS DECIMAL(20, 2)) AS middle FROM lake.demo.by_band__storage AS v GROUP BY v.`day`

--@ case: bands in the conditions of CASE
SELECT sum(CASE WHEN amount >= 100 THEN amount ELSE 0 END) AS large, count(CASE WHEN amount < 10 THEN 1 END) AS small, sum(if(amount < 0, 1, 0)) AS refunds FROM payments
--@ rewritten using by_band
SELECT CAST(sum(CASE WHEN v.`band` = 'large' THEN CAST(v.`total` AS DECIMAL(22, 2)) ELSE 0 END) AS DECIMAL(22, 2)) AS large, coalesce(sum(CASE WHEN v.`band` IN ('refund', 'small') THEN v.`n` ELSE 0 END), 0) AS small, sum(CASE WHEN v.`band` = 'refund' THEN v.`n` ELSE 0 END) AS refunds FROM lake.demo.by_band__storage AS v

--@ case: coarser bands as groups
SELECT CASE WHEN amount < 0 THEN 'out' WHEN amount < 100 THEN 'in' ELSE 'much' END AS kind, count(*) AS n, sum(amount) AS total FROM payments GROUP BY CASE WHEN amount < 0 THEN 'out' WHEN amount < 100 THEN 'in' ELSE 'much' END ORDER BY kind
--@ rewritten using by_band
SELECT CASE WHEN v.`band` = 'refund' THEN 'out' WHEN v.`band` IN ('refund', 'small', 'medium') THEN 'in' ELSE 'much' END AS kind, coalesce(sum(v.`n`), 0) AS n, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total FROM lake.demo.by_band__storage AS v GROUP BY CASE WHEN v.`band` = 'refund' THEN 'out' WHEN v.`band` IN ('refund', 'small', 'medium') THEN 'in' ELSE 'much' END ORDER BY 1 ASC NULLS FIRST

--@ case: coarser bands of a column that may be NULL
SELECT CASE WHEN age < 65 AND age >= 18 THEN 'grown' WHEN age IS NULL THEN '?' ELSE 'other' END AS kind, sum(CASE WHEN age < 18 THEN 1 ELSE 0 END) AS young, count(*) AS n FROM payments GROUP BY 1
--@ rewritten using by_age
SELECT CASE WHEN (v.`grown` IN (1, 2)) AND ((v.`grown` = 1) OR (v.`grown` IS NULL)) THEN 'grown' WHEN v.`grown` = 7 THEN '?' ELSE 'other' END AS kind, sum(CASE WHEN v.`grown` = 2 THEN v.`n` ELSE 0 END) AS young, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_age__storage AS v GROUP BY CASE WHEN (v.`grown` IN (1, 2)) AND ((v.`grown` = 1) OR (v.`grown` IS NULL)) THEN 'grown' WHEN v.`grown` = 7 THEN '?' ELSE 'other' END

--@ case: a condition beside a band
SELECT sum(CASE WHEN amount < 0 AND day >= DATE '2024-01-01' THEN amount END) AS refunds FROM payments
--@ rewritten using by_band
SELECT CAST(sum(CASE WHEN (v.`band` = 'refund') AND (v.`day` >= CAST('2024-01-01' AS DATE)) THEN v.`total` END) AS DECIMAL(20, 2)) AS refunds FROM lake.demo.by_band__storage AS v

--@ case: a part of a band under FILTER
SELECT day, count(*) FILTER (WHERE amount < 5) AS n FROM payments GROUP BY day
--@ kept: by_age GROUPING_TOO_COARSE day; by_band COLUMN_NOT_IN_VIEW amount; by_name COLUMN_NOT_IN_VIEW day; by_score GROUPING_TOO_COARSE day

--@ case: a part of a band in CASE
SELECT CASE WHEN amount < 50 THEN 'less' ELSE 'more' END AS kind, count(*) AS n FROM payments GROUP BY 1
--@ kept: by_age GROUPING_TOO_COARSE amount; by_band GROUPING_TOO_COARSE amount; by_name COLUMN_NOT_IN_VIEW amount; by_score GROUPING_TOO_COARSE amount

--@ case: conditions joined by OR over two columns are not divided
SELECT count(*) FILTER (WHERE amount < 0 OR id = 1) AS n FROM payments
--@ kept: by_age COLUMN_NOT_IN_VIEW amount; by_band COLUMN_NOT_IN_VIEW amount; by_name COLUMN_NOT_IN_VIEW amount; by_score COLUMN_NOT_IN_VIEW amount

--@ case: bands of a DOUBLE in CASE
SELECT CASE WHEN score < 1 THEN 'few' ELSE 'many' END AS kind, min(id) AS id FROM payments GROUP BY 1
--@ kept: by_age GROUPING_TOO_COARSE score; by_band GROUPING_TOO_COARSE score; by_name COLUMN_NOT_IN_VIEW score; by_score GROUPING_TOO_COARSE score

--@ case: a band outside of conditions
SELECT day, sum(CASE WHEN amount < 0 THEN 1 ELSE 0 END) AS n, amount < 0 AS refund FROM payments GROUP BY day, amount < 0
--@ kept: by_age GROUPING_TOO_COARSE day; by_band GROUPING_TOO_COARSE amount; by_name COLUMN_NOT_IN_VIEW day; by_score GROUPING_TOO_COARSE day
