-- Whole-tree match of floating-point outputs: they are handed on, and decide nothing.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, score DOUBLE);
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1.5), (2, 'eu', NULL), (3, NULL, 0.0), (4, 'us', -0.0D), (4, 'us', 2.5), (5, 'us', CAST('NaN' AS DOUBLE));
--@ view ranked
SELECT id, score, rank() OVER (PARTITION BY score ORDER BY id) AS place FROM sales
--@ view summed
SELECT id, region, sum(score) OVER (PARTITION BY region) AS total FROM sales UNION ALL SELECT 0, 'none', 0.0

--@ case: as they are
SELECT id, score, rank() OVER (PARTITION BY score ORDER BY id) AS place FROM sales
--@ rewritten using ranked
SELECT v.`id`, v.`score`, v.`place` FROM lake.demo.ranked__storage AS v

--@ case: handed on
SELECT id, score FROM (SELECT id, score, rank() OVER (PARTITION BY score ORDER BY id) AS place FROM sales)
--@ rewritten using ranked
SELECT id, score FROM (SELECT v.`id`, v.`score`, v.`place` FROM lake.demo.ranked__storage AS v)

--@ case: a filter around finds NaN or not as it lies in files
SELECT id FROM (SELECT id, score, rank() OVER (PARTITION BY score ORDER BY id) AS place FROM sales) WHERE score > 1
--@ kept: ranked FLOAT_COMPARED score; ranked UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; summed VIEW_UNSUPPORTED the query is not a single SELECT; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups

--@ case: groups around
WITH r AS (SELECT id, score, rank() OVER (PARTITION BY score ORDER BY id) AS place FROM sales) SELECT score, count(*) FROM r GROUP BY score
--@ kept: ranked FLOAT_COMPARED score; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; summed VIEW_UNSUPPORTED the query is not a single SELECT; ranked UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: a sum decides
SELECT id FROM (SELECT id, region, sum(score) OVER (PARTITION BY region) AS total FROM sales UNION ALL SELECT 0, 'none', 0.0) WHERE total > 3
--@ kept: summed FLOAT_COMPARED total; ranked UNSUPPORTED SELECT 0, 'none', 0.0 has no FROM, so no view can answer this SELECT; summed UNSUPPORTED SELECT 0, 'none', 0.0 has no FROM, so no view can answer this SELECT; ranked VIEW_UNSUPPORTED the query has window functions, or DISTINCT over groups; summed VIEW_UNSUPPORTED the query is not a single SELECT
