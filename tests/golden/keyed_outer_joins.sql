-- A LEFT join by a trusted foreign key has no match just where the foreign key is NULL.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, loose_id INT, other_id INT, pair_id INT, amount INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);
CREATE TABLE loose (id INT NOT NULL, name STRING);
CREATE TABLE pairs (id INT NOT NULL, no INT NOT NULL, name STRING);
ALTER TABLE sales SET TBLPROPERTIES ('viewgate.foreign-keys' = '(dim_id) REFERENCES dim (id), (pair_id, id) REFERENCES pairs (id, no)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE pairs SET TBLPROPERTIES ('viewgate.primary-key' = 'id, no', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 1, 1, 10), (2, 1, 9, 9, NULL, 20), (3, 2, NULL, NULL, NULL, NULL), (3, NULL, 2, 2, NULL, 30), (4, NULL, 1, 1, 1, 40), (3, 2, NULL, NULL, NULL, NULL);
INSERT INTO dim VALUES (1, 'a', 1), (2, NULL, NULL), (3, 'c', 2);
INSERT INTO loose VALUES (1, 'x'), (2, NULL);
INSERT INTO pairs VALUES (1, 1, 'p'), (1, 4, 'q')
--@ view by_dim
SELECT s.dim_id, d.name, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY s.dim_id, d.name
--@ view by_loose
SELECT s.loose_id, l.name, sum(s.amount) AS total FROM sales AS s LEFT JOIN loose AS l ON s.loose_id = l.id GROUP BY s.loose_id, l.name
--@ view by_other
SELECT s.other_id, d.name, min(s.amount) AS low FROM sales AS s LEFT JOIN dim AS d ON s.other_id = d.id GROUP BY s.other_id, d.name
--@ view narrowed
SELECT s.dim_id, d.name, max(s.amount) AS high FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 0 GROUP BY s.dim_id, d.name
--@ view by_pair
SELECT s.pair_id, p.name, max(s.id) AS last FROM sales AS s LEFT JOIN pairs AS p ON s.pair_id = p.id AND s.id = p.no GROUP BY s.pair_id, p.name

--@ case: an inner join from the view's LEFT join
SELECT d.name, sum(s.amount) AS total FROM sales AS s JOIN dim AS d ON d.id = s.dim_id GROUP BY d.name
--@ rewritten using by_dim
SELECT v.`name` AS name, sum(v.`total`) AS total FROM lake.demo.by_dim__storage AS v WHERE NOT (v.`dim_id` IS NULL) GROUP BY v.`name`

--@ case: at the view's own groups
SELECT s.dim_id, d.name, count(*) AS cnt FROM sales AS s JOIN dim AS d ON d.id = s.dim_id GROUP BY s.dim_id, d.name
--@ rewritten using by_dim
SELECT v.`dim_id` AS dim_id, v.`name` AS name, v.`cnt` AS cnt FROM lake.demo.by_dim__storage AS v WHERE NOT (v.`dim_id` IS NULL)

--@ case: an ANTI join from the view's LEFT join
SELECT sum(s.amount) AS total FROM sales AS s WHERE NOT EXISTS (SELECT 1 FROM dim AS d WHERE d.id = s.dim_id)
--@ rewritten using by_dim
SELECT sum(v.`total`) AS total FROM lake.demo.by_dim__storage AS v WHERE v.`dim_id` IS NULL

--@ case: the LEFT join itself
SELECT d.name, sum(s.amount) AS total FROM sales AS s LEFT JOIN dim AS d ON d.id = s.dim_id GROUP BY d.name
--@ rewritten using by_dim
SELECT v.`name` AS name, sum(v.`total`) AS total FROM lake.demo.by_dim__storage AS v GROUP BY v.`name`

--@ case: without a declared key
SELECT l.name, sum(s.amount) AS total FROM sales AS s JOIN loose AS l ON l.id = s.loose_id GROUP BY l.name
--@ kept: by_dim COLUMN_NOT_IN_VIEW loose_id; by_loose COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_other COLUMN_NOT_IN_VIEW loose_id; by_pair COLUMN_NOT_IN_VIEW loose_id; narrowed COLUMN_NOT_IN_VIEW loose_id

--@ case: by a column that is no foreign key
SELECT d.name, min(s.amount) AS low FROM sales AS s JOIN dim AS d ON d.id = s.other_id GROUP BY d.name
--@ kept: by_dim JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; by_loose JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_other COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_pair COLUMN_NOT_IN_VIEW other_id; narrowed JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id AND weight > 0, which the query lacks: create a view without the join

--@ case: the view's ON compares more than the key
SELECT d.name, max(s.amount) AS high FROM sales AS s JOIN dim AS d ON s.dim_id = d.id AND d.weight > 0 GROUP BY d.name
--@ kept: by_dim AGGREGATE_NOT_IN_VIEW max(amount); by_loose JOIN_DIFFERS the view also joins loose, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_other JOIN_DIFFERS the view has a LEFT join of dim ON other_id = id, which the query lacks: create a view without the join; by_pair COLUMN_NOT_IN_VIEW dim_id; narrowed COLUMN_NOT_IN_VIEW id or weight, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id or weight to the view

--@ case: a foreign key of two columns
SELECT p.name, max(s.id) AS last FROM sales AS s JOIN pairs AS p ON s.pair_id = p.id AND s.id = p.no GROUP BY p.name
--@ rewritten using by_pair
SELECT v.`name` AS name, max(v.`last`) AS last FROM lake.demo.by_pair__storage AS v WHERE NOT (v.`pair_id` IS NULL) GROUP BY v.`name`
