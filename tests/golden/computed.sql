-- Outputs that the view has computed, and what can be computed from its outputs.
--@ schema
CREATE TABLE sales (id INT, price INT, quantity INT, name STRING, day DATE);
--@ rows
INSERT INTO sales VALUES (1, 2, 3, 'Ab', DATE '2024-02-29'), (2, NULL, 5, NULL, NULL), (3, 7, 0, 'b%c', DATE '2023-12-31'), (3, 7, 0, 'b%c', DATE '2023-12-31')
--@ view mv
SELECT id, price * quantity AS revenue, upper(name) AS uname, year(day) AS y, CASE WHEN price > 5 THEN 'high' ELSE 'low' END AS class FROM sales

--@ case: a computed output is read
SELECT price * quantity FROM sales
--@ rewritten using mv
SELECT v.`revenue` FROM lake.demo.mv__storage AS v

--@ case: computed further
SELECT id + 1, price * quantity - 1 AS less, coalesce(upper(name), '-') FROM sales WHERE price * quantity > 5 AND upper(name) LIKE 'A%'
--@ rewritten using mv
SELECT v.`id` + 1, v.`revenue` - 1 AS less, coalesce(v.`uname`, '-') FROM lake.demo.mv__storage AS v WHERE v.`revenue` > 5 AND v.`uname` LIKE 'A%'

--@ case: aggregated
SELECT year(day), sum(price * quantity), count(*) FROM sales GROUP BY year(day)
--@ rewritten using mv
SELECT v.`y`, sum(v.`revenue`), count(*) FROM lake.demo.mv__storage AS v GROUP BY v.`y`

--@ case: CASE as an output and as a key
SELECT CASE WHEN price > 5 THEN 'high' ELSE 'low' END, count(*) FROM sales GROUP BY CASE WHEN price > 5 THEN 'high' ELSE 'low' END
--@ rewritten using mv
SELECT v.`class`, count(*) FROM lake.demo.mv__storage AS v GROUP BY v.`class`

--@ case: the parts of a computed output are not there
SELECT price FROM sales
--@ kept: COLUMN_NOT_IN_VIEW price

--@ case: operands in another order are the same expression
SELECT quantity * price FROM sales
--@ rewritten using mv
SELECT v.`revenue` FROM lake.demo.mv__storage AS v

--@ case: parentheses are kept where they matter
SELECT (id + price * quantity) * 2, id - (id - 1) FROM sales WHERE NOT (id = 1 OR id = 2)
--@ rewritten using mv
SELECT (v.`id` + v.`revenue`) * 2, v.`id` - (v.`id` - 1) FROM lake.demo.mv__storage AS v WHERE NOT ((v.`id` = 1) OR (v.`id` = 2))

--@ case: a unit is no column of its name
SELECT id, date_add(DAY, 1, day) AS next FROM sales
--@ kept: COLUMN_NOT_IN_VIEW day
