-- Views of a FULL join: narrower joins of the same tables are the rows in which a column of each kept side is not NULL.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, amount INT, at INT, fee INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);
CREATE TABLE zone (at INT NOT NULL, label STRING);
--@ rows
INSERT INTO sales VALUES (1, 1, 10, 1, 1), (2, 1, 20, 2, 2), (3, 2, 30, 1, 3), (4, NULL, 40, 1, 4), (5, 9, 50, 2, 5), (3, 2, 30, 1, 6), (6, 3, NULL, NULL, 7);
INSERT INTO dim VALUES (1, 'a', 2), (2, 'b', NULL), (2, 'b2', 3), (3, NULL, 1), (7, 'x', 1);
INSERT INTO zone VALUES (1, 'one'), (1, 'uno'), (3, 'three')
--@ view both
SELECT s.id, s.amount, s.at, d.id AS dim, d.name, d.weight FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id
--@ view unmarked
SELECT s.dim_id, s.amount AS paid, d.name AS called FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id
--@ view totals
SELECT d.id AS dim, s.id AS sale, sum(s.fee) AS fees, count(*) AS cnt FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id GROUP BY d.id, s.id

--@ case: a left join
SELECT s.amount, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using both
SELECT v.`amount` AS amount, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL)

--@ case: a left join of the other table
SELECT d.name, s.amount, d.weight FROM dim AS d LEFT JOIN sales AS s ON d.id = s.dim_id
--@ rewritten using both
SELECT v.`name` AS name, v.`amount` AS amount, v.`weight` AS weight FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL)

--@ case: a right join
SELECT d.name, s.amount, d.weight FROM sales AS s RIGHT JOIN dim AS d ON d.id = s.dim_id WHERE d.weight > 1
--@ rewritten using both
SELECT v.`name` AS name, v.`amount` AS amount, v.`weight` AS weight FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND v.`weight` > 1

--@ case: an inner join
SELECT s.amount, d.name, d.weight FROM sales AS s JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using both
SELECT v.`amount` AS amount, v.`name` AS name, v.`weight` AS weight FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL)

--@ case: an inner join with further conditions
SELECT s.amount FROM sales AS s JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1 WHERE s.at = 1
--@ rewritten using both
SELECT v.`amount` AS amount FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL) AND v.`weight` > 1 AND v.`at` = 1

--@ case: a full join of which the filter keeps one side
SELECT s.amount, d.name FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id WHERE s.at >= 1
--@ rewritten using both
SELECT v.`amount` AS amount, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`at` >= 1

--@ case: a full join of which the filter keeps matched rows
SELECT s.amount, d.name FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id WHERE s.at >= 1 AND d.weight > 1
--@ rewritten using both
SELECT v.`amount` AS amount, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL) AND v.`at` >= 1 AND v.`weight` > 1

--@ case: rows that found nothing
SELECT s.id FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.id IS NULL
--@ rewritten using both
SELECT v.`id` AS id FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`dim` IS NULL

--@ case: groups of a left join
SELECT d.id, sum(s.fee), count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY d.id
--@ rewritten using totals
SELECT v.`dim` AS id, sum(v.`fees`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.totals__storage AS v WHERE NOT (v.`sale` IS NULL) GROUP BY v.`dim`

--@ case: groups of a left join of the other table
SELECT d.id, sum(s.fee), count(*), count(s.id) FROM dim AS d LEFT JOIN sales AS s ON s.dim_id = d.id GROUP BY d.id
--@ rewritten using totals
SELECT v.`dim` AS id, sum(v.`fees`), coalesce(sum(v.`cnt`), 0), coalesce(sum(CASE WHEN v.`sale` IS NULL THEN 0 ELSE v.`cnt` END), 0) FROM lake.demo.totals__storage AS v WHERE NOT (v.`dim` IS NULL) GROUP BY v.`dim`

--@ case: groups of an inner join
SELECT sum(s.fee), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using totals
SELECT sum(v.`fees`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.totals__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`sale` IS NULL)

--@ case: a further table beside
SELECT z.label, sum(s.amount) FROM sales AS s JOIN zone AS z ON z.at = s.at LEFT JOIN dim AS d ON s.dim_id = d.id WHERE coalesce(d.weight, 0) < 3 GROUP BY z.label
--@ rewritten using both (not proved: lake.demo.both__storage contains a FULL join and is joined with other tables, which the verifier does not support)
SELECT zone_0.label AS label, sum(v.`amount`) FROM lake.demo.both__storage VERSION AS OF 2000 AS v, lake.demo.zone VERSION AS OF 1002 AS zone_0 WHERE NOT (v.`id` IS NULL) AND zone_0.at = v.`at` AND coalesce(v.`weight`, 0) < 3 GROUP BY zone_0.label

--@ case: no column of a kept side is never NULL
SELECT s.amount AS paid, d.name AS called, s.dim_id FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id
--@ kept: both COLUMN_NOT_IN_VIEW dim_id; totals GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; unmarked COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view

--@ case: a left join on a further condition
SELECT s.amount, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; totals JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: a left join on a further condition of the kept side
SELECT s.amount, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.at = 1
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; totals JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: a semi join
SELECT s.amount FROM sales AS s LEFT SEMI JOIN dim AS d ON s.dim_id = d.id
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; totals JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: an anti join
SELECT s.amount FROM sales AS s LEFT ANTI JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using both
SELECT v.`amount` AS amount FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`dim` IS NULL

--@ case: the kept table is filled up by another join
SELECT z.label, s.amount, d.name FROM zone AS z LEFT JOIN sales AS s ON z.at = s.at LEFT JOIN dim AS d ON s.dim_id = d.id
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; totals JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join
