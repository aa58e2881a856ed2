-- Set operations read from a view that is the same operation, branch by branch.
--@ schema
CREATE TABLE sales (id INT, region STRING, n INT, day DATE);
CREATE TABLE returns (id INT, region STRING, n INT);
CREATE TABLE weights (id INT, region STRING, w DOUBLE);
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1, DATE '2024-01-01'), (2, 'us', 5, DATE '2024-01-02'), (2, 'us', 5, DATE '2024-01-02'), (3, NULL, 7, NULL), (4, 'eu', NULL, DATE '2024-02-01'), (9, 'asia', 4, DATE '2024-02-02');
INSERT INTO returns VALUES (1, 'eu', 1), (2, 'us', 5), (5, 'us', 6), (3, NULL, 7), (3, NULL, 7), (6, 'asia', 9);
INSERT INTO weights VALUES (1, 'eu', 0.5), (2, 'us', -0.0D);
--@ view all_rows
SELECT id, region, n FROM sales WHERE n > 3 UNION ALL SELECT id, region, n FROM returns
--@ view told_apart
SELECT 'sale' AS kind, id, region, n FROM sales UNION ALL SELECT 'return' AS kind, id, region, n FROM returns
--@ view either
SELECT id, region FROM sales UNION SELECT id, region FROM returns
--@ view both
SELECT id, region FROM sales INTERSECT SELECT id, region FROM returns
--@ view neither
SELECT id, region FROM sales EXCEPT ALL SELECT id, region FROM returns
--@ view totals
SELECT region, sum(n) AS total, count(*) AS rows FROM sales GROUP BY region UNION ALL SELECT region, sum(n), count(*) FROM returns GROUP BY region
--@ view wider
SELECT id, region, CAST(id AS DOUBLE) AS w FROM sales UNION ALL SELECT id, region, w FROM weights
--@ view mixed
SELECT id AS x, region FROM sales UNION ALL SELECT w, region FROM weights

--@ case: a filter and a projection of both branches, in the other order
SELECT region FROM returns WHERE id < 9 UNION ALL SELECT region FROM sales WHERE n > 3 AND id < 9
--@ rewritten using all_rows
SELECT v.`region` AS region FROM lake.demo.all_rows__storage AS v WHERE v.`id` < 9

--@ case: computed outputs, ordered and limited behind the operation
SELECT id + 1 AS next, upper(region) AS region FROM sales WHERE n > 4 UNION ALL SELECT id + 1, upper(region) FROM returns WHERE n > 4 ORDER BY next DESC, region NULLS LAST LIMIT 3
--@ rewritten using all_rows
SELECT v.`id` + 1 AS next, upper(v.`region`) AS region FROM lake.demo.all_rows__storage AS v WHERE v.`n` > 4 ORDER BY 1 DESC NULLS LAST, 2 ASC NULLS LAST LIMIT 3

--@ case: branches told apart by a constant
SELECT region, 'sale' AS what, n FROM sales WHERE region = 'eu' UNION ALL SELECT region, 'return', n FROM returns WHERE region = 'eu'
--@ rewritten using told_apart
SELECT v.`region` AS region, v.`kind` AS what, v.`n` AS n FROM lake.demo.told_apart__storage AS v WHERE v.`region` = 'eu'

--@ case: an operation in FROM, with a filter and groups above it
SELECT region, count(*) AS rows FROM (SELECT id, region FROM sales INTERSECT SELECT id, region FROM returns) AS u WHERE id < 3 GROUP BY region
--@ rewritten using both
SELECT region, count(*) AS rows FROM (SELECT v.`id`, v.`region` FROM lake.demo.both__storage AS v) AS u WHERE id < 3 GROUP BY region

--@ case: UNION of whole rows, columns in another order
SELECT region, id FROM returns WHERE id > 1 UNION SELECT region, id FROM sales WHERE id > 1
--@ rewritten using either
SELECT v.`region` AS region, v.`id` AS id FROM lake.demo.either__storage AS v WHERE v.`id` > 1

--@ case: INTERSECT commutes
SELECT id, region FROM returns INTERSECT SELECT id, region FROM sales
--@ rewritten using both
SELECT v.`id` AS id, v.`region` AS region FROM lake.demo.both__storage AS v

--@ case: EXCEPT ALL with a filter of both sides
SELECT id, region FROM sales WHERE region = 'us' EXCEPT ALL SELECT id, region FROM returns WHERE region = 'us'
--@ rewritten using neither
SELECT v.`id` AS id, v.`region` AS region FROM lake.demo.neither__storage AS v WHERE v.`region` = 'us'

--@ case: groups of each branch, some of them
SELECT region, sum(n) FROM sales WHERE region <> 'us' GROUP BY region UNION ALL SELECT region, sum(n) FROM returns WHERE region <> 'us' GROUP BY region
--@ rewritten using totals
SELECT v.`region` AS region, v.`total` FROM lake.demo.totals__storage AS v WHERE v.`region` <> 'us'

--@ case: an operation in a CTE
WITH u AS (SELECT id, region FROM sales UNION SELECT id, region FROM returns) SELECT count(*) FROM u
--@ rewritten using either
WITH u AS (SELECT v.`id`, v.`region` FROM lake.demo.either__storage VERSION AS OF 2002 AS v) SELECT count(*) FROM u

--@ case: EXCEPT in another order is another operation
SELECT id, region FROM returns EXCEPT ALL SELECT id, region FROM sales
--@ kept: neither SHAPE the branches of the query's set operation are not branches of the view's set operation: create a view with the branches of the query; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: fewer columns would merge rows that UNION keeps apart
SELECT region FROM sales UNION SELECT region FROM returns
--@ kept: either SHAPE rows of the view that differ only in id would be equal in the query: select id, too; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: INTERSECT of fewer columns has more rows
SELECT region FROM sales INTERSECT SELECT region FROM returns
--@ kept: both SHAPE rows of the view that differ only in id would be equal in the query: select id, too; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: branches with different filters
SELECT region FROM sales WHERE n > 3 AND id < 9 UNION ALL SELECT region FROM returns WHERE id < 8
--@ kept: all_rows SHAPE the branches of the query's set operation filter the view by different conditions, which this rule does not support: create a view with the branches of the query; told_apart SHAPE the branches of the query's set operation filter the view by different conditions, which this rule does not support: create a view with the branches of the query; totals COLUMN_NOT_IN_VIEW n; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: another operator
SELECT id, region FROM sales INTERSECT ALL SELECT id, region FROM returns
--@ kept: all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: branches computed in different ways
SELECT id + 1 FROM sales WHERE n > 3 UNION ALL SELECT id + 2 FROM returns
--@ kept: all_rows SHAPE the branches of the query's set operation compute output 1 by different expressions, which this rule does not support: create a view with the branches of the query; told_apart SHAPE the branches of the query's set operation filter the view by different conditions, which this rule does not support: create a view with the branches of the query; totals COLUMN_NOT_IN_VIEW n; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: constants that the view has not
SELECT 'a' AS kind, id FROM sales WHERE n > 3 UNION ALL SELECT 'b' AS kind, id FROM returns
--@ kept: all_rows SHAPE the branches of the query's set operation compute output 1 by different expressions, which this rule does not support: create a view with the branches of the query; told_apart SHAPE the branches of the query's set operation filter the view by different conditions, which this rule does not support: create a view with the branches of the query; totals COLUMN_NOT_IN_VIEW n; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: a column that one branch casts
SELECT id, CAST(id AS DOUBLE) AS w FROM sales UNION ALL SELECT id, w FROM weights
--@ rewritten using wider
SELECT v.`id` AS id, v.`w` AS w FROM lake.demo.wider__storage AS v

--@ case: one branch rolled up, which is no filter of the view's rows
SELECT sum(n) FROM sales UNION ALL SELECT sum(n) FROM returns
--@ kept: all_rows VIEW_FILTERS_MORE n > 3; told_apart SHAPE branch 1 of the query's set operation does more than filter and select from a branch of the view: group, join and sort outside the set operation; totals SHAPE branch 1 of the query's set operation does more than filter and select from a branch of the view: group, join and sort outside the set operation; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: more branches than the view
SELECT id, region FROM sales UNION SELECT id, region FROM returns UNION SELECT id, region FROM weights
--@ kept: all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: branches of other types than the view's columns
SELECT id AS x FROM sales WHERE region = 'eu' UNION ALL SELECT w FROM weights WHERE region = 'eu'
--@ kept: wider SHAPE the branches of the query's set operation compute output 1 by different expressions, which this rule does not support: create a view with the branches of the query; mixed SHAPE a branch of the view's set operation has other types than the view's columns: cast the outputs of the branch to the types of the columns; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: a branch that is ordered and limited
(SELECT id, region FROM sales ORDER BY id LIMIT 1) UNION ALL SELECT id, region FROM returns
--@ kept: all_rows VIEW_FILTERS_MORE n > 3; told_apart SHAPE branch 1 of the query's set operation does more than filter and select from a branch of the view: group, join and sort outside the set operation; totals GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: an outer filter on a DOUBLE, by which Iceberg may skip other rows of the view than of its tables
SELECT u.id FROM (SELECT id, CAST(id AS DOUBLE) AS w, region FROM sales UNION ALL SELECT id, w, region FROM weights) AS u WHERE u.w > 1
--@ kept: wider FLOAT_COMPARED w; mixed SHAPE a branch of the view's set operation has other types than the view's columns: cast the outputs of the branch to the types of the columns; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT

--@ case: an outer filter of another column is not told apart from it
SELECT u.id, u.w FROM (SELECT id, CAST(id AS DOUBLE) AS w, region FROM sales UNION ALL SELECT id, w, region FROM weights) AS u WHERE u.id > 1
--@ kept: wider FLOAT_COMPARED w; mixed SHAPE a branch of the view's set operation has other types than the view's columns: cast the outputs of the branch to the types of the columns; all_rows VIEW_UNSUPPORTED the query is not a single SELECT; both VIEW_UNSUPPORTED the query is not a single SELECT; either VIEW_UNSUPPORTED the query is not a single SELECT; mixed VIEW_UNSUPPORTED the query is not a single SELECT; neither VIEW_UNSUPPORTED the query is not a single SELECT; told_apart VIEW_UNSUPPORTED the query is not a single SELECT; totals VIEW_UNSUPPORTED the query is not a single SELECT; wider VIEW_UNSUPPORTED the query is not a single SELECT
