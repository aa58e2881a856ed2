-- Outer, semi and anti joins: equal in view and query, weaker in the view, or beside the view.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, amount INT, at INT, score DOUBLE);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);
CREATE TABLE zone (at INT NOT NULL, label STRING);
--@ rows
INSERT INTO sales VALUES (1, 1, 10, 1, 0.5), (2, 1, 20, 2, -0.0D), (3, 2, 30, 1, 0.0), (4, NULL, 40, 1, NULL), (5, 9, 50, 2, 1.5), (3, 2, 30, 1, 2.0), (6, 3, NULL, NULL, 1.0);
INSERT INTO dim VALUES (1, 'a', 2), (2, 'b', NULL), (2, 'b2', 3), (3, NULL, 1), (7, 'x', 1);
INSERT INTO zone VALUES (1, 'one'), (1, 'uno'), (3, 'three')
--@ view grouped
SELECT dim_id, at, sum(amount) AS total, count(*) AS cnt, min(amount) AS low FROM sales GROUP BY dim_id, at
--@ view lefted
SELECT s.id, s.at, s.amount, d.id AS dim, d.name, d.weight FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id
--@ view unmarked
SELECT s.id, s.amount, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id
--@ view by_name
SELECT d.name, d.id AS dim, sum(s.amount) AS total, count(*) AS cnt, count(d.weight) AS weights FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY d.name, d.id
--@ view known
SELECT s.id, s.dim_id, s.amount FROM sales AS s LEFT SEMI JOIN dim AS d ON s.dim_id = d.id
--@ view unknown
SELECT s.id, s.dim_id, s.amount FROM sales AS s LEFT ANTI JOIN dim AS d ON s.dim_id = d.id
--@ view both
SELECT s.id, s.amount, d.id AS dim, d.name FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id

--@ case: the view's own outer join
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON d.id = s.dim_id WHERE s.amount > 10
--@ rewritten using both
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`amount` > 10

--@ case: written as a right join
SELECT s.id, d.weight FROM dim AS d RIGHT OUTER JOIN sales AS s ON s.dim_id = d.id
--@ rewritten using lefted
SELECT v.`id` AS id, v.`weight` AS weight FROM lake.demo.lefted__storage AS v

--@ case: grouped over the view's outer join
SELECT name, sum(amount), count(*), count(weight) FROM sales LEFT JOIN dim ON dim_id = dim.id GROUP BY name
--@ rewritten using by_name
SELECT v.`name` AS name, sum(v.`total`), coalesce(sum(v.`cnt`), 0), coalesce(sum(v.`weights`), 0) FROM lake.demo.by_name__storage AS v GROUP BY v.`name`

--@ case: rows that found nothing
SELECT s.id FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.id IS NULL
--@ rewritten using both
SELECT v.`id` AS id FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`dim` IS NULL

--@ case: an inner join from an outer one
SELECT s.id, d.name FROM sales AS s JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using both
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL)

--@ case: an inner join with more conditions
SELECT s.id FROM sales AS s JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1
--@ rewritten using lefted
SELECT v.`id` AS id FROM lake.demo.lefted__storage AS v WHERE NOT (v.`dim` IS NULL) AND v.`weight` > 1

--@ case: an outer join whose NULLs the filter takes away is an inner one
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'b'
--@ rewritten using both
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL) AND v.`name` = 'b'

--@ case: groups of an inner join from groups of an outer one
SELECT d.name, sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.name
--@ rewritten using both
SELECT v.`name` AS name, sum(v.`amount`), count(*) FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) AND NOT (v.`id` IS NULL) GROUP BY v.`name`

--@ case: a condition on the joined table belongs to the join
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; by_name JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; known JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id, which the query lacks: create a view without the join; lefted JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; unknown JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: an outer join is no inner one
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.at = 1
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id, which the query lacks: create a view without the join; by_name JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; known JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id, which the query lacks: create a view without the join; lefted JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; unknown JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: an outer join beside groups
SELECT d.name, sum(s.amount), count(*), count(d.weight), sum(d.weight), min(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1 GROUP BY d.name
--@ rewritten using grouped
SELECT dim_0.name AS name, sum(v.`total`), coalesce(sum(v.`cnt`), 0), coalesce(sum(CASE WHEN dim_0.weight IS NULL THEN 0 ELSE v.`cnt` END), 0), sum(CAST(dim_0.weight AS BIGINT) * v.`cnt`), min(v.`low`) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.dim VERSION AS OF 1001 AS dim_0 ON v.`dim_id` = dim_0.id AND dim_0.weight > 1 GROUP BY dim_0.name

--@ case: two outer joins beside groups
SELECT d.name, z.label, sum(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 0 LEFT JOIN zone AS z ON z.at = s.at GROUP BY d.name, z.label
--@ rewritten using grouped
SELECT dim_0.name AS name, zone_0.label AS label, sum(v.`total`) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.dim VERSION AS OF 1001 AS dim_0 ON v.`dim_id` = dim_0.id AND dim_0.weight > 0 LEFT JOIN lake.demo.zone VERSION AS OF 1002 AS zone_0 ON zone_0.at = v.`at` GROUP BY dim_0.name, zone_0.label

--@ case: an inner and an outer join beside groups
SELECT z.label, count(*), count(d.name) FROM sales AS s JOIN zone AS z ON z.at = s.at LEFT JOIN dim AS d ON s.dim_id = d.id AND d.id > 1 GROUP BY z.label
--@ rewritten using grouped
SELECT zone_0.label AS label, coalesce(sum(v.`cnt`), 0), coalesce(sum(CASE WHEN dim_0.name IS NULL THEN 0 ELSE v.`cnt` END), 0) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v CROSS JOIN lake.demo.zone VERSION AS OF 1002 AS zone_0 LEFT JOIN lake.demo.dim VERSION AS OF 1001 AS dim_0 ON v.`dim_id` = dim_0.id AND dim_0.id > 1 WHERE zone_0.at = v.`at` GROUP BY zone_0.label

--@ case: the join depends on a column that the groups have lost
SELECT z.label, sum(s.amount) FROM sales AS s LEFT JOIN zone AS z ON z.at = s.id GROUP BY z.label
--@ kept: both JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_name JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; grouped COLUMN_NOT_IN_VIEW id; known JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; lefted JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unknown JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: the view's table on the side that is filled with NULLs
SELECT d.name, sum(s.amount), count(*) FROM dim AS d LEFT JOIN sales AS s ON s.dim_id = d.id GROUP BY d.name
--@ rewritten using both
SELECT v.`name` AS name, sum(v.`amount`), count(*) FROM lake.demo.both__storage AS v WHERE NOT (v.`dim` IS NULL) GROUP BY v.`name`

--@ case: a semi join that the view has
SELECT id FROM sales LEFT SEMI JOIN dim ON dim_id = dim.id WHERE amount > 10
--@ rewritten using known
SELECT v.`id` AS id FROM lake.demo.known__storage AS v WHERE v.`amount` > 10

--@ case: a semi join beside groups
SELECT at, sum(amount), count(*) FROM sales AS s LEFT SEMI JOIN dim AS d ON s.dim_id = d.id AND d.name = 'b' GROUP BY at
--@ rewritten using grouped
SELECT v.`at` AS at, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.dim VERSION AS OF 1001 AS dim_0 ON v.`dim_id` = dim_0.id AND dim_0.name = 'b' GROUP BY v.`at`

--@ case: an anti join that the view has
SELECT count(*), sum(amount) FROM sales AS s ANTI JOIN dim AS d ON s.dim_id = d.id
--@ rewritten using both
SELECT count(*), sum(v.`amount`) FROM lake.demo.both__storage AS v WHERE NOT (v.`id` IS NULL) AND v.`dim` IS NULL

--@ case: an anti join is no semi join
SELECT at, sum(amount) FROM sales AS s LEFT ANTI JOIN zone AS z ON s.at = z.at GROUP BY at
--@ rewritten using grouped
SELECT v.`at` AS at, sum(v.`total`) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v LEFT ANTI JOIN lake.demo.zone VERSION AS OF 1002 AS zone_0 ON v.`at` = zone_0.at GROUP BY v.`at`

--@ case: a full join
SELECT s.id, d.name FROM dim AS d FULL OUTER JOIN sales AS s ON s.dim_id = d.id
--@ rewritten using both
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.both__storage AS v

--@ case: a full join is no outer join
SELECT s.at, d.name FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id
--@ kept: both COLUMN_NOT_IN_VIEW at; by_name JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; grouped JOIN_DIFFERS the query has a FULL join of s and d ON dim_id = id, which the view lacks: add the join to the view; known JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id, which the query lacks: create a view without the join; lefted JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; unknown JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id, which the query lacks: create a view without the join; unmarked JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join

--@ case: joined by USING
SELECT at, label, sum(amount) FROM sales LEFT JOIN zone USING (at) GROUP BY at, label
--@ rewritten using grouped
SELECT v.`at` AS at, zone_0.label AS label, sum(v.`total`) FROM lake.demo.grouped__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.zone VERSION AS OF 1002 AS zone_0 ON v.`at` = zone_0.at GROUP BY v.`at`, zone_0.label

--@ case: all columns of a join by USING, over groups
SELECT * FROM (SELECT id, at FROM sales) JOIN zone USING (at)
--@ kept: both JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_name JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; known JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; lefted JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unknown JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; unmarked JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: the tables of a view with an outer join, on the right side of a LEFT join
SELECT z.label, max(j.score) AS top FROM zone AS z LEFT JOIN (SELECT s.at, s.score FROM sales AS s JOIN dim AS d ON s.dim_id = d.id) AS j ON j.at = z.at GROUP BY z.label
--@ kept: both JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has a FULL join of sales and dim ON dim_id = id: create a view with inner joins only; by_name JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; grouped JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, which the view lacks: add the join to the view; known JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id: create a view with inner joins only; lefted JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; unknown JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id: create a view with inner joins only; unmarked JOIN_DIFFERS the query has a LEFT join of s and d ON dim_id = id AND sales.at = zone.at, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; both COLUMN_NOT_IN_VIEW at; by_name GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; known JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id, which the query lacks: create a view without the join; lefted COLUMN_NOT_IN_VIEW score; unknown JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id, which the query lacks: create a view without the join; unmarked COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view

--@ case: the tables of a view with an outer join, on the right side of a SEMI join
SELECT z.label FROM zone AS z LEFT SEMI JOIN (SELECT s.at, s.score FROM sales AS s JOIN dim AS d ON s.dim_id = d.id) AS j ON j.at = z.at AND j.score = 2.0
--@ kept: both JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has a FULL join of sales and dim ON dim_id = id: create a view with inner joins only; by_name JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; grouped JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, which the view lacks: add the join to the view; known JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id: create a view with inner joins only; lefted JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; unknown JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id: create a view with inner joins only; unmarked JOIN_DIFFERS the query has a SEMI join (EXISTS or IN) of s and d ON dim_id = id AND sales.at = zone.at AND score = 2.0, but the view has a LEFT join of dim ON dim_id = id: create a view with inner joins only; both COLUMN_NOT_IN_VIEW at; by_name GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; grouped GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; known JOIN_DIFFERS the view has a SEMI join (EXISTS or IN) of dim ON dim_id = id, which the query lacks: create a view without the join; lefted COLUMN_NOT_IN_VIEW score; unknown JOIN_DIFFERS the view has an ANTI join (NOT EXISTS or NOT IN) of dim ON dim_id = id, which the query lacks: create a view without the join; unmarked COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view
