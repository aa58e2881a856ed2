-- A zone whose offset changes: buckets at the view's own grain, none rolled up without a proof.
--@ schema
CREATE TABLE sales (order_time TIMESTAMP, local TIMESTAMP_NTZ, price BIGINT);
--@ rows
INSERT INTO sales VALUES (TIMESTAMP '2016-02-23 09:01:30', TIMESTAMP_NTZ '2016-02-23 09:01:30', 2), (NULL, NULL, 1)
--@ settings
spark.sql.session.timeZone = Europe/Berlin
--@ view by_hour
SELECT timeseries(order_time, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(order_time, 'hour')
--@ view local_hour
SELECT timeseries(local, 'hour') AS h, sum(price) AS s FROM sales GROUP BY timeseries(local, 'hour')

--@ case: rolling up is not proved
SELECT timeseries(order_time, 'day'), sum(price) FROM sales GROUP BY 1
--@ kept: by_hour ZONE_NOT_PROVED buckets of Europe/Berlin are not known to nest; local_hour GROUPING_TOO_COARSE order_time
SELECT date_trunc('DAY', order_time) AS `timeseries(order_time, 'day')`, sum(price) FROM sales GROUP BY 1

--@ case: a time without zone rolls up anywhere
SELECT timeseries(local, 'day'), sum(price) FROM sales GROUP BY 1
--@ rewritten using local_hour
SELECT CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ), sum(v.`s`) FROM lake.demo.local_hour__storage AS v GROUP BY CAST(CAST(v.`h` AS DATE) AS TIMESTAMP_NTZ)
