-- Keys that other keys, constants and filters determine: a finer view then has one row for each group of the query.
--@ schema
CREATE TABLE sales (id BIGINT NOT NULL, region STRING, code STRING, n INT, dim_id INT NOT NULL, price DECIMAL(10,2), ts TIMESTAMP, local TIMESTAMP_NTZ);
CREATE TABLE zeros (x DOUBLE, n INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, kind STRING);
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
--@ rows
INSERT INTO sales VALUES (1, 'eu', '10', 1, 1, 10.50, TIMESTAMP '2024-01-01 00:30:00', TIMESTAMP_NTZ '2024-01-01 23:30:00'), (2, 'eu', '010', 1, 1, 10.50, TIMESTAMP '2024-01-01 23:30:00', TIMESTAMP_NTZ '2024-01-01 00:30:00'), (3, 'us', '10', 2, 2, 5.00, TIMESTAMP '2024-01-02 12:00:00', NULL), (4, NULL, NULL, NULL, 2, NULL, NULL, NULL), (5, 'eu', '10', 2, 2, 7.25, TIMESTAMP '2024-01-02 01:00:00', TIMESTAMP_NTZ '2024-01-02 01:00:00');
INSERT INTO zeros VALUES (0.0, 1), (-0.0D, 2), (1.5, 1), (NULL, 3);
INSERT INTO dim VALUES (1, 'one', 'a'), (2, 'two', 'a'), (3, NULL, 'b');
--@ view by_region
SELECT region, n, count(DISTINCT price) AS prices, median(price) AS middle FROM sales GROUP BY region, n
--@ view by_code
SELECT code, n, count(DISTINCT price) AS prices FROM sales GROUP BY code, n
--@ view by_day
SELECT timeseries(ts, 'day') AS day, count(DISTINCT n) AS ns FROM sales GROUP BY timeseries(ts, 'day')
--@ view by_local
SELECT CAST(local AS DATE) AS day, count(DISTINCT n) AS ns FROM sales GROUP BY CAST(local AS DATE)
--@ view by_dim
SELECT d.id, d.name, d.kind, count(DISTINCT s.price) AS prices FROM sales s JOIN dim d ON s.dim_id = d.id GROUP BY d.id, d.name, d.kind
--@ view by_text
SELECT x, CAST(x AS STRING) AS t, count(DISTINCT n) AS ns FROM zeros GROUP BY x, CAST(x AS STRING)

--@ case: a key that the filter leaves one value
SELECT n, count(DISTINCT price), median(price) FROM sales WHERE region = 'eu' GROUP BY n
--@ rewritten using by_region
SELECT v.`n` AS n, v.`prices`, v.`middle` FROM lake.demo.by_region__storage AS v WHERE v.`region` = 'eu'

--@ case: a list of two values leaves two
SELECT n, count(DISTINCT price) FROM sales WHERE region IN ('eu', 'us') GROUP BY n
--@ kept: by_code COLUMN_NOT_IN_VIEW region; by_day COLUMN_NOT_IN_VIEW region; by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_local COLUMN_NOT_IN_VIEW region; by_region AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price)

--@ case: of no rows there is a row all the same
SELECT count(DISTINCT price) FROM sales WHERE region = 'eu' AND n = 1
--@ rewritten using by_region
SELECT coalesce(max(v.`prices`), 0) FROM lake.demo.by_region__storage AS v WHERE v.`region` = 'eu' AND v.`n` = 1

--@ case: two texts are one number
SELECT n, count(DISTINCT price) FROM sales WHERE code = 10 GROUP BY n
--@ kept: by_code AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price); by_day COLUMN_NOT_IN_VIEW code; by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_local COLUMN_NOT_IN_VIEW code; by_region COLUMN_NOT_IN_VIEW code

--@ case: NULL is one value, which no comparison finds
SELECT n, count(DISTINCT price) FROM sales WHERE region IS NULL GROUP BY n
--@ rewritten using by_region
SELECT v.`n` AS n, v.`prices` FROM lake.demo.by_region__storage AS v WHERE v.`region` IS NULL

--@ case: not across grouping sets
SELECT n, count(DISTINCT price) FROM sales WHERE region = 'eu' GROUP BY ROLLUP (n)
--@ kept: by_code COLUMN_NOT_IN_VIEW region; by_day COLUMN_NOT_IN_VIEW region; by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_local COLUMN_NOT_IN_VIEW region; by_region AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price)

--@ case: a date is its day
SELECT CAST(ts AS DATE) AS d, count(DISTINCT n) FROM sales GROUP BY CAST(ts AS DATE)
--@ rewritten using by_day
SELECT CAST(v.`day` AS DATE) AS d, v.`ns` FROM lake.demo.by_day__storage AS v

--@ case: a wall clock's day is its date
SELECT timeseries(local, 'day') AS d, count(DISTINCT n) FROM sales GROUP BY timeseries(local, 'day')
--@ rewritten using by_local
SELECT CAST(v.`day` AS TIMESTAMP_NTZ) AS d, v.`ns` FROM lake.demo.by_local__storage AS v

--@ case: a month is many days
SELECT timeseries(ts, 'month') AS d, count(DISTINCT n) FROM sales GROUP BY timeseries(ts, 'month')
--@ kept: by_code GROUPING_TOO_COARSE ts; by_day AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT n); by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_local GROUPING_TOO_COARSE ts; by_region GROUPING_TOO_COARSE ts
SELECT date_trunc('MONTH', ts) AS d, count(DISTINCT n) FROM sales GROUP BY date_trunc('MONTH', ts)

--@ case: a primary key determines its row
SELECT d.id, count(DISTINCT s.price) FROM sales s JOIN dim d ON s.dim_id = d.id GROUP BY d.id
--@ rewritten using by_dim
SELECT v.`id` AS id, v.`prices` FROM lake.demo.by_dim__storage AS v

--@ case: a name is no key
SELECT d.name, count(DISTINCT s.price) FROM sales s JOIN dim d ON s.dim_id = d.id GROUP BY d.name
--@ kept: by_code COLUMN_NOT_IN_VIEW dim_id; by_day COLUMN_NOT_IN_VIEW dim_id; by_dim AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price); by_local COLUMN_NOT_IN_VIEW dim_id; by_region COLUMN_NOT_IN_VIEW dim_id

--@ case: a pinned key of the dimension
SELECT s.n, count(DISTINCT s.price) FROM sales s JOIN dim d ON s.dim_id = d.id WHERE d.id = 2 GROUP BY s.n
--@ kept: by_code COLUMN_NOT_IN_VIEW dim_id; by_day COLUMN_NOT_IN_VIEW dim_id; by_dim GROUPING_TOO_COARSE n; by_local COLUMN_NOT_IN_VIEW dim_id; by_region COLUMN_NOT_IN_VIEW dim_id

--@ case: two zeros are one group, and two texts
SELECT x, count(DISTINCT n) FROM zeros GROUP BY x
--@ kept: AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT n)

--@ case: all keys pinned, and no row left
SELECT count(DISTINCT price) AS prices, median(price) AS middle FROM sales WHERE region = 'nowhere' AND n = 1
--@ rewritten using by_region
SELECT coalesce(max(v.`prices`), 0) AS prices, max(v.`middle`) AS middle FROM lake.demo.by_region__storage AS v WHERE v.`region` = 'nowhere' AND v.`n` = 1

--@ case: all keys pinned, beside what rolls up, under HAVING
SELECT count(DISTINCT price) + 1, min(n), median(price) FROM sales WHERE n = 1 AND region = 'eu' HAVING count(DISTINCT price) > 0
--@ rewritten using by_region
SELECT coalesce(max(v.`prices`), 0) + 1, min(v.`n`), max(v.`middle`) FROM lake.demo.by_region__storage AS v WHERE v.`n` = 1 AND v.`region` = 'eu' HAVING coalesce(max(v.`prices`), 0) > 0

--@ case: one key pinned of two
SELECT count(DISTINCT price), median(price) FROM sales WHERE region = 'eu'
--@ kept: by_code COLUMN_NOT_IN_VIEW region; by_day COLUMN_NOT_IN_VIEW region; by_dim JOIN_DIFFERS the view also joins dim, and no declared key guarantees that this join keeps each row exactly once: declare the keys of the joined tables; by_local COLUMN_NOT_IN_VIEW region; by_region AGGREGATE_DOES_NOT_ROLL_UP count(DISTINCT price)

--@ case: keys pinned by <=> and by IN with one value
SELECT count(DISTINCT price) FROM sales WHERE region <=> 'eu' AND n IN (1)
--@ rewritten using by_region
SELECT coalesce(max(v.`prices`), 0) FROM lake.demo.by_region__storage AS v WHERE v.`region` IS NOT DISTINCT FROM 'eu' AND v.`n` IN (1)
