-- Groups read as they are beside a table that is joined by its whole key: each group finds one row of it at most.
--@ schema
CREATE TABLE sales (shop INT, day INT, buyer INT, paid DOUBLE);
CREATE TABLE shops (id INT NOT NULL, name STRING, town INT);
CREATE TABLE towns (id INT NOT NULL, land STRING);
CREATE TABLE notes (shop INT, note STRING);
ALTER TABLE shops SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE towns SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 7, 0.5), (1, 1, 7, 1.5), (1, 1, 8, 2.0), (1, 2, 7, 4.0), (2, 1, 7, 8.0), (2, 1, NULL, 16.0), (3, 1, 9, NULL), (NULL, 1, 9, 32.0), (9, 1, 9, 64.0);
INSERT INTO shops VALUES (1, 'a', 1), (2, 'b', 1), (3, NULL, 2), (4, 'd', NULL);
INSERT INTO towns VALUES (1, 'x'), (2, 'y');
INSERT INTO notes VALUES (1, 'n'), (1, 'm'), (2, NULL)
--@ view buyers
SELECT shop, day, count(DISTINCT buyer) AS buyers, median(paid) AS middle, count(*) AS cnt FROM sales GROUP BY shop, day

--@ case: a distinct count beside a table with a key
SELECT s.shop, h.name, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.shop GROUP BY s.shop, h.name, s.day
--@ rewritten using buyers
SELECT v.`shop` AS shop, shops_0.name AS name, v.`day` AS day, v.`buyers` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v, lake.demo.shops VERSION AS OF 1001 AS shops_0 WHERE shops_0.id = v.`shop`

--@ case: the key itself is grouped by
SELECT h.id, h.name, s.day, count(DISTINCT s.buyer), count(*) FROM sales AS s JOIN shops AS h ON h.id = s.shop WHERE h.town = 1 GROUP BY h.id, h.name, s.day
--@ rewritten using buyers
SELECT v.`shop` AS id, shops_0.name AS name, v.`day` AS day, v.`buyers`, v.`cnt` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v, lake.demo.shops VERSION AS OF 1001 AS shops_0 WHERE shops_0.id = v.`shop` AND shops_0.town = 1

--@ case: by an outer join
SELECT s.shop, h.name, s.day, median(s.paid) FROM sales AS s LEFT JOIN shops AS h ON h.id = s.shop GROUP BY s.shop, h.name, s.day
--@ rewritten using buyers
SELECT v.`shop` AS shop, shops_0.name AS name, v.`day` AS day, v.`middle` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.shops VERSION AS OF 1001 AS shops_0 ON shops_0.id = v.`shop`

--@ case: by one key after another
SELECT s.shop, t.land, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.shop JOIN towns AS t ON t.id = h.town GROUP BY s.shop, t.land, s.day
--@ rewritten using buyers
SELECT v.`shop` AS shop, towns_0.land AS land, v.`day` AS day, v.`buyers` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v, lake.demo.shops VERSION AS OF 1001 AS shops_0, lake.demo.towns VERSION AS OF 1002 AS towns_0 WHERE shops_0.id = v.`shop` AND towns_0.id = shops_0.town

--@ case: the view's key is pinned
SELECT h.name, s.shop, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.shop WHERE s.day = 1 GROUP BY h.name, s.shop
--@ rewritten using buyers
SELECT shops_0.name AS name, v.`shop` AS shop, v.`buyers` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v, lake.demo.shops VERSION AS OF 1001 AS shops_0 WHERE shops_0.id = v.`shop` AND v.`day` = 1

--@ case: a number of the other table is added for each row
SELECT s.shop, s.day, sum(h.town), count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.shop GROUP BY s.shop, s.day
--@ rewritten using buyers (not proved: the query and the rewritten query differ in output)
SELECT v.`shop` AS shop, v.`day` AS day, CAST(shops_0.town AS BIGINT) * v.`cnt`, v.`buyers` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v, lake.demo.shops VERSION AS OF 1001 AS shops_0 WHERE shops_0.id = v.`shop`

--@ case: names that several shops may have
SELECT h.name, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.shop GROUP BY h.name, s.day
--@ kept: AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT buyer)

--@ case: a table without a key
SELECT s.shop, n.note, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN notes AS n ON n.shop = s.shop GROUP BY s.shop, n.note, s.day
--@ kept: AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT buyer)

--@ case: joined otherwise than by its key
SELECT s.shop, h.name, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.town = s.shop GROUP BY s.shop, h.name, s.day
--@ kept: AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT buyer)

--@ case: joined by its key and more
SELECT s.shop, h.name, s.day, count(DISTINCT s.buyer) FROM sales AS s LEFT JOIN shops AS h ON h.id = s.shop AND h.town > 1 GROUP BY s.shop, h.name, s.day
--@ rewritten using buyers
SELECT v.`shop` AS shop, shops_0.name AS name, v.`day` AS day, v.`buyers` FROM lake.demo.buyers__storage VERSION AS OF 2000 AS v LEFT JOIN lake.demo.shops VERSION AS OF 1001 AS shops_0 ON shops_0.id = v.`shop` AND shops_0.town > 1

--@ case: joined by what the groups do not hold
SELECT s.shop, h.name, s.day, count(DISTINCT s.buyer) FROM sales AS s JOIN shops AS h ON h.id = s.buyer GROUP BY s.shop, h.name, s.day
--@ kept: COLUMN_NOT_IN_VIEW buyer
