-- Inner joins: in the view, in the query beside the view, and of a table with itself.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, amount INT, at INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);
CREATE TABLE person (id INT NOT NULL, boss INT, name STRING);
--@ rows
INSERT INTO sales VALUES (1, 1, 10, 1), (2, 1, 20, 2), (3, 2, 30, 1), (4, NULL, 40, 1), (5, 9, 50, 2), (3, 2, 30, 1);
INSERT INTO dim VALUES (1, 'a', 2), (2, 'b', NULL), (2, 'b2', 3), (3, 'c', 1);
INSERT INTO person VALUES (1, NULL, 'x'), (2, 1, 'y'), (3, 1, 'z'), (4, 2, 'y')
--@ view by_dim
SELECT dim_id, at, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY dim_id, at
--@ view joined
SELECT s.id, d.name, s.amount FROM sales AS s JOIN dim AS d ON s.dim_id = d.id
--@ view bosses
SELECT p.name AS person, b.name AS boss FROM person AS p CROSS JOIN person AS b WHERE p.boss = b.id

--@ case: a table of the query beside an aggregating view
SELECT d.name, sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.name
--@ rewritten using joined
SELECT v.`name` AS name, sum(v.`amount`), count(*) FROM lake.demo.joined__storage AS v GROUP BY v.`name`

--@ case: written with a comma and WHERE
SELECT d.name, sum(amount) FROM sales, dim AS d WHERE d.id = dim_id AND at = 1 GROUP BY d.name
--@ rewritten using by_dim
SELECT dim_0.name AS name, sum(v.`total`) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0 WHERE dim_0.id = v.`dim_id` AND v.`at` = 1 GROUP BY dim_0.name

--@ case: a measure of the other table is weighted by rows
SELECT d.name, sum(d.weight), count(d.weight), max(d.weight) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.name
--@ rewritten using by_dim
SELECT dim_0.name AS name, sum(CAST(dim_0.weight AS BIGINT) * v.`cnt`), coalesce(sum(CASE WHEN dim_0.weight IS NULL THEN 0 ELSE v.`cnt` END), 0), max(dim_0.weight) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0 WHERE v.`dim_id` = dim_0.id GROUP BY dim_0.name

--@ case: the join key stands for its equal
SELECT d.id, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.id
--@ rewritten using by_dim
SELECT v.`dim_id` AS id, sum(v.`total`) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0 WHERE v.`dim_id` = dim_0.id GROUP BY v.`dim_id`

--@ case: a join on a column that is no key of the view
SELECT d.name, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.id = d.id GROUP BY d.name
--@ kept: by_dim COLUMN_NOT_IN_VIEW id; joined VIEW_FILTERS_MORE dim_id = id

--@ case: the view's own join in another order
SELECT d.name, max(s.amount) FROM dim AS d JOIN sales AS s ON d.id = s.dim_id WHERE s.id > 1 GROUP BY d.name
--@ rewritten using joined
SELECT v.`name` AS name, max(v.`amount`) FROM lake.demo.joined__storage AS v WHERE v.`id` > 1 GROUP BY v.`name`

--@ case: the view joins more than the query
SELECT id, amount FROM sales WHERE at = 1
--@ kept: by_dim GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; joined JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a self-join maps the right way round
SELECT b.name FROM person AS b JOIN person AS p ON p.boss = b.id WHERE p.name = 'y'
--@ rewritten using bosses
SELECT v.`boss` AS name FROM lake.demo.bosses__storage AS v WHERE v.`person` = 'y'

--@ case: the other way round is another question
SELECT p.name FROM person AS p JOIN person AS b ON p.boss = b.boss
--@ kept: VIEW_FILTERS_MORE boss = id

--@ case: a join without the view's condition
SELECT p.name, b.name FROM person AS p CROSS JOIN person AS b
--@ kept: VIEW_FILTERS_MORE boss = id

--@ case: USING another column than the view
SELECT name FROM sales JOIN dim USING (id)
--@ kept: by_dim COLUMN_NOT_IN_VIEW id; joined VIEW_FILTERS_MORE dim_id = id

--@ case: an equality that the view lacks is compared side by side
SELECT dim_id, sum(amount) FROM sales WHERE dim_id = at GROUP BY dim_id
--@ rewritten using by_dim
SELECT v.`dim_id` AS dim_id, v.`total` FROM lake.demo.by_dim__storage AS v WHERE v.`dim_id` = v.`at`

--@ case: joined without ON, and so a product that WHERE cuts down
SELECT p.name, b.name FROM person AS p JOIN person AS b WHERE b.id = p.boss AND 1 = 1
--@ rewritten using bosses
SELECT v.`person` AS name, v.`boss` AS name FROM lake.demo.bosses__storage AS v

--@ case: an outer join ON TRUE fills up, too
SELECT p.name, b.name FROM person AS p LEFT JOIN person AS b ON TRUE WHERE b.id = p.boss OR b.id IS NULL
--@ kept: VIEW_FILTERS_MORE boss = id
