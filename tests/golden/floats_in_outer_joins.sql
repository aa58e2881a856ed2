-- Outer joins on comparisons of DOUBLEs, which the query has as narrower joins: Spark then filters more of the tables,
-- and Iceberg skips files by statistics that ignore NaN.
--@ schema
CREATE TABLE sales (id INT NOT NULL, dim_id INT, weight DOUBLE, kind STRING);
CREATE TABLE dim (id INT NOT NULL, name STRING, size DOUBLE)
--@ rows
INSERT INTO sales VALUES (1, 1, 0.5, 'a'), (2, 2, CAST('NaN' AS DOUBLE), 'a'), (3, 9, 0.1, 'b'), (4, 1, -0.0D, NULL);
INSERT INTO dim VALUES (1, 'p', 0.5), (2, 'q', CAST('NaN' AS DOUBLE)), (3, 'r', NULL)
--@ view heavy
SELECT s.kind, d.id AS dim, d.name, count(*) AS cnt FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.weight > 1 GROUP BY s.kind, d.id, d.name
--@ view both
SELECT s.kind, s.id AS sale, d.id AS dim, count(*) AS cnt FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id AND d.size > 1 GROUP BY s.kind, s.id, d.id
--@ view light
SELECT s.kind, d.id AS dim, count(*) AS cnt FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.weight < 5 GROUP BY s.kind, d.id

--@ case: an inner join filters the left table
SELECT s.kind, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE s.weight > 1 GROUP BY s.kind
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id AND size > 1, which the query lacks: create a view without the join; heavy FLOAT_COMPARED weight > 1; light JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id AND weight < 5, which the query lacks: create a view without the join

--@ case: a filter that makes the LEFT join an inner join
SELECT s.kind, count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.weight > 1 WHERE d.name = 'q' GROUP BY s.kind
--@ kept: both JOIN_DIFFERS the view has a FULL join of sales and dim ON dim_id = id AND size > 1, which the query lacks: create a view without the join; heavy FLOAT_COMPARED weight > 1; light JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id AND weight < 5, which the query lacks: create a view without the join

--@ case: the LEFT join itself
SELECT s.kind, count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND s.weight > 1 GROUP BY s.kind
--@ rewritten using heavy
SELECT v.`kind` AS kind, coalesce(sum(v.`cnt`), 0) FROM lake.demo.heavy__storage AS v GROUP BY v.`kind`

--@ case: an ANTI join filters the left table as little as a LEFT join
SELECT s.kind, count(*) FROM sales AS s LEFT ANTI JOIN dim AS d ON s.dim_id = d.id AND s.weight > 1 GROUP BY s.kind
--@ rewritten using heavy
SELECT v.`kind` AS kind, coalesce(sum(v.`cnt`), 0) FROM lake.demo.heavy__storage AS v WHERE v.`dim` IS NULL GROUP BY v.`kind`

--@ case: a comparison by which no file with NaN is skipped
SELECT s.kind, count(*) FROM sales AS s JOIN dim AS d ON s.dim_id = d.id WHERE s.weight < 5 GROUP BY s.kind
--@ rewritten using light
SELECT v.`kind` AS kind, coalesce(sum(v.`cnt`), 0) FROM lake.demo.light__storage AS v WHERE NOT (v.`dim` IS NULL) GROUP BY v.`kind`

--@ case: a LEFT join filters the right table, and a FULL join neither
SELECT s.kind, count(*) FROM sales AS s LEFT JOIN dim AS d ON s.dim_id = d.id AND d.size > 1 GROUP BY s.kind
--@ kept: both FLOAT_COMPARED size > 1; heavy JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id AND weight > 1, which the query lacks: create a view without the join; light JOIN_DIFFERS the view has a LEFT join of dim ON dim_id = id AND weight < 5, which the query lacks: create a view without the join

--@ case: the FULL join itself
SELECT s.kind, count(*) FROM sales AS s FULL JOIN dim AS d ON s.dim_id = d.id AND d.size > 1 GROUP BY s.kind
--@ rewritten using both
SELECT v.`kind` AS kind, coalesce(sum(v.`cnt`), 0) FROM lake.demo.both__storage AS v GROUP BY v.`kind`
