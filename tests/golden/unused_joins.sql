-- Tables that a query joins and does not use: keys that their owner declares and trusts prove that each row stays once.
--@ schema
CREATE TABLE sales (id INT NOT NULL, product_id INT NOT NULL, customer_id INT NOT NULL, maybe_id INT, day DATE NOT NULL, a INT NOT NULL, b INT NOT NULL, amount INT);
CREATE TABLE products (id INT NOT NULL, brand STRING, code STRING);
CREATE TABLE customers (id INT NOT NULL, region STRING, country_id INT NOT NULL);
CREATE TABLE countries (id INT NOT NULL, label STRING);
CREATE TABLE parts (a INT NOT NULL, b INT NOT NULL, size INT);
CREATE TABLE loose (id INT NOT NULL, name STRING);
CREATE TABLE shops (shop INT NOT NULL, town STRING);
ALTER TABLE sales SET TBLPROPERTIES ('viewgate.foreign-keys' = '(product_id) REFERENCES products (id), (customer_id) REFERENCES customers (id), (maybe_id) REFERENCES customers (id), (a, b) REFERENCES parts (a, b)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE products SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE customers SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.foreign-keys' = '(country_id) REFERENCES countries (id)', 'viewgate.trust-constraints' = 'true');
ALTER TABLE countries SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE parts SET TBLPROPERTIES ('viewgate.primary-key' = 'a, b', 'viewgate.trust-constraints' = 'true');
ALTER TABLE shops SET TBLPROPERTIES ('viewgate.primary-key' = 'shop', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO sales VALUES (1, 1, 1, 1, DATE '2024-01-01', 1, 1, 10), (2, 1, 2, NULL, DATE '2024-01-02', 1, 2, 20), (3, 2, 1, 2, DATE '2024-01-02', 1, 1, NULL), (3, 2, 1, NULL, DATE '2024-02-01', 2, 2, 30);
INSERT INTO products VALUES (1, 'x', '1'), (2, NULL, '01'), (3, 'z', '1');
INSERT INTO customers VALUES (1, 'eu', 1), (2, 'us', 2), (3, 'eu', 1);
INSERT INTO countries VALUES (1, 'one'), (2, NULL);
INSERT INTO parts VALUES (1, 1, 5), (1, 2, NULL), (2, 2, 7);
INSERT INTO loose VALUES (1, 'x'), (1, 'y'), (2, 'z');
INSERT INTO shops VALUES (1, 'x'), (2, NULL)
--@ view by_brand
SELECT p.brand, s.maybe_id IS NULL AS unknown, count(*) AS n, sum(s.amount) AS total FROM sales AS s JOIN products AS p ON s.product_id = p.id GROUP BY p.brand, s.maybe_id IS NULL

--@ case: a LEFT join onto a primary key
SELECT p.brand, count(*) AS n FROM sales AS s LEFT JOIN products AS p ON s.product_id = p.id LEFT JOIN customers AS c ON s.customer_id = c.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one with another condition in ON
SELECT p.brand, sum(s.amount) AS t FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN customers AS c ON s.maybe_id = c.id AND c.region = 'eu' GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one by a column that the view lacks, with another condition in ON
SELECT p.brand, sum(s.amount) AS t FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN customers AS c ON s.customer_id = c.id AND c.region = 'eu' GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one with a condition in ON that the kept table alone decides
SELECT p.brand, sum(s.amount) AS t FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN customers AS c ON s.customer_id = c.id AND s.day > DATE '2024-01-01' GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one that only the ON of another unused table names
SELECT p.brand, sum(s.amount) AS t FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN customers AS c ON s.customer_id = c.id LEFT JOIN countries AS k ON c.country_id = k.id AND c.region > k.label GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one without a foreign key, in a derived table
SELECT d.brand, sum(d.amount) AS t FROM (SELECT p.brand, s.amount FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN shops AS h ON s.id = h.shop) AS d GROUP BY d.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one by columns without the names of their tables
SELECT brand, sum(amount) AS t FROM sales JOIN products ON product_id = products.id LEFT JOIN shops ON customer_id = shop AND town = 'x' GROUP BY brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: a RIGHT join from a primary key
SELECT p.brand, sum(s.amount) AS t FROM customers AS c RIGHT JOIN sales AS s ON s.customer_id = c.id AND c.region = 'eu' JOIN products AS p ON s.product_id = p.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: an inner join along a foreign key that is never NULL
SELECT p.brand, sum(s.amount) AS t FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.customer_id = c.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, sum(v.`total`) AS t FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: one after the other, as snowflakes are joined
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.customer_id = c.id JOIN countries AS k ON c.country_id = k.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: a foreign key of two columns
SELECT p.brand, count(*) AS n FROM sales AS s, products AS p, parts AS q WHERE s.product_id = p.id AND q.b = s.b AND s.a = q.a GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: a foreign key that may be NULL drops the rows in which it is
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.maybe_id = c.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_brand__storage AS v WHERE NOT v.`unknown` GROUP BY v.`brand`

--@ case: the same table twice, one of them unused
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.customer_id = c.id LEFT JOIN customers AS d ON s.maybe_id = d.id GROUP BY p.brand
--@ rewritten using by_brand
SELECT v.`brand` AS brand, coalesce(sum(v.`n`), 0) AS n FROM lake.demo.by_brand__storage AS v GROUP BY v.`brand`

--@ case: a filter uses the table
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.customer_id = c.id WHERE c.region = 'eu' GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW customer_id

--@ case: an inner join without a foreign key may drop rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.id = c.id GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW id

--@ case: an inner join by more than the key drops rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers AS c ON s.customer_id = c.id AND s.maybe_id = c.id GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW customer_id

--@ case: a LEFT join onto half a key repeats rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN parts AS q ON s.a = q.a GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW a

--@ case: a LEFT join onto a column that is no key repeats rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT JOIN loose AS l ON s.customer_id = l.id GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW customer_id

--@ case: half of a foreign key finds several rows
SELECT p.brand, count(*) AS n FROM sales AS s, products AS p, parts AS q WHERE s.product_id = p.id AND s.a = q.a GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW a

--@ case: a FULL join brings rows of its own
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id FULL JOIN customers AS c ON s.customer_id = c.id GROUP BY p.brand
--@ kept: UNSUPPORTED a FULL join in a FROM clause with more than two tables is not supported: write FROM with only two tables, joined by FULL JOIN

--@ case: a SEMI join drops rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id WHERE EXISTS (SELECT 1 FROM customers AS c WHERE s.maybe_id = c.country_id) GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW maybe_id

--@ case: a foreign key that holds now need not have held before
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id JOIN customers VERSION AS OF 7 AS c ON s.customer_id = c.id GROUP BY p.brand
--@ kept: UNSUPPORTED customers VERSION AS OF 7 AS c in FROM reads an earlier state: views answer time travel only if each table of the statement has VERSION AS OF or TIMESTAMP AS OF with a literal that names a state of the table, the same one wherever the table is named

--@ case: a LEFT SEMI join onto a primary key drops rows
SELECT p.brand, count(*) AS n FROM sales AS s JOIN products AS p ON s.product_id = p.id LEFT SEMI JOIN customers AS c ON s.customer_id = c.id AND c.region = 'eu' GROUP BY p.brand
--@ kept: COLUMN_NOT_IN_VIEW customer_id
