-- Live answers for rows without a match in a table to which the view joins another table.
--@ schema
CREATE TABLE sales (id INT NOT NULL, maker_id INT, kind STRING, amount INT);
CREATE TABLE makers (id INT NOT NULL, owner INT);
CREATE TABLE owners (id INT NOT NULL, label STRING);
ALTER TABLE makers SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE owners SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 'a', 10), (2, NULL, 'a', 20), (3, 9, 'b', NULL), (4, 2, NULL, 5), (4, 2, NULL, 5);
INSERT INTO makers VALUES (1, 1), (2, NULL), (3, 2);
INSERT INTO owners VALUES (1, 'one'), (2, NULL)
--@ appended
INSERT INTO sales VALUES (5, 9, 'a', 7), (6, 1, 'b', 1), (7, NULL, NULL, NULL)
--@ view chain
SELECT s.kind, m.id AS maker, o.label, count(*) AS cnt, sum(s.amount) AS total FROM sales AS s LEFT JOIN makers AS m ON s.maker_id = m.id LEFT JOIN owners AS o ON m.owner = o.id GROUP BY s.kind, m.id, o.label
--@ view direct
SELECT s.kind, m.id AS maker, max(s.amount) AS top FROM sales AS s LEFT JOIN makers AS m ON s.maker_id = m.id GROUP BY s.kind, m.id

--@ case: the view joins another table to the table without a match
SELECT s.kind, sum(s.amount) AS total FROM sales AS s WHERE NOT EXISTS (SELECT 1 FROM makers AS m WHERE m.id = s.maker_id) GROUP BY s.kind
--@ kept: chain STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; together with the appended rows: the view joins another table to m, which is on the right side of a SEMI or ANTI join in the query, so rows appended since the last refresh cannot be joined in the same way: refresh the view; direct AGGREGATE_NOT_IN_VIEW sum(amount); chain STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view; direct STALE lake.demo.sales has changed since snapshot 500: first by snapshot 5500 (append, 1970-01-01 00:00:00 UTC): refresh the view

--@ case: the view has only the join of the query
SELECT s.kind, max(s.amount) AS top FROM sales AS s WHERE NOT EXISTS (SELECT 1 FROM makers AS m WHERE m.id = s.maker_id) GROUP BY s.kind
--@ rewritten using direct (not proved: the branches of the rewritten query's UNION ALL differ in more than their filters and snapshots, which the verifier does not support)
SELECT v.`c0` AS kind, max(v.`c1`) AS top FROM (SELECT v.`kind` AS c0, CAST(max(v.`top`) AS int) AS c1 FROM lake.demo.direct__storage VERSION AS OF 2001 AS v WHERE v.`maker` IS NULL GROUP BY v.`kind` UNION ALL SELECT sales_0.kind AS c0, max(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 LEFT ANTI JOIN lake.demo.makers VERSION AS OF 1001 AS makers_0 ON makers_0.id = sales_0.maker_id GROUP BY sales_0.kind) AS v GROUP BY v.`c0`

--@ case: rows with a match
SELECT s.kind, sum(s.amount) AS total FROM sales AS s JOIN makers AS m ON m.id = s.maker_id GROUP BY s.kind
--@ rewritten using chain
SELECT v.`c0` AS kind, sum(v.`c1`) AS total FROM (SELECT v.`kind` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.chain__storage VERSION AS OF 2000 AS v WHERE NOT (v.`maker` IS NULL) GROUP BY v.`kind` UNION ALL SELECT sales_0.kind AS c0, sum(sales_0.amount) AS c1 FROM lake.demo.sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS sales_0 CROSS JOIN lake.demo.makers VERSION AS OF 1001 AS makers_0 LEFT JOIN lake.demo.owners VERSION AS OF 1002 AS owners_0 ON makers_0.owner = owners_0.id WHERE makers_0.id = sales_0.maker_id GROUP BY sales_0.kind) AS v GROUP BY v.`c0`
