-- A zone of one offset that is not UTC: the day of an instant is not the day that its text is written with.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, price BIGINT);
--@ rows
INSERT INTO sales VALUES (TIMESTAMP '2024-01-30 12:00:00', 1), (TIMESTAMP '2024-02-01 12:00:00', 2), (TIMESTAMP '2024-03-30 12:00:00', 4), (TIMESTAMP '2024-04-02 00:00:00', 8), (NULL, 16)
--@ settings
spark.sql.session.timeZone = +05:00
--@ view by_date
SELECT CAST(order_time AS DATE) AS d, sum(price) AS s FROM sales GROUP BY CAST(order_time AS DATE)

--@ case: midnight as the text of an instant
SELECT sum(price) AS s FROM sales WHERE order_time >= '2024-01-31 19:00:00+00:00'
--@ rewritten using by_date (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT sum(v.`s`) AS s FROM lake.demo.by_date__storage AS v WHERE v.`d` >= CAST(CAST('2024-01-31 19:00:00+00:00' AS TIMESTAMP) AS DATE)

--@ case: midnight as an instant
SELECT sum(price) AS s FROM sales WHERE order_time >= TIMESTAMP '2024-01-31 19:00:00+00:00'
--@ rewritten using by_date (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT sum(v.`s`) AS s FROM lake.demo.by_date__storage AS v WHERE v.`d` >= CAST(CAST('2024-01-31 19:00:00+00:00' AS TIMESTAMP) AS DATE)

--@ case: up to the last microsecond before it
SELECT sum(price) AS s FROM sales WHERE order_time BETWEEN '2024-01-31 19:00:00+00:00' AND '2024-03-31 18:59:59.999999+00:00'
--@ rewritten using by_date (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT sum(v.`s`) AS s FROM lake.demo.by_date__storage AS v WHERE v.`d` >= CAST(CAST('2024-01-31 19:00:00+00:00' AS TIMESTAMP) AS DATE) AND v.`d` <= CAST(CAST('2024-03-31 18:59:59.999999+00:00' AS TIMESTAMP) AS DATE)

--@ case: midnight as a text of the session's own offset
SELECT sum(price) AS s FROM sales WHERE order_time < '2024-04-01 00:00:00+05:00'
--@ rewritten using by_date (not proved: the filters of the query and the rewritten query are not proved equal)
SELECT sum(v.`s`) AS s FROM lake.demo.by_date__storage AS v WHERE v.`d` < CAST(CAST('2024-04-01 00:00:00+05:00' AS TIMESTAMP) AS DATE)

--@ case: a time without an offset
SELECT sum(price) AS s FROM sales WHERE order_time < '2024-04-01'
--@ rewritten using by_date
SELECT sum(v.`s`) AS s FROM lake.demo.by_date__storage AS v WHERE v.`d` < CAST('2024-04-01' AS DATE)
