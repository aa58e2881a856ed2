-- A view of the rows with one value: the others are nearly the whole table, which is then read for all of them.
--@ schema
CREATE TABLE sales (region STRING, amount INT, day DATE)
--@ rows
INSERT INTO sales VALUES ('eu', 10, DATE '2024-01-01'), ('eu', NULL, DATE '2024-01-02'), ('us', 5, NULL), (NULL, 7, DATE '2024-01-01')
--@ view europe
SELECT day, sum(amount) AS total, count(*) AS cnt FROM sales WHERE region = 'eu' GROUP BY day

--@ case: the same value
SELECT day, sum(amount) FROM sales WHERE region = 'eu' GROUP BY day
--@ rewritten using europe
SELECT v.`day` AS day, v.`total` FROM lake.demo.europe__storage AS v

--@ case: every value
SELECT day, sum(amount) FROM sales GROUP BY day
--@ kept: VIEW_FILTERS_MORE region = 'eu'
