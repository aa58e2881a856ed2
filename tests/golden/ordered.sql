-- Hidden columns: what a view orders by is stored, though it does not show it.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, amount INT)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 10), (2, 'eu', NULL), (3, NULL, 7), (4, 'us', 3), (4, 'us', 3), (5, 'us', 5)
--@ view by_amount
SELECT id, region FROM sales ORDER BY amount
--@ view counted
SELECT region, count(*) AS n FROM sales GROUP BY region ORDER BY sum(amount) DESC

--@ case: rows in the view's own order
SELECT id, region FROM sales ORDER BY amount
--@ rewritten using by_amount
SELECT v.`id` AS id, v.`region` AS region FROM lake.demo.by_amount__storage AS v ORDER BY v.`viewgate_order_0` ASC NULLS FIRST

--@ case: rows chosen by what is not shown
SELECT id FROM sales WHERE amount > 4 ORDER BY amount DESC
--@ rewritten using by_amount
SELECT v.`id` AS id FROM lake.demo.by_amount__storage AS v WHERE v.`viewgate_order_0` > 4 ORDER BY v.`viewgate_order_0` DESC NULLS LAST

--@ case: groups in the view's own order
SELECT region, count(*) AS n FROM sales GROUP BY region ORDER BY sum(amount) DESC
--@ rewritten using counted
SELECT v.`region` AS region, v.`n` AS n FROM lake.demo.counted__storage AS v ORDER BY v.`viewgate_order_0` DESC NULLS LAST

--@ case: a sum that the view only orders by
SELECT region, sum(amount) AS total FROM sales GROUP BY region
--@ rewritten using counted
SELECT v.`region` AS region, v.`viewgate_order_0` AS total FROM lake.demo.counted__storage AS v
