-- Columns that a view has not, of a table that it joins: read beside it, by the table's trusted key.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT NOT NULL, maybe_id INT, amount INT, day DATE NOT NULL);
CREATE TABLE dim (id INT NOT NULL, name STRING, group_id INT NOT NULL, weight DOUBLE);
CREATE TABLE groups (id INT NOT NULL, label STRING);
CREATE TABLE loose (id INT NOT NULL, name STRING);
CREATE TABLE pairs (a INT NOT NULL, b INT NOT NULL, c INT, word STRING);
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE groups SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE pairs SET TBLPROPERTIES ('viewgate.primary-key' = 'a, b', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 10, DATE '2024-01-01'), (2, 1, NULL, 20, DATE '2024-01-02'), (3, 2, 2, NULL, DATE '2024-01-02'), (3, 2, NULL, 30, DATE '2024-02-01'), (4, 4, 3, 70, DATE '2024-02-01'), (5, 1, 9, 80, DATE '2024-02-02');
INSERT INTO dim VALUES (1, 'a', 1, 0.5), (2, 'b', 1, NULL), (3, 'c', 2, 0.0), (4, NULL, 3, -0.0D);
INSERT INTO groups VALUES (1, 'one'), (2, NULL);
INSERT INTO loose VALUES (1, 'x'), (2, 'y'), (3, 'z'), (3, 'w');
INSERT INTO pairs VALUES (1, 1, NULL, 'p'), (1, 2, 5, 'q'), (2, 1, 5, NULL)
--@ view by_dim
SELECT d.id AS dim, s.day, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.id, s.day
--@ view rows
SELECT s.id, s.maybe_id, s.amount FROM sales AS s JOIN dim AS d ON s.maybe_id = d.id
--@ view by_loose
SELECT l.id, sum(s.amount) AS total FROM sales AS s JOIN loose AS l ON s.id = l.id GROUP BY l.id
--@ view lefted
SELECT s.dim_id, d.id, sum(s.amount) AS total FROM sales AS s LEFT JOIN dim AS d ON s.maybe_id = d.id GROUP BY s.dim_id, d.id
--@ view paired
SELECT p.a, p.b, s.day, count(*) AS cnt FROM sales AS s JOIN pairs AS p ON s.dim_id = p.a GROUP BY p.a, p.b, s.day
--@ view half
SELECT p.a, p.c, max(s.amount) AS most FROM sales AS s JOIN pairs AS p ON s.dim_id = p.a GROUP BY p.a, p.c

--@ case: a column of a table that the view joins
SELECT d.group_id, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.group_id
--@ rewritten using by_dim
SELECT dim_0_again.group_id AS group_id, sum(v.`total`) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE v.`dim` = dim_0_again.id GROUP BY dim_0_again.group_id

--@ case: a filter on such a column
SELECT s.day, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.group_id = 1 AND s.day > DATE '2024-01-01' GROUP BY s.day
--@ rewritten using by_dim
SELECT v.`day` AS day, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE dim_0_again.group_id = 1 AND v.`day` > CAST('2024-01-01' AS DATE) AND v.`dim` = dim_0_again.id GROUP BY v.`day`

--@ case: a further table joined by it
SELECT g.label, d.name, sum(s.amount) AS total FROM sales AS s, dim AS d, groups AS g WHERE s.dim_id = d.id AND g.id = d.group_id GROUP BY g.label, d.name ORDER BY total DESC, 1 LIMIT 2
--@ rewritten using by_dim
SELECT groups_0.label AS label, dim_0_again.name AS name, sum(v.`total`) AS total FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.groups VERSION AS OF 1002 AS groups_0, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE groups_0.id = dim_0_again.group_id AND v.`dim` = dim_0_again.id GROUP BY groups_0.label, dim_0_again.name ORDER BY 3 DESC NULLS LAST, 1 ASC NULLS FIRST LIMIT 2

--@ case: a further table joined by it, which need not be there
SELECT g.label, sum(s.amount) AS total FROM sales AS s JOIN dim AS d ON s.dim_id = d.id LEFT JOIN groups AS g ON g.id = d.group_id GROUP BY g.label
--@ rewritten using by_dim
SELECT groups_0.label AS label, sum(v.`total`) AS total FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v CROSS JOIN lake.demo.dim VERSION AS OF 1001 AS dim_0_again LEFT JOIN lake.demo.groups VERSION AS OF 1002 AS groups_0 ON groups_0.id = dim_0_again.group_id WHERE v.`dim` = dim_0_again.id GROUP BY groups_0.label

--@ case: aggregates of it
SELECT s.dim_id, sum(d.group_id), min(d.name), count(d.name), count(DISTINCT d.name), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY s.dim_id
--@ rewritten using by_dim
SELECT v.`dim` AS dim_id, sum(CAST(dim_0_again.group_id AS BIGINT) * v.`cnt`), min(dim_0_again.name), coalesce(sum(CASE WHEN dim_0_again.name IS NULL THEN 0 ELSE v.`cnt` END), 0), count(DISTINCT dim_0_again.name), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE v.`dim` = dim_0_again.id GROUP BY v.`dim`

--@ case: the view's own groups with more of the table
SELECT d.id, s.day, d.name, d.group_id, sum(s.amount) AS t FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY d.id, s.day, d.name, d.group_id HAVING sum(s.amount) > 10 ORDER BY d.group_id, d.id, s.day
--@ rewritten using by_dim
SELECT v.`dim` AS id, v.`day` AS day, dim_0_again.name AS name, dim_0_again.group_id AS group_id, v.`total` AS t FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE v.`total` > 10 AND v.`dim` = dim_0_again.id ORDER BY 4 ASC NULLS FIRST, 1 ASC NULLS FIRST, 2 ASC NULLS FIRST

--@ case: ROLLUP over it
SELECT d.group_id, s.day, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY ROLLUP (d.group_id, s.day)
--@ rewritten using by_dim
SELECT dim_0_again.group_id AS group_id, v.`day` AS day, sum(v.`total`) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE v.`dim` = dim_0_again.id GROUP BY GROUPING SETS ((dim_0_again.group_id, v.`day`), (dim_0_again.group_id), ())

--@ case: rows, by an equal column of the other table
SELECT s.id, d.name, d.weight FROM sales AS s JOIN dim AS d ON s.maybe_id = d.id WHERE s.amount > 5
--@ rewritten using rows
SELECT v.`id` AS id, dim_0_again.name AS name, dim_0_again.weight AS weight FROM lake.demo.rows__storage VERSION AS OF 2001 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE v.`amount` > 5 AND v.`maybe_id` = dim_0_again.id

--@ case: a key of two columns
SELECT p.word, s.day, count(*) FROM sales AS s JOIN pairs AS p ON s.dim_id = p.a WHERE p.c IS NULL OR p.word = 'q' GROUP BY p.word, s.day
--@ rewritten using paired
SELECT pairs_0_again.word AS word, v.`day` AS day, coalesce(sum(v.`cnt`), 0) FROM lake.demo.paired__storage VERSION AS OF 2004 AS v, lake.demo.pairs VERSION AS OF 1004 AS pairs_0_again WHERE ((pairs_0_again.c IS NULL) OR (pairs_0_again.word = 'q')) AND v.`a` = pairs_0_again.a AND v.`b` = pairs_0_again.b GROUP BY pairs_0_again.word, v.`day`

--@ case: half of a key
SELECT p.word, max(s.amount) FROM sales AS s JOIN pairs AS p ON s.dim_id = p.a GROUP BY p.word
--@ kept: by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_loose JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; half GROUPING_TOO_COARSE word; lefted AGGREGATE_NOT_IN_VIEW max(amount); paired AGGREGATE_NOT_IN_VIEW max(amount); rows JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: nobody trusts a key of the table
SELECT l.name, sum(s.amount) FROM sales AS s JOIN loose AS l ON s.id = l.id GROUP BY l.name
--@ kept: by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_loose GROUPING_TOO_COARSE name; half JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; lefted COLUMN_NOT_IN_VIEW id; paired JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a table that the outer join fills up
SELECT d.group_id, sum(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.maybe_id = d.id GROUP BY d.group_id
--@ kept: by_dim VIEW_FILTERS_MORE dim_id = id; by_loose JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; half JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; lefted GROUPING_TOO_COARSE group_id; paired JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows JOIN_DIFFERS the query has a LEFT join of d ON maybe_id = id, where the view has an inner join: create a view with the join of the query

--@ case: filled up in the view, and not in the query
SELECT d.group_id, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.maybe_id = d.id GROUP BY d.group_id
--@ rewritten using lefted
SELECT dim_0_again.group_id AS group_id, sum(v.`total`) FROM lake.demo.lefted__storage VERSION AS OF 2003 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE NOT (v.`id` IS NULL) AND v.`id` = dim_0_again.id GROUP BY dim_0_again.group_id

--@ case: the table with the measures has no key
SELECT s.maybe_id, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY s.maybe_id
--@ kept: by_dim GROUPING_TOO_COARSE maybe_id; by_loose JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; half JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; lefted JOIN_DIFFERS the view has a LEFT join of dim ON maybe_id = id, which the query lacks: create a view without the join; paired JOIN_DIFFERS the view also joins pairs, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; rows VIEW_FILTERS_MORE maybe_id = id
