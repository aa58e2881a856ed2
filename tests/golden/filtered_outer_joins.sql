-- Views that LEFT JOIN other tables answer inner joins: a filter or a foreign key drops the rows without a match.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, shop_id INT NOT NULL, maker_id INT, amount INT, score DOUBLE);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);
CREATE TABLE shops (id INT NOT NULL, town STRING);
CREATE TABLE makers (id INT NOT NULL, country STRING, owner INT);
CREATE TABLE owners (id INT NOT NULL, label STRING);
ALTER TABLE sales SET TBLPROPERTIES ('viewgate.foreign-keys' = '(shop_id) REFERENCES shops (id), (maker_id) REFERENCES makers (id)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE shops SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE makers SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.foreign-keys' = '(owner) REFERENCES owners (id)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE owners SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 1, 10, 0.5), (2, 1, 1, NULL, 20, -0.0D), (3, 2, 2, 2, 30, 0.0), (4, NULL, 2, 1, 40, NULL), (5, 9, 1, 3, 50, 1.5), (3, 2, 2, 2, 30, 2.0), (6, 3, 1, NULL, NULL, 1.0), (9, 9, 2, NULL, 7, 3.0);
INSERT INTO dim VALUES (1, 'a', 2), (2, 'b', NULL), (2, 'b2', 3), (3, NULL, 1), (7, 'x', 1);
INSERT INTO shops VALUES (1, 'here'), (2, NULL), (3, 'there');
INSERT INTO makers VALUES (1, 'de', 1), (2, NULL, NULL), (3, 'fr', 1);
INSERT INTO owners VALUES (1, 'one'), (2, 'two')
--@ view by_dim
SELECT s.dim_id, d.name, coalesce(d.name, 'none') AS known, d.weight, sum(s.amount) AS total, count(*) AS cnt FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY s.dim_id, d.name, coalesce(d.name, 'none'), d.weight
--@ view marked
SELECT s.shop_id, d.id IS NULL AS lone, d.weight IS NULL AS light, count(*) AS cnt, sum(s.amount) AS total FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id GROUP BY s.shop_id, d.id IS NULL, d.weight IS NULL
--@ view by_place
SELECT t.town, s.maker_id, m.country, o.label, count(*) AS cnt, sum(s.amount) AS total FROM sales AS s LEFT JOIN shops AS t ON s.shop_id = t.id LEFT JOIN makers AS m ON s.maker_id = m.id LEFT JOIN owners AS o ON m.owner = o.id GROUP BY t.town, s.maker_id, m.country, o.label
--@ view chain
SELECT d.name, m.country, t.town, count(*) AS cnt, sum(s.amount) AS total FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id LEFT JOIN makers AS m ON d.weight = m.id LEFT JOIN shops AS t ON s.shop_id = t.id GROUP BY d.name, m.country, t.town

--@ case: a filter on the joined table drops the rows without a match
SELECT d.name, sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.weight > 1 GROUP BY d.name
--@ rewritten using by_dim
SELECT v.`name` AS name, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE v.`weight` > 1 GROUP BY v.`name`

--@ case: each side of an OR drops them
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'b' OR d.weight = 2
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE ((v.`name` = 'b') OR (v.`weight` = 2))

--@ case: only one side of an OR drops them
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'b' OR s.dim_id = 9
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW name

--@ case: a filter on a function of the joined column
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE upper(d.name) <> 'B'
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW name

--@ case: a filter that IS NOT NULL
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name IS NOT NULL
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE NOT (v.`name` IS NULL)

--@ case: a filter that keeps NULL
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name IS NULL
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW name

--@ case: a filter on a stored expression that is never NULL
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE coalesce(d.name, 'none') = 'none'
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW name

--@ case: NOT of a comparison
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE NOT (d.weight = 1)
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE NOT (v.`weight` = 1)

--@ case: not any of a list
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.name NOT IN ('b', 'x')
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE NOT (v.`name` IN ('b', 'x'))

--@ case: the filter is on the key, which the view has of the other side only
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.id > 5
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW id

--@ case: no filter on the joined table
SELECT d.name, sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE s.dim_id < 9 GROUP BY d.name
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW id

--@ case: a filter on another row of the same table
SELECT sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN dim AS e ON e.id = d.weight WHERE e.name = 'a'
--@ rewritten using by_dim
SELECT sum(v.`total`) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.dim VERSION AS OF 1001 AS dim_1 WHERE dim_1.id = v.`weight` AND dim_1.name = 'a'

--@ case: an outer join that each side of an OR makes an inner one
SELECT sum(s.amount), count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'a' OR d.weight = 3
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE ((v.`name` = 'a') OR (v.`weight` = 3))

--@ case: an outer join that an OR leaves an outer one
SELECT sum(s.amount), count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.name = 'a' OR d.weight IS NULL
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage AS v WHERE ((v.`name` = 'a') OR (v.`weight` IS NULL))

--@ case: a foreign key that is never NULL always finds its row
SELECT t.town, sum(s.amount), count(*) FROM sales AS s JOIN shops AS t ON s.shop_id = t.id GROUP BY t.town
--@ rewritten using by_place
SELECT v.`town` AS town, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_place__storage AS v GROUP BY v.`town`

--@ case: a foreign key finds its row where it is not NULL
SELECT m.country, sum(s.amount), count(*) FROM sales AS s JOIN makers AS m ON s.maker_id = m.id GROUP BY m.country
--@ rewritten using by_place
SELECT v.`country` AS country, sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_place__storage AS v WHERE NOT (v.`maker_id` IS NULL) GROUP BY v.`country`

--@ case: the foreign key of a joined table is not stored
SELECT o.label, count(*) FROM sales AS s JOIN makers AS m ON s.maker_id = m.id JOIN owners AS o ON m.owner = o.id GROUP BY o.label
--@ kept: by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_place COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; chain JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; marked JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: a filter further along the joins
SELECT m.country, count(*) FROM sales AS s JOIN makers AS m ON s.maker_id = m.id JOIN owners AS o ON m.owner = o.id WHERE o.label = 'one' GROUP BY m.country
--@ rewritten using by_place
SELECT v.`country` AS country, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_place__storage AS v WHERE v.`label` = 'one' GROUP BY v.`country`

--@ case: an inner join of the first table, an outer join of the next
SELECT m.country, o.label, count(*) FROM sales AS s JOIN makers AS m ON s.maker_id = m.id LEFT JOIN owners AS o ON m.owner = o.id GROUP BY m.country, o.label
--@ rewritten using by_place
SELECT v.`country` AS country, v.`label` AS label, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_place__storage AS v WHERE NOT (v.`maker_id` IS NULL) GROUP BY v.`country`, v.`label`

--@ case: rows without a match
SELECT count(*) FROM sales AS s LEFT ANTI JOIN makers AS m ON s.maker_id = m.id
--@ rewritten using by_place
SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_place__storage AS v WHERE v.`maker_id` IS NULL

--@ case: a filter on the second table of a chain drops the rows without the first
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN makers AS m ON d.weight = m.id WHERE m.country = 'de'
--@ rewritten using chain
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.chain__storage AS v WHERE v.`country` = 'de'

--@ case: no filter on the second table of a chain
SELECT m.country, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN makers AS m ON d.weight = m.id GROUP BY m.country
--@ rewritten using by_dim
SELECT makers_0.country AS country, coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v, lake.demo.makers VERSION AS OF 1003 AS makers_0 WHERE v.`weight` = makers_0.id GROUP BY makers_0.country

--@ case: the second table does not need the first
SELECT d.name, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id JOIN shops AS t ON s.shop_id = t.id WHERE t.town = 'here' GROUP BY d.name
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked GROUPING_TOO_COARSE name

--@ case: a member of a subquery is not NULL
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.weight IN (SELECT owner FROM makers WHERE country = 'de')
--@ rewritten using by_dim
SELECT sum(v.`total`), coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_dim__storage VERSION AS OF 2000 AS v LEFT SEMI JOIN lake.demo.makers VERSION AS OF 1003 AS makers_0 ON v.`weight` = makers_0.owner AND makers_0.country = 'de'

--@ case: not a member of an empty subquery
SELECT sum(s.amount), count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE d.weight NOT IN (SELECT owner FROM makers WHERE country = 'none')
--@ kept: by_dim COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; by_place COLUMN_NOT_IN_VIEW dim_id; chain COLUMN_NOT_IN_VIEW id, which distinguishes the rows that the view's outer join has matched from the rows without a match: add id to the view; marked COLUMN_NOT_IN_VIEW weight; by_place JOIN_DIFFERS the view also joins sales, shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; chain JOIN_DIFFERS the view also joins sales, dim, shops, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: the view says which rows have no match
SELECT s.shop_id, count(*), sum(s.amount) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id WHERE d.id IS NULL GROUP BY s.shop_id
--@ rewritten using marked
SELECT v.`shop_id` AS shop_id, coalesce(sum(v.`cnt`), 0), sum(v.`total`) FROM lake.demo.marked__storage AS v WHERE v.`lone` GROUP BY v.`shop_id`

--@ case: the rows with a match, by the same column
SELECT s.shop_id, count(*), sum(s.amount) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id GROUP BY s.shop_id
--@ rewritten using marked
SELECT v.`shop_id` AS shop_id, coalesce(sum(v.`cnt`), 0), sum(v.`total`) FROM lake.demo.marked__storage AS v WHERE NOT v.`lone` GROUP BY v.`shop_id`

--@ case: rows without a match by another ON
SELECT s.shop_id, count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.weight > 1 WHERE d.id IS NULL GROUP BY s.shop_id
--@ kept: by_dim JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; by_place COLUMN_NOT_IN_VIEW dim_id; chain JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join; marked JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id, which the query lacks: create a view without the join
