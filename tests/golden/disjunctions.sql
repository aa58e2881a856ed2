-- What all branches of an OR ask for, the OR asks for.
--@ schema
CREATE TABLE sales (region STRING, sex STRING, n INT, amount INT, dim_id INT);
CREATE TABLE dim (id INT, name STRING);
--@ rows
INSERT INTO sales VALUES ('eu', 'm', 1, 10, 1), ('eu', 'f', 2, 20, 2), ('us', 'm', 3, 30, 1), ('eu', NULL, 1, 40, NULL), (NULL, 'm', 2, 50, 3), ('us', NULL, NULL, 60, 2), ('eu', 'm', 9, 70, 1), ('eu', 'm', 9, 70, 1);
INSERT INTO dim VALUES (1, 'a'), (2, 'b'), (3, NULL), (1, 'a')
--@ view of_eu
SELECT sex, n, sum(amount) AS total FROM sales WHERE region = 'eu' GROUP BY sex, n
--@ view joined
SELECT name, n, sum(amount) AS total FROM sales JOIN dim ON dim_id = id GROUP BY name, n

--@ case: a predicate of both branches is the view's own
SELECT sum(amount) FROM sales WHERE (region = 'eu' AND sex = 'm') OR (n = 1 AND region = 'eu')
--@ rewritten using of_eu
SELECT sum(v.`total`) FROM lake.demo.of_eu__storage AS v WHERE ((v.`sex` = 'm') OR (v.`n` = 1))

--@ case: a join in every branch
SELECT sum(amount) FROM sales, dim WHERE (dim_id = id AND name = 'a' AND n > 2) OR (name = 'b' AND id = dim_id) OR (dim_id = id AND name = 'a')
--@ rewritten using joined
SELECT sum(v.`total`) FROM lake.demo.joined__storage AS v WHERE ((((v.`name` = 'a') AND (v.`n` > 2)) OR (v.`name` = 'b')) OR (v.`name` = 'a'))

--@ case: a join in every branch, spelled alike
SELECT sum(amount) FROM sales, dim WHERE (dim_id = id AND name = 'a' AND n > 2) OR (name = 'b' AND dim_id = id)
--@ rewritten using joined
SELECT sum(v.`total`) FROM lake.demo.joined__storage AS v WHERE (((v.`name` = 'a') AND (v.`n` > 2)) OR (v.`name` = 'b'))

--@ case: a branch that is nothing but what is common
SELECT sex, sum(amount) FROM sales WHERE (region = 'eu' AND n = 1) OR region = 'eu' GROUP BY sex
--@ rewritten using of_eu
SELECT v.`sex` AS sex, sum(v.`total`) FROM lake.demo.of_eu__storage AS v GROUP BY v.`sex`

--@ case: nested branches
SELECT sum(amount) FROM sales WHERE (region = 'eu' AND (sex = 'm' OR (n = 2 AND sex = 'f'))) OR ((sex IS NULL AND region = 'eu') OR (region = 'eu' AND n = 9))
--@ rewritten using of_eu
SELECT sum(v.`total`) FROM lake.demo.of_eu__storage AS v WHERE ((((v.`sex` = 'm') OR ((v.`n` = 2) AND (v.`sex` = 'f'))) OR (v.`sex` IS NULL)) OR (v.`n` = 9))

--@ case: a predicate of one branch only
SELECT sum(amount) FROM sales WHERE (region = 'eu' AND sex = 'm') OR n = 1
--@ kept: joined JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_eu VIEW_FILTERS_MORE region = 'eu'

--@ case: the opposite of what is common
SELECT sum(amount) FROM sales WHERE NOT ((region = 'eu' AND sex = 'm') OR (region = 'eu' AND n = 1))
--@ kept: joined JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; of_eu VIEW_FILTERS_MORE region = 'eu'

--@ case: HAVING
SELECT sex, n FROM sales WHERE region = 'eu' GROUP BY sex, n HAVING (sum(amount) > 10 AND n = 1) OR (sum(amount) > 10 AND n = 9)
--@ rewritten using of_eu
SELECT v.`sex` AS sex, v.`n` AS n FROM lake.demo.of_eu__storage AS v WHERE v.`total` > 10 AND ((v.`n` = 1) OR (v.`n` = 9))
