-- Whether there is a row in a table of which a key allows but one: a view's inner join answers it.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, other_id INT, amount INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, group_id INT);
CREATE TABLE groups (id INT NOT NULL, label STRING);
CREATE TABLE parts (a INT NOT NULL, b INT NOT NULL, size INT);
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE groups SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE parts SET TBLPROPERTIES ('viewgate.primary-key' = 'a, b', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 10), (2, 1, 3, 20), (3, 2, 2, NULL), (3, NULL, 1, 30), (4, 9, 1, 40), (5, 3, 2, 50), (5, 3, 2, 50);
INSERT INTO dim VALUES (1, 'a', 1), (2, NULL, 1), (3, 'c', 2), (4, 'a', NULL);
INSERT INTO groups VALUES (1, 'one'), (2, NULL);
INSERT INTO parts VALUES (1, 1, 5), (2, 2, NULL), (3, 2, 7), (1, 3, 1)
--@ view named
SELECT s.dim_id, d.name, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY s.dim_id, d.name
--@ view labelled
SELECT s.id, s.amount, d.name, g.label FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN groups AS g ON d.group_id = g.id
--@ view sized
SELECT s.id, s.amount * 2 AS twice, p.size FROM sales AS s JOIN parts AS p ON s.dim_id = p.a AND s.other_id = p.b
--@ view by_group
SELECT s.other_id, d.name, min(s.amount) AS least FROM sales AS s JOIN dim AS d ON s.other_id = d.group_id GROUP BY s.other_id, d.name

--@ case: IN of a key
SELECT dim_id, sum(amount) AS s FROM sales WHERE dim_id IN (SELECT id FROM dim) GROUP BY dim_id
--@ rewritten using named
SELECT v.`dim_id` AS dim_id, v.`total` AS s FROM lake.demo.named__storage AS v

--@ case: IN of a key with a filter
SELECT sum(amount) AS s, count(*) AS c FROM sales WHERE dim_id IN (SELECT id FROM dim WHERE name = 'a' OR name IS NULL)
--@ rewritten using named
SELECT sum(v.`total`) AS s, coalesce(sum(v.`cnt`), 0) AS c FROM lake.demo.named__storage AS v WHERE ((v.`name` = 'a') OR (v.`name` IS NULL))

--@ case: EXISTS of a key
SELECT sum(s.amount) AS s FROM sales AS s WHERE EXISTS (SELECT 1 FROM dim AS d WHERE d.id = s.dim_id AND d.name > 'a')
--@ rewritten using named
SELECT sum(v.`total`) AS s FROM lake.demo.named__storage AS v WHERE v.`name` > 'a'

--@ case: a filter by what the view lacks
SELECT sum(amount) AS s FROM sales WHERE dim_id IN (SELECT id FROM dim WHERE group_id = 1)
--@ rewritten using named
SELECT sum(v.`total`) AS s FROM lake.demo.named__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_0_again WHERE dim_0_again.group_id = 1 AND v.`dim_id` = dim_0_again.id

--@ case: one key behind the other
SELECT id, amount FROM sales WHERE dim_id IN (SELECT d.id FROM dim AS d JOIN groups AS g ON d.group_id = g.id WHERE g.label = 'one')
--@ rewritten using labelled
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.labelled__storage AS v WHERE v.`label` = 'one'

--@ case: IN within IN
SELECT id, amount FROM sales WHERE dim_id IN (SELECT id FROM dim WHERE group_id IN (SELECT id FROM groups))
--@ rewritten using labelled
SELECT v.`id` AS id, v.`amount` AS amount FROM lake.demo.labelled__storage AS v

--@ case: a key of two columns
SELECT id, amount * 2 AS d FROM sales AS s WHERE EXISTS (SELECT 1 FROM parts AS p WHERE p.b = s.other_id AND s.dim_id = p.a AND p.size > 1)
--@ rewritten using sized
SELECT v.`id` AS id, v.`twice` AS d FROM lake.demo.sized__storage AS v WHERE v.`size` > 1

--@ case: half a key finds several rows
SELECT id, amount * 2 AS d FROM sales AS s WHERE EXISTS (SELECT 1 FROM parts AS p WHERE s.dim_id = p.a)
--@ kept: by_group JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins dim, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; sized VIEW_FILTERS_MORE dim_id = a; sized JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: what is no key finds several rows
SELECT other_id, min(amount) AS m FROM sales WHERE other_id IN (SELECT group_id FROM dim) GROUP BY other_id
--@ kept: by_group VIEW_FILTERS_MORE other_id = group_id; labelled JOIN_DIFFERS the view also joins groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named VIEW_FILTERS_MORE dim_id = id; sized JOIN_DIFFERS the view also joins parts, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_group JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins sales, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a constant is no row of the tables around
SELECT dim_id, sum(amount) AS s FROM sales WHERE EXISTS (SELECT 1 FROM dim WHERE id = 1 AND dim_id > id) GROUP BY dim_id
--@ kept: by_group VIEW_FILTERS_MORE other_id = group_id; labelled JOIN_DIFFERS the view also joins groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named VIEW_FILTERS_MORE dim_id = id; sized JOIN_DIFFERS the view also joins parts, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_group JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins sales, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: NOT IN keeps other rows
SELECT dim_id, sum(amount) AS s FROM sales WHERE dim_id IS NOT NULL AND dim_id NOT IN (SELECT id FROM dim) GROUP BY dim_id
--@ kept: by_group JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins dim, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; sized JOIN_DIFFERS the view also joins parts, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_group JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins sales, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: under OR it is no join
SELECT dim_id, sum(amount) AS s FROM sales WHERE dim_id = 3 OR dim_id IN (SELECT id FROM dim) GROUP BY dim_id
--@ kept: by_group JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins dim, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; sized JOIN_DIFFERS the view also joins parts, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_group JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; labelled JOIN_DIFFERS the view also joins sales, groups, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; named JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: another join beside it
SELECT g.label, sum(s.amount) AS s FROM sales AS s LEFT JOIN groups AS g ON s.dim_id = g.id WHERE s.dim_id IN (SELECT id FROM dim WHERE name = 'a') GROUP BY g.label
--@ rewritten using named
SELECT groups_0.label AS label, sum(v.`total`) AS s FROM lake.demo.named__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.groups VERSION AS OF 1002 AS groups_0 ON v.`dim_id` = groups_0.id WHERE v.`name` = 'a' GROUP BY groups_0.label
