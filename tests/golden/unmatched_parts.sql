-- Rows without a match, from a view that has a part of them: the remaining rows are joined as the query joins them.
--@ schema
CREATE TABLE sales (id INT NOT NULL, item INT, qty INT, day DATE);
CREATE TABLE items (id INT NOT NULL, maker INT, kind STRING NOT NULL);
CREATE TABLE makers (id INT NOT NULL, name STRING);
ALTER TABLE makers SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO makers VALUES (1, 'x'), (2, NULL);
INSERT INTO items VALUES (1, 1, 'a'), (2, NULL, 'b'), (2, 2, 'b');
INSERT INTO sales VALUES
  (1, 1, 1, DATE '2024-01-01'), (2, 5, 1, DATE '2024-01-01'), (3, 5, 9, DATE '2024-01-02'), (4, 2, 9, DATE '2024-01-02'),
  (5, NULL, NULL, DATE '2024-01-02'), (6, NULL, 0, NULL)
--@ view made
SELECT s.day, i.kind, count(*) AS n, max(s.id) AS last FROM sales AS s LEFT JOIN items AS i ON i.id = s.item LEFT JOIN makers AS m ON m.id = i.maker WHERE s.qty <= 1 GROUP BY s.day, i.kind
--@ view sold
SELECT s.day, i.kind, sum(s.qty) AS q FROM sales AS s LEFT JOIN items AS i ON i.id = s.item WHERE s.qty <= 1 GROUP BY s.day, i.kind

--@ case: all rows of the query are in the view, and its further join finds no match for them
SELECT day, count(*) FROM sales WHERE qty <= 1 AND NOT EXISTS (SELECT 1 FROM items WHERE items.id = sales.item) GROUP BY day
--@ rewritten using made
SELECT v.`day` AS day, coalesce(sum(v.`n`), 0) FROM lake.demo.made__storage AS v WHERE v.`kind` IS NULL GROUP BY v.`day`

--@ case: the further join refers to a table that the rows in the tables do not have
SELECT day, max(id) FROM sales WHERE NOT EXISTS (SELECT 1 FROM items WHERE items.id = sales.item) GROUP BY day
--@ kept: made VIEW_FILTERS_MORE qty <= 1; sold VIEW_FILTERS_MORE qty <= 1; made JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; sold JOIN_DIFFERS the view also joins sales, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables

--@ case: without a further join, the rows come from both
SELECT day, sum(qty) FROM sales LEFT ANTI JOIN items ON items.id = sales.item GROUP BY day
--@ rewritten using sold (not proved: the branches of the rewritten query's UNION ALL differ in more than their filters and snapshots, which the verifier does not support)
SELECT v.`c0` AS day, sum(v.`c1`) FROM (SELECT v.`day` AS c0, CAST(sum(v.`q`) AS bigint) AS c1 FROM lake.demo.sold__storage VERSION AS OF 2001 AS v WHERE v.`kind` IS NULL GROUP BY v.`day` UNION ALL SELECT sales_0.day AS c0, sum(sales_0.qty) AS c1 FROM lake.demo.sales VERSION AS OF 1000 AS sales_0 LEFT ANTI JOIN lake.demo.items VERSION AS OF 1001 AS items_0 ON items_0.id = sales_0.item WHERE ((sales_0.qty > 1) OR (sales_0.qty IS NULL)) GROUP BY sales_0.day) AS v GROUP BY v.`c0`
