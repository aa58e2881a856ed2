-- The first rows by row_number(), of which a query leaves open which of equal ones they are.
--@ schema
CREATE TABLE sales (id INT NOT NULL, region STRING, item INT, amount INT, price DECIMAL(10,2), weight DOUBLE);
CREATE TABLE names (region STRING, label STRING)
--@ rows
INSERT INTO sales VALUES (1, 'eu', 1, 10, 1.50, 0.1), (2, 'eu', 2, NULL, 2.25, 0.2), (3, NULL, 2, 7, NULL, 0.3), (4, 'us', 1, 3, 9.99, NULL), (4, 'us', 1, 3, 9.99, 1.5), (5, 'as', NULL, 0, 0.00, 2.5), (6, 'as', 3, 40, 0.50, -1), (7, 'eu', 3, 4, 1.00, 7);
INSERT INTO names VALUES ('eu', 'Europe'), ('us', 'States'), (NULL, 'none')
--@ view by_item
SELECT region, item, sum(amount) AS total, count(*) AS n, sum(weight) AS weight FROM sales GROUP BY region, item
--@ view rows
SELECT id, region, item, price FROM sales WHERE id > 0

--@ case: the best items of each region
SELECT region, item FROM (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, item) AS t WHERE place <= 2
--@ rewritten using by_item
SELECT region, item FROM (SELECT v.`region` AS region, v.`item` AS item, row_number() OVER (PARTITION BY v.`region` ORDER BY v.`total` DESC) AS place FROM lake.demo.by_item__storage AS v) AS t WHERE place <= 2

--@ case: coarser groups
SELECT region, total FROM (SELECT region, sum(amount) AS total, ROW_NUMBER() OVER (ORDER BY sum(amount) DESC NULLS LAST) AS rn FROM sales GROUP BY region) AS t WHERE t.rn = 1
--@ rewritten using by_item
SELECT region, total FROM (SELECT v.`region` AS region, sum(v.`total`) AS total, row_number() OVER (ORDER BY sum(v.`total`) DESC) AS rn FROM lake.demo.by_item__storage AS v GROUP BY v.`region`) AS t WHERE t.rn = 1

--@ case: a common table expression, joined to names
WITH best AS (SELECT region, sum(amount) AS total, row_number() OVER (ORDER BY sum(amount) DESC) AS rn FROM sales GROUP BY region) SELECT n.label, b.total FROM best AS b JOIN names AS n ON n.region = b.region WHERE b.rn < 3
--@ rewritten using by_item
WITH best AS (SELECT v.`region` AS region, sum(v.`total`) AS total, row_number() OVER (ORDER BY sum(v.`total`) DESC) AS rn FROM lake.demo.by_item__storage VERSION AS OF 2000 AS v GROUP BY v.`region`) SELECT n.label, b.total FROM best AS b JOIN names VERSION AS OF 1001 AS n ON n.region = b.region WHERE b.rn < 3

--@ case: rank beside it
SELECT region, item, r FROM (SELECT region, item, rank() OVER (ORDER BY count(*)) AS r, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC, item) AS place FROM sales GROUP BY region, item) AS t WHERE place BETWEEN 1 AND 2
--@ rewritten using by_item
SELECT region, item, r FROM (SELECT v.`region` AS region, v.`item` AS item, rank() OVER (ORDER BY v.`n` ASC) AS r, row_number() OVER (PARTITION BY v.`region` ORDER BY v.`total` DESC, v.`item` ASC) AS place FROM lake.demo.by_item__storage AS v) AS t WHERE place BETWEEN 1 AND 2

--@ case: the last row of each
SELECT id, price FROM (SELECT id, price, row_number() OVER (PARTITION BY region ORDER BY id DESC) AS last FROM sales WHERE id > 2) AS t WHERE last = 1
--@ rewritten using rows
SELECT id, price FROM (SELECT v.`id` AS id, v.`price` AS price, row_number() OVER (PARTITION BY v.`region` ORDER BY v.`id` DESC) AS last FROM lake.demo.rows__storage AS v WHERE v.`id` > 2) AS t WHERE last = 1

--@ case: a page
SELECT id, region FROM (SELECT id, region, row_number() OVER (ORDER BY price DESC, id) AS n FROM sales WHERE id > 1) WHERE n > 2 LIMIT 3
--@ rewritten using rows
SELECT id, region FROM (SELECT v.`id` AS id, v.`region` AS region, row_number() OVER (ORDER BY v.`price` DESC, v.`id` ASC) AS n FROM lake.demo.rows__storage AS v WHERE v.`id` > 1) WHERE n > 2 LIMIT 3

--@ case: numbers that no filter asks for
SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, item
--@ kept: by_item UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; rows UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: numbers in two places may depend on each other
SELECT region, item FROM (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, item) AS t WHERE place <= 1 UNION ALL SELECT region, item FROM (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, item) AS u WHERE place > 1
--@ kept: by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_item UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; rows UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: read twice
WITH best AS (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS rn FROM sales GROUP BY region, item) SELECT a.region, a.item, b.item FROM best AS a JOIN best AS b ON a.region = b.region AND a.rn < b.rn WHERE a.rn <= 1
--@ kept: by_item UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; rows UNSUPPORTED ROW_NUMBER() OVER (PARTITION BY region ORDER BY SUM(amount) DESC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: a value of the row before
SELECT region, item FROM (SELECT region, item, lag(sum(amount)) OVER (PARTITION BY region ORDER BY count(*)) AS before, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, item) AS t WHERE place <= 2
--@ kept: by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_item UNSUPPORTED LAG(SUM(amount)) OVER (PARTITION BY region ORDER BY COUNT(*) ASC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; rows UNSUPPORTED LAG(SUM(amount)) OVER (PARTITION BY region ORDER BY COUNT(*) ASC) depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: a running count of rows
SELECT region, item FROM (SELECT region, item, count(*) OVER (PARTITION BY region ORDER BY count(*) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS place FROM sales GROUP BY region, item) AS t WHERE place <= 2
--@ kept: by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_item UNSUPPORTED COUNT(*) OVER (PARTITION BY region ORDER BY COUNT(*) ASC ROWS BETWEEN UNBOUNDED … depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY; rows UNSUPPORTED COUNT(*) OVER (PARTITION BY region ORDER BY COUNT(*) ASC ROWS BETWEEN UNBOUNDED … depends on the order of rows with equal values in its ORDER BY: add all keys of GROUP BY to this ORDER BY

--@ case: the order of sums of floating-point numbers
SELECT region, item FROM (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(weight) DESC) AS place FROM sales GROUP BY region, item) AS t WHERE place <= 2
--@ kept: by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_item FLOAT_SUM_DECIDES_ROWS sum(weight); rows VIEW_FILTERS_MORE id > 0

--@ case: finer groups
SELECT region, id FROM (SELECT region, id, row_number() OVER (PARTITION BY region ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY region, id) AS t WHERE place <= 2
--@ kept: by_item UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; rows UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_item GROUPING_TOO_COARSE id; rows VIEW_FILTERS_MORE id > 0
