-- Compensating predicates: what the query asks for beyond the view's own WHERE.
--@ schema
CREATE TABLE sales (id INT, region STRING, day DATE, amount INT, price DECIMAL(10,2), score DOUBLE, flag BOOLEAN);
--@ rows
INSERT INTO sales VALUES
  (1, 'eu', DATE '2024-01-01', 10, 1.50, 0.5, true), (2, 'us;eu', DATE '2024-01-02', 20, 2.50, -0.0D, false),
  (3, NULL, DATE '2024-01-02', 30, NULL, NULL, NULL), (3, NULL, DATE '2024-01-02', 30, NULL, NULL, NULL),
  (4, 'it''s', DATE '2023-12-31', 99, 9.99, 1e6, true), (5, 'eu', NULL, NULL, 0.00, 0.0, true)
--@ view mv_sales_2024
SELECT id, region, amount, price FROM sales WHERE day >= DATE '2024-01-01'
--@ view mv_small
SELECT id, region, amount FROM sales WHERE amount < 100 AND (region = 'eu' OR region = 'us' OR region IS NULL)
--@ view mv_flagged
SELECT id, flag, score FROM sales WHERE 1 = 1 AND length(region) > 2 AND (score > 5 OR TRUE)

--@ case: a narrower filter on an exposed column becomes a residual
SELECT id FROM sales WHERE day >= DATE '2024-01-01' AND region = 'us;eu'
--@ rewritten using mv_sales_2024
SELECT v.`id` AS id FROM lake.demo.mv_sales_2024__storage AS v WHERE v.`region` = 'us;eu'

--@ case: the same range in other words
SELECT id FROM sales WHERE NOT (day < '2024-01-01') AND amount BETWEEN 10 AND 20
--@ rewritten using mv_sales_2024
SELECT v.`id` AS id FROM lake.demo.mv_sales_2024__storage AS v WHERE v.`amount` >= 10 AND v.`amount` <= 20

--@ case: a filter on a column the view does not expose
SELECT id FROM sales WHERE day >= DATE '2024-06-01'
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 COLUMN_NOT_IN_VIEW day; mv_small VIEW_FILTERS_MORE amount < 100

--@ case: the view filters rows away that the query wants
SELECT id FROM sales WHERE day >= DATE '2023-06-01'
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: nothing is known of a column, and NULLs are not in the view's range
SELECT id FROM sales
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: an open bound of integers equals a closed one
SELECT id FROM sales WHERE amount <= 99 AND region = 'eu'
--@ rewritten using mv_small
SELECT v.`id` AS id FROM lake.demo.mv_small__storage AS v WHERE v.`region` = 'eu'

--@ case: a list within a list
SELECT id FROM sales WHERE amount = 10 AND region IN ('us', 'eu')
--@ rewritten using mv_small
SELECT v.`id` AS id FROM lake.demo.mv_small__storage AS v WHERE v.`amount` = 10 AND v.`region` IN ('us', 'eu')

--@ case: IS NULL within a range that has it
SELECT id FROM sales WHERE amount = 30 AND region IS NULL
--@ rewritten using mv_small
SELECT v.`id` AS id FROM lake.demo.mv_small__storage AS v WHERE v.`amount` = 30 AND v.`region` IS NULL

--@ case: a list with NULL in it is not a range
SELECT id FROM sales WHERE amount = 10 AND region IN ('us', NULL)
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE region = 'eu' OR region = 'us' OR region IS NULL

--@ case: an equal predicate that is no range
SELECT id FROM sales WHERE length(region) > 2 AND flag
--@ rewritten using mv_flagged
SELECT v.`id` AS id FROM lake.demo.mv_flagged__storage AS v WHERE v.`flag`

--@ case: a stronger predicate that is no range is not recognized
SELECT id FROM sales WHERE length(region) > 3
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: floating point is compared, never reasoned about
SELECT id FROM sales WHERE length(region) > 2 AND score >= 0.5
--@ kept: mv_flagged FLOAT_COMPARED score >= 0.5; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: floating point is not compared with zero, which has two signs
SELECT id FROM sales WHERE length(region) > 2 AND score <= 0
--@ kept: mv_flagged FLOAT_COMPARED score <= 0; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: a constant on the left of floating point is turned round
SELECT id FROM sales WHERE length(region) > 2 AND 0.25 + 0.25 < score
--@ kept: mv_flagged FLOAT_COMPARED score > 0.50; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: nor is a bound of BETWEEN another comparison
SELECT id FROM sales WHERE length(region) > 2 AND 0.5 BETWEEN 0.25 AND score
--@ kept: mv_flagged FLOAT_COMPARED 0.5 <= score; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: a comparison of floating point within another is one, too
SELECT id FROM sales WHERE length(region) > 2 AND (score < 0.5) = false
--@ kept: mv_flagged FLOAT_COMPARED score < 0.5 = FALSE; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: a doubled quote is a quote
SELECT id FROM sales WHERE day >= DATE '2024-01-01' AND region = 'it''s'
--@ rewritten using mv_sales_2024
SELECT v.`id` AS id FROM lake.demo.mv_sales_2024__storage AS v WHERE v.`region` = 'it\'s'

--@ case: a predicate over two columns
SELECT id FROM sales WHERE day >= DATE '2024-01-01' AND (region = 'eu' OR amount > 15)
--@ rewritten using mv_sales_2024
SELECT v.`id` AS id FROM lake.demo.mv_sales_2024__storage AS v WHERE ((v.`region` = 'eu') OR (v.`amount` > 15))

--@ case: a comparison with a number of another type
SELECT id FROM sales WHERE day >= DATE '2024-01-01' AND price > 1.75
--@ rewritten using mv_sales_2024
SELECT v.`id` AS id FROM lake.demo.mv_sales_2024__storage AS v WHERE v.`price` > 1.75

--@ case: a filter that is always true, as generators put it in front of the others
SELECT id, flag FROM sales WHERE 1 = 1 AND (length(region) > 2 AND 'a' = 'a') AND flag
--@ rewritten using mv_flagged
SELECT v.`id` AS id, v.`flag` AS flag FROM lake.demo.mv_flagged__storage AS v WHERE v.`flag`

--@ case: one that is never true
SELECT id, flag FROM sales WHERE 1 = 0 AND length(region) > 2
--@ rewritten using mv_flagged
SELECT v.`id` AS id, v.`flag` AS flag FROM lake.demo.mv_flagged__storage AS v WHERE 1 = 0

--@ case: one that is never true, not even of equals
SELECT id, flag FROM sales WHERE NULL = NULL AND length(region) > 2
--@ rewritten using mv_flagged
SELECT v.`id` AS id, v.`flag` AS flag FROM lake.demo.mv_flagged__storage AS v WHERE NULL = NULL

--@ case: always true in one branch, of two
SELECT id, flag FROM sales WHERE length(region) > 2 OR 1 = 1
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100

--@ case: always true in the view does not tell what its filter does
SELECT id, flag FROM sales WHERE TRUE
--@ kept: mv_flagged VIEW_FILTERS_MORE length(region) > 2; mv_sales_2024 VIEW_FILTERS_MORE day >= CAST('2024-01-01' AS DATE); mv_small VIEW_FILTERS_MORE amount < 100
