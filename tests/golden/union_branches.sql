-- A grouped query over UNION ALL: each branch is grouped first, from a view where one answers it, and all are grouped again.
--@ schema
CREATE TABLE store (id INT NOT NULL, day DATE, item INT, price DECIMAL(7,2), amount INT);
CREATE TABLE web (id INT NOT NULL, day DATE, item INT, price DECIMAL(7,2), amount INT, site STRING);
CREATE TABLE items (item INT NOT NULL, brand STRING);
ALTER TABLE items SET TBLPROPERTIES ('viewgate.primary-key' = 'item', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO store VALUES (1, DATE '2024-01-01', 1, 1.50, 10), (2, DATE '2024-01-02', 1, NULL, 20), (3, DATE '2024-01-02', 2, 3.00, NULL), (3, DATE '2024-01-02', 2, 3.00, NULL), (4, NULL, NULL, 0.25, 7);
INSERT INTO web VALUES (1, DATE '2024-01-02', 1, 9.99, 1, 'a'), (2, DATE '2024-02-02', 3, 0.01, NULL, 'b'), (3, DATE '2024-02-02', NULL, 5.00, 3, NULL);
INSERT INTO items VALUES (1, 'x'), (2, NULL), (3, 'y')
--@ view by_store
SELECT day, item, sum(price) AS priced, count(price) AS prices, sum(amount) AS total, count(amount) AS amounts, count(*) AS cnt, max(price) AS top FROM store GROUP BY day, item
--@ view by_web
SELECT day, item, sum(price) AS priced, count(price) AS prices, sum(amount) AS total, count(amount) AS amounts, count(*) AS cnt, max(price) AS top FROM web GROUP BY day, item

--@ case: both branches from views
SELECT item, sum(price), count(*), avg(price), max(price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web) AS u GROUP BY item
--@ rewritten using by_store, by_web
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)), coalesce(sum(v.`c2`), 0), CAST((CAST(CAST(sum(v.`c1`) AS DECIMAL(17, 2)) * 100 AS DOUBLE) / CAST(nullif(coalesce(sum(v.`c3`), 0), 0) AS DOUBLE)) / CAST(100 AS DOUBLE) AS DECIMAL(11, 6)), max(v.`c4`) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`prices`), 0) AS bigint) AS c3, CAST(max(v.`top`) AS decimal(7,2)) AS c4 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2, CAST(coalesce(sum(v.`prices`), 0) AS bigint) AS c3, CAST(max(v.`top`) AS decimal(7,2)) AS c4 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: each branch names itself, and has its own filter
SELECT channel, sum(price) AS s, count(amount) FROM (SELECT 'store' AS channel, price, amount FROM store WHERE day >= DATE '2024-01-02' UNION ALL SELECT 'web' AS channel, price, amount FROM web WHERE item = 1) AS u GROUP BY channel ORDER BY channel
--@ rewritten using by_store, by_web (not proved: the rewritten query reads other tables than the query)
SELECT v.`c0` AS channel, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) AS s, coalesce(sum(v.`c2`), 0) FROM (SELECT CAST('store' AS string) AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v WHERE v.`day` >= CAST('2024-01-02' AS DATE) HAVING coalesce(sum(v.`cnt`), 0) > 0 UNION ALL SELECT CAST('web' AS string) AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`amounts`), 0) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v WHERE v.`item` = 1 HAVING coalesce(sum(v.`cnt`), 0) > 0) AS v GROUP BY v.`c0` ORDER BY 1 ASC NULLS FIRST

--@ case: by the name and an item
SELECT channel, item, sum(price) FROM (SELECT 'store' AS channel, item, price FROM store UNION ALL SELECT 'web', item, price FROM web) AS u GROUP BY channel, item HAVING sum(price) > 1 ORDER BY item, channel LIMIT 3
--@ rewritten using by_store, by_web
SELECT v.`c0` AS channel, v.`c1` AS item, CAST(sum(v.`c2`) AS DECIMAL(17, 2)) FROM (SELECT CAST('store' AS string) AS c0, v.`item` AS c1, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT CAST('web' AS string) AS c0, v.`item` AS c1, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`, v.`c1` HAVING CAST(sum(v.`c2`) AS DECIMAL(17, 2)) > 1 ORDER BY 2 ASC NULLS FIRST, 1 ASC NULLS FIRST LIMIT 3

--@ case: a table beside the union
SELECT i.brand, sum(u.price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web WHERE day < DATE '2024-02-01') AS u JOIN items AS i ON i.item = u.item GROUP BY i.brand
--@ rewritten using by_store, by_web
SELECT v.`c0` AS brand, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT CAST(items_0.brand AS string) AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v, lake.demo.items VERSION AS OF 1002 AS items_0 WHERE items_0.item = v.`item` GROUP BY items_0.brand UNION ALL SELECT CAST(items_0.brand AS string) AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v, lake.demo.items VERSION AS OF 1002 AS items_0 WHERE v.`day` < CAST('2024-02-01' AS DATE) AND items_0.item = v.`item` GROUP BY items_0.brand) AS v GROUP BY v.`c0`

--@ case: NULL, a constant, and another column in one place
SELECT day, sum(sold), sum(returned) FROM (SELECT day, amount AS sold, 0 AS returned FROM store UNION ALL SELECT day, NULL AS sold, amount AS returned FROM web) AS u GROUP BY day
--@ rewritten using by_store, by_web
SELECT v.`c0` AS day, sum(v.`c1`), sum(v.`c2`) FROM (SELECT v.`day` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(sum(0) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`day` UNION ALL SELECT v.`day` AS c0, CAST(sum(CAST(CAST(NULL AS INT) AS BIGINT) * v.`cnt`) AS bigint) AS c1, CAST(sum(v.`total`) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`day`) AS v GROUP BY v.`c0`

--@ case: one branch from its table
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web WHERE site = 'a') AS u GROUP BY item
--@ rewritten using by_store
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT web_0.item AS c0, sum(web_0.price) AS c1 FROM lake.demo.web VERSION AS OF 1001 AS web_0 WHERE web_0.site = 'a' GROUP BY web_0.item) AS v GROUP BY v.`c0`

--@ case: the same table twice
SELECT item, count(*), sum(price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM store WHERE day = DATE '2024-01-02') AS u GROUP BY item
--@ rewritten using by_store
SELECT v.`c0` AS item, coalesce(sum(v.`c1`), 0), CAST(sum(v.`c2`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c2 FROM lake.demo.by_store__storage AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, v.`cnt` AS c1, v.`priced` AS c2 FROM lake.demo.by_store__storage AS v WHERE v.`day` = CAST('2024-01-02' AS DATE)) AS v GROUP BY v.`c0`

--@ case: of all rows
SELECT sum(price), count(*) FROM (SELECT price FROM store UNION ALL SELECT price FROM web) AS u
--@ rewritten using by_store, by_web
SELECT CAST(sum(v.`c0`) AS DECIMAL(17, 2)), coalesce(sum(v.`c1`), 0) FROM (SELECT CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v UNION ALL SELECT CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v) AS v

--@ case: subtotals
SELECT channel, item, sum(price) FROM (SELECT 'store' AS channel, item, price FROM store UNION ALL SELECT 'web', item, price FROM web) AS u GROUP BY ROLLUP (channel, item)
--@ rewritten using by_store, by_web
SELECT v.`c0` AS channel, v.`c1` AS item, CAST(sum(v.`c2`) AS DECIMAL(17, 2)) FROM (SELECT CAST('store' AS string) AS c0, v.`item` AS c1, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT CAST('web' AS string) AS c0, v.`item` AS c1, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY GROUPING SETS ((v.`c0`, v.`c1`), (v.`c0`), ())

--@ case: a filter around
SELECT item, sum(price) FROM (SELECT item, day, price FROM store UNION ALL SELECT item, day, price FROM web) AS u WHERE day > DATE '2024-01-01' AND item IS NOT NULL GROUP BY item
--@ rewritten using by_store, by_web
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v WHERE v.`day` > CAST('2024-01-01' AS DATE) AND NOT (v.`item` IS NULL) GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v WHERE v.`day` > CAST('2024-01-01' AS DATE) AND NOT (v.`item` IS NULL) GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: equal rows are one in UNION
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION SELECT item, price FROM web) AS u GROUP BY item
--@ kept: by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: different values are not put together from branches
SELECT item, count(DISTINCT price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web) AS u GROUP BY item
--@ kept: by_store TABLES_DIFFER the view reads store, which this SELECT does not read: create a view over the query's tables; by_web TABLES_DIFFER the view reads web, which this SELECT does not read: create a view over the query's tables; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: rows, not groups
SELECT item, price FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web) AS u
--@ kept: by_store TABLES_DIFFER the view reads store, which this SELECT does not read: create a view over the query's tables; by_web TABLES_DIFFER the view reads web, which this SELECT does not read: create a view over the query's tables; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a branch that takes some of its rows
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION ALL (SELECT item, price FROM web ORDER BY id LIMIT 1)) AS u GROUP BY item
--@ kept: by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a subquery in a branch is read at the same moment
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web WHERE id > (SELECT min(w.id) FROM web AS w)) AS u GROUP BY item
--@ rewritten using by_store
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT web_0.item AS c0, sum(web_0.price) AS c1 FROM lake.demo.web VERSION AS OF 1001 AS web_0 WHERE web_0.id > (SELECT min(w.id) FROM web VERSION AS OF 1001 AS w) GROUP BY web_0.item) AS v GROUP BY v.`c0`

--@ case: and one that a view answers
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION ALL SELECT item, price FROM web WHERE id < (SELECT count(*) FROM web)) AS u GROUP BY item
--@ rewritten using by_store, by_web
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT web_0.item AS c0, sum(web_0.price) AS c1 FROM lake.demo.web VERSION AS OF 1001 AS web_0 WHERE web_0.id < (SELECT coalesce(sum(v.`cnt`), 0) FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v) GROUP BY web_0.item) AS v GROUP BY v.`c0`

--@ case: a union that WITH names
WITH u AS (SELECT item, price FROM store UNION ALL SELECT item, price FROM web) SELECT item, sum(price), count(*) FROM u GROUP BY item
--@ rewritten using by_store, by_web
WITH u AS (SELECT item, price FROM store VERSION AS OF 1000 UNION ALL SELECT item, price FROM web VERSION AS OF 1001) SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: a union that WITH names, read twice, joined to a table
WITH u AS (SELECT item, day, amount FROM store UNION ALL SELECT item, day, amount FROM web), d AS (SELECT i.brand, u.day, sum(u.amount) AS s FROM u JOIN items i ON u.item = i.item GROUP BY i.brand, u.day) SELECT a.brand, a.day, a.s, (SELECT count(*) FROM u) AS n FROM d AS a LEFT JOIN d AS b ON a.brand = b.brand AND a.day > b.day
--@ rewritten using by_store, by_web
WITH u AS (SELECT item, day, amount FROM store VERSION AS OF 1000 UNION ALL SELECT item, day, amount FROM web VERSION AS OF 1001), d AS (SELECT v.`c0` AS brand, v.`c1` AS day, sum(v.`c2`) AS s FROM (SELECT CAST(items_0.brand AS string) AS c0, v.`day` AS c1, CAST(sum(v.`total`) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v, lake.demo.items VERSION AS OF 1002 AS items_0 WHERE v.`item` = items_0.item GROUP BY items_0.brand, v.`day` UNION ALL SELECT CAST(items_0.brand AS string) AS c0, v.`day` AS c1, CAST(sum(v.`total`) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v, lake.demo.items VERSION AS OF 1002 AS items_0 WHERE v.`item` = items_0.item GROUP BY items_0.brand, v.`day`) AS v GROUP BY v.`c0`, v.`c1`) SELECT a.brand, a.day, a.s, (SELECT coalesce(sum(v.`c0`), 0) FROM (SELECT CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c0 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v UNION ALL SELECT CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c0 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v) AS v) AS n FROM d AS a LEFT JOIN d AS b ON a.brand = b.brand AND a.day > b.day

--@ case: WITH limits the union
WITH u AS (SELECT item, price FROM store UNION ALL SELECT item, price FROM web ORDER BY item, price LIMIT 2) SELECT item, sum(price) FROM u GROUP BY item
--@ kept: by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: a name of WITH that hides another
WITH u AS (SELECT item FROM store UNION ALL SELECT item FROM web), v AS (SELECT item FROM u WHERE item > 1) SELECT item, count(*) FROM v GROUP BY item
--@ rewritten using by_store, by_web
WITH u AS (SELECT item FROM store VERSION AS OF 1000 UNION ALL SELECT item FROM web VERSION AS OF 1001), v AS (SELECT item FROM u WHERE item > 1) SELECT v.`c0` AS item, coalesce(sum(v.`c1`), 0) FROM (SELECT v.`item` AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v WHERE v.`item` > 1 GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v WHERE v.`item` > 1 GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: a branch in parentheses
SELECT item, sum(price) FROM (SELECT item, price FROM store UNION ALL (SELECT item, price FROM web)) AS u GROUP BY item
--@ rewritten using by_store, by_web
SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: parentheses around a part of the chain
SELECT item, sum(amount), count(*) FROM ((SELECT item, amount FROM store) UNION ALL ((SELECT item, amount FROM web) UNION ALL (SELECT item, amount + 1 AS amount FROM web WHERE item = 1))) AS u GROUP BY item
--@ rewritten using by_store, by_web
SELECT v.`c0` AS item, sum(v.`c1`), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`item` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(sum(v.`total`) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(sum(v.`total` + (CAST(1 AS BIGINT) * v.`amounts`)) AS bigint) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v WHERE v.`item` = 1 GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: a branch in parentheses with a LIMIT
SELECT sum(price) FROM (SELECT price FROM store UNION ALL (SELECT price FROM web ORDER BY id LIMIT 1)) AS u
--@ kept: by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: parentheses that merge equal rows
SELECT sum(price) FROM (SELECT price FROM store UNION ALL (SELECT price FROM web UNION SELECT price FROM store)) AS u
--@ kept: by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a LIMIT around a branch in parentheses
SELECT sum(price) FROM (SELECT price FROM store UNION ALL ((SELECT price FROM web ORDER BY id) LIMIT 1)) AS u
--@ kept: by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY

--@ case: a CTE of branches in parentheses
WITH u AS ((SELECT item, price FROM store) UNION ALL (SELECT item, price FROM web)) SELECT item, sum(price), count(*) FROM u GROUP BY item
--@ rewritten using by_store, by_web
WITH u AS ((SELECT item, price FROM store VERSION AS OF 1000) UNION ALL (SELECT item, price FROM web VERSION AS OF 1001)) SELECT v.`c0` AS item, CAST(sum(v.`c1`) AS DECIMAL(17, 2)), coalesce(sum(v.`c2`), 0) FROM (SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(CAST(sum(v.`priced`) AS DECIMAL(17, 2)) AS decimal(17,2)) AS c1, CAST(coalesce(sum(v.`cnt`), 0) AS bigint) AS c2 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: parentheses around all branches of a CTE
WITH u AS (((SELECT item, amount FROM store) UNION ALL SELECT item, amount FROM web)) SELECT item, sum(amount) FROM u GROUP BY item
--@ rewritten using by_store, by_web
WITH u AS (((SELECT item, amount FROM store VERSION AS OF 1000) UNION ALL SELECT item, amount FROM web VERSION AS OF 1001)) SELECT v.`c0` AS item, sum(v.`c1`) FROM (SELECT v.`item` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v GROUP BY v.`item` UNION ALL SELECT v.`item` AS c0, CAST(sum(v.`total`) AS bigint) AS c1 FROM lake.demo.by_web__storage VERSION AS OF 2001 AS v GROUP BY v.`item`) AS v GROUP BY v.`c0`

--@ case: a CTE of one SELECT in parentheses
WITH u AS ((SELECT item, amount FROM store WHERE item = 1)) SELECT sum(amount) FROM u
--@ rewritten using by_store
WITH u AS ((SELECT item, amount FROM store VERSION AS OF 1000 WHERE item = 1)) SELECT sum(v.`total`) FROM lake.demo.by_store__storage VERSION AS OF 2000 AS v WHERE v.`item` = 1

--@ case: LIMIT after the parentheses
WITH u AS ((SELECT item, price FROM store) UNION ALL (SELECT item, price FROM web) LIMIT 3) SELECT item, count(*) FROM u GROUP BY item
--@ kept: by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: LIMIT after one SELECT in parentheses
WITH u AS ((SELECT item, price FROM store) LIMIT 3) SELECT item, count(*) FROM u GROUP BY item
--@ kept: GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: LIMIT after parentheses around all branches
WITH u AS (((SELECT item, price FROM store) UNION ALL (SELECT item, price FROM web)) LIMIT 3) SELECT item, count(*) FROM u GROUP BY item
--@ kept: by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: LIMIT of a branch in parentheses
WITH u AS ((SELECT item, price FROM store LIMIT 1) UNION ALL (SELECT item, price FROM web)) SELECT item, count(*) FROM u GROUP BY item
--@ kept: by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately

--@ case: a CTE of branches in parentheses without their duplicates
WITH u AS ((SELECT item, price FROM store) UNION (SELECT item, price FROM web)) SELECT item, count(*) FROM u GROUP BY item
--@ kept: by_store GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_web GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; by_store UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately; by_web UNSUPPORTED the SELECT reads only derived tables, each of which is rewritten separately
