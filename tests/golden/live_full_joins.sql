-- Live answers from a view with a FULL JOIN: at an earlier snapshot, too, a NOT NULL column of a joined table is never NULL in a match.
--@ schema
CREATE TABLE fact (dim_id INT, n INT NOT NULL, big BIGINT);
CREATE TABLE dim (id INT NOT NULL, weight INT)
--@ rows
INSERT INTO fact VALUES (1, 1, 10), (1, 2, NULL), (2, 3, 30), (NULL, 4, 40), (9, 5, 50), (1, 2, NULL);
INSERT INTO dim VALUES (1, 1), (2, 2), (3, NULL)
--@ appended
INSERT INTO fact VALUES (2, 7, 70), (NULL, 8, NULL);
DELETE FROM fact WHERE n = 2
--@ view wide
SELECT dim_id, weight, count(*) AS cnt, sum(n) AS total, count(big) AS bigs FROM fact FULL JOIN dim ON dim_id = id GROUP BY dim_id, weight

--@ case: the rows of both tables
SELECT sum(n), count(big) FROM fact JOIN dim ON dim_id = id WHERE weight = 1
--@ rewritten using wide
SELECT v.`c0`, v.`c1` FROM (SELECT CAST(CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN NULL ELSE sum(v.`c0`) END AS bigint) AS c0, CAST(coalesce(sum(v.`c1`), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`c2`), 0) AS bigint) AS c2 FROM (SELECT CAST(sum(v.`total`) AS bigint) AS c0, CAST(coalesce(sum(v.`bigs`), 0) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.wide__storage VERSION AS OF 2000 AS v WHERE NOT (v.`dim_id` IS NULL) AND v.`weight` = 1 UNION ALL SELECT sum(CASE WHEN fact_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN fact_0.n ELSE -CAST(fact_0.n AS BIGINT) END) AS c0, sum(CASE WHEN fact_0.big IS NULL THEN 0 ELSE CASE WHEN fact_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END END) AS c1, sum(CASE WHEN fact_0._change_type IN ('INSERT', 'UPDATE_AFTER') THEN 1 ELSE -1 END) AS c2 FROM lake.demo.fact.changes WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS fact_0, lake.demo.dim VERSION AS OF 1001 AS dim_0 WHERE fact_0.dim_id = dim_0.id AND dim_0.weight = 1) AS v) AS v
