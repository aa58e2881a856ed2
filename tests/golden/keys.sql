-- Tables that a view joins and a query does not: keys that their owner declares and trusts prove that no row is lost.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT NOT NULL, maybe_id INT, amount INT, day DATE NOT NULL);
CREATE TABLE dim (id INT NOT NULL, name STRING, group_id INT NOT NULL);
CREATE TABLE groups (id INT NOT NULL, label STRING);
CREATE TABLE loose (id INT NOT NULL, name STRING);
ALTER TABLE sales SET TBLPROPERTIES ('viewgate.foreign-keys' = '(dim_id) REFERENCES dim (id), (maybe_id) REFERENCES dim (id), (id) REFERENCES loose (id)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.foreign-keys' = '(group_id) REFERENCES groups (id)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE groups SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 10, DATE '2024-01-01'), (2, 1, NULL, 20, DATE '2024-01-02'), (3, 2, 2, NULL, DATE '2024-01-02'), (3, 2, NULL, 30, DATE '2024-02-01');
INSERT INTO dim VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2);
INSERT INTO groups VALUES (1, 'one'), (2, NULL);
INSERT INTO loose VALUES (1, 'x'), (2, 'y'), (3, 'z')
--@ view wide
SELECT s.day, d.name, g.label, s.dim_id, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN groups AS g ON d.group_id = g.id GROUP BY s.day, d.name, g.label, s.dim_id
--@ view maybe
SELECT s.id, s.amount, s.maybe_id, d.name FROM sales AS s JOIN dim AS d ON s.maybe_id = d.id
--@ view lefted
SELECT s.id, s.amount * 2 AS twice, d.name FROM sales AS s LEFT JOIN dim AS d ON s.maybe_id = d.id AND d.name <> 'b'
--@ view filtered
SELECT s.id + 1 AS next FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'a'
--@ view unkeyed
SELECT s.id - 1 AS before, l.name FROM sales AS s JOIN loose AS l ON s.id = l.id

--@ case: two joins are spared
SELECT day, sum(amount), count(*) FROM sales GROUP BY day
--@ rewritten using wide
SELECT v.`day` AS day, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.wide__storage AS v GROUP BY v.`day`

--@ case: one of two joins is spared
SELECT d.name, sum(s.amount) FROM dim AS d JOIN sales AS s ON s.dim_id = d.id WHERE s.day >= DATE '2024-01-02' GROUP BY d.name
--@ rewritten using wide
SELECT v.`name` AS name, sum(v.`total`) FROM lake.demo.wide__storage AS v WHERE v.`day` >= CAST('2024-01-02' AS DATE) GROUP BY v.`name`

--@ case: a foreign key that may be NULL loses rows
SELECT id, amount FROM sales
--@ kept: filtered VIEW_FILTERS_MORE name = 'a'; lefted COLUMN_NOT_IN_VIEW amount; maybe JOIN_DIFFERS the view's inner join of dim drops the rows in which maybe_id is NULL: create a view with a LEFT JOIN of dim; unkeyed JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; wide GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: and loses none where NULL is filtered away
SELECT id, amount FROM sales WHERE maybe_id IS NOT NULL
--@ rewritten using maybe
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.maybe__storage AS v

--@ case: and where a range leaves no NULL
SELECT id, amount FROM sales WHERE maybe_id > 1
--@ rewritten using maybe
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.maybe__storage AS v WHERE v.`maybe_id` > 1

--@ case: an outer join onto a key loses and repeats nothing, whatever its condition
SELECT id, amount * 2 AS t FROM sales
--@ rewritten using lefted
SELECT v.`id` AS id, v.`twice` AS t FROM lake.demo.lefted__storage AS v

--@ case: a filter on the spared table
SELECT id + 1 AS next FROM sales
--@ rewritten using lefted
SELECT v.`id` + 1 AS next FROM lake.demo.lefted__storage AS v

--@ case: a table without a key
SELECT id - 1 AS before FROM sales
--@ rewritten using lefted
SELECT v.`id` - 1 AS before FROM lake.demo.lefted__storage AS v

--@ case: rows of the referenced table are not all referenced
SELECT name FROM dim
--@ kept: filtered JOIN_DIFFERS the view also joins sales, which can have several rows or none for a row of dim: create a view without sales; lefted JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; maybe JOIN_DIFFERS the view also joins sales, which can have several rows or none for a row of dim: create a view without sales; wide JOIN_DIFFERS the view also joins sales, which can have several rows or none for a row of dim: create a view without sales

--@ case: a LEFT join that finds a row for each is an inner one
SELECT d.name, sum(s.amount), count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY d.name
--@ rewritten using wide
SELECT v.`name` AS name, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.wide__storage AS v GROUP BY v.`name`

--@ case: and so are two of them
SELECT g.label, sum(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id LEFT OUTER JOIN groups AS g ON d.group_id = g.id GROUP BY g.label
--@ rewritten using wide
SELECT v.`label` AS label, sum(v.`total`) FROM lake.demo.wide__storage AS v GROUP BY v.`label`

--@ case: a LEFT join from a subquery's table
SELECT label, sum(amount) FROM (SELECT g.label, s.amount FROM sales AS s LEFT JOIN dim AS d ON d.id = s.dim_id LEFT JOIN groups AS g ON g.id = d.group_id) AS x GROUP BY label
--@ rewritten using wide
SELECT v.`label` AS label, sum(v.`total`) FROM lake.demo.wide__storage AS v GROUP BY v.`label`

--@ case: a condition beside the key fills up
SELECT d.name, sum(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.name <> 'a' GROUP BY d.name
--@ kept: filtered JOIN_DIFFERS the query has a LEFT join of d ON dim_id = id AND name <> 'a', where the view has an inner join: create a view with the join of the query; lefted JOIN_DIFFERS the view has a LEFT join of dim ON maybe_id = id AND name <> 'b', which the query lacks: create a view without the join; maybe VIEW_FILTERS_MORE maybe_id = id; unkeyed JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; wide JOIN_DIFFERS the query has a LEFT join of d ON dim_id = id AND name <> 'a', where the view has an inner join: create a view with the join of the query

--@ case: a foreign key that may be NULL fills up
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON s.maybe_id = d.id
--@ kept: filtered VIEW_FILTERS_MORE dim_id = id; lefted JOIN_DIFFERS the view has a LEFT join of dim ON maybe_id = id AND name <> 'b', which the query lacks: create a view without the join; maybe JOIN_DIFFERS the query has a LEFT join of d ON maybe_id = id, where the view has an inner join: create a view with the join of the query; unkeyed JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; wide JOIN_DIFFERS the view's inner join of groups drops the rows in which group_id is NULL: create a view with a LEFT JOIN of groups

--@ case: one that is filtered is never NULL
SELECT s.id, d.name FROM sales AS s LEFT JOIN dim AS d ON s.maybe_id = d.id WHERE s.maybe_id > 0
--@ rewritten using maybe
SELECT v.`id` AS id, v.`name` AS name FROM lake.demo.maybe__storage AS v WHERE v.`maybe_id` > 0

--@ case: a LEFT join from the other side keeps groups without rows
SELECT d.name, sum(s.amount) FROM dim AS d LEFT JOIN sales AS s ON s.dim_id = d.id GROUP BY d.name
--@ kept: filtered JOIN_DIFFERS the query has a LEFT join of s ON dim_id = id, where the view has an inner join: create a view with the join of the query; lefted JOIN_DIFFERS the view has a LEFT join of dim ON maybe_id = id AND name <> 'b', which the query lacks: create a view without the join; maybe VIEW_FILTERS_MORE maybe_id = id; unkeyed JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; wide JOIN_DIFFERS the query has a LEFT join of s ON dim_id = id, where the view has an inner join: create a view with the join of the query

--@ case: a filter on a derived table makes its outer join an inner one
SELECT day, sum(amount), count(*) FROM (SELECT s.*, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.name <> 'b') AS u WHERE name = 'a' GROUP BY day
--@ rewritten using wide
SELECT v.`day` AS day, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.wide__storage AS v WHERE v.`name` = 'a' AND v.`name` <> 'b' GROUP BY v.`day`

--@ case: a filter on a derived table keeps the rows without a match
SELECT day, sum(amount), count(*) FROM (SELECT s.*, d.name FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.name <> 'b') AS u WHERE name = 'a' OR name IS NULL GROUP BY day
--@ kept: filtered JOIN_DIFFERS the query has a LEFT join of d ON dim_id = id AND name <> 'b', where the view has an inner join: create a view with the join of the query; lefted JOIN_DIFFERS the view has a LEFT join of dim ON maybe_id = id AND name <> 'b', which the query lacks: create a view without the join; maybe VIEW_FILTERS_MORE maybe_id = id; unkeyed JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; wide JOIN_DIFFERS the query has a LEFT join of d ON dim_id = id AND name <> 'b', where the view has an inner join: create a view with the join of the query
