-- The day that never was: on Samoa 29 December 2011 was followed by the 31st.
--@ schema
CREATE TABLE events (at TIMESTAMP, day DATE, n BIGINT);
--@ rows
INSERT INTO events SELECT timestamp_seconds(s), date_add(DATE '2011-12-26', CAST(n % 7 AS INT)), n FROM VALUES
  (1325152799, 1), (1325152800, 2), (1325156400, 3), (1325239199, 4), (1325239200, 5), (1325242800, 6), (1325066400, 7),
  (1325325600, 8), (1324728000, 9), (1327000000, 10) AS e(s, n)
--@ settings
spark.sql.session.timeZone = Pacific/Apia
--@ least
2011-01-01
--@ view by_minute
SELECT date_trunc('minute', at) AS m, sum(n) AS s FROM events GROUP BY 1
--@ view by_day
SELECT date_trunc('day', at) AS d, max(n) AS top FROM events GROUP BY 1
--@ view by_date
SELECT to_date(at) AS d, min(n) AS low FROM events GROUP BY 1
--@ view by_own_date
SELECT day, bit_xor(n) AS bits FROM events GROUP BY day

--@ case: days from minutes
SELECT date_trunc('day', at) AS d, sum(n) AS s FROM events GROUP BY 1
--@ rewritten using by_minute
SELECT date_trunc('DAY', v.`m`) AS d, sum(v.`s`) AS s FROM lake.demo.by_minute__storage AS v GROUP BY date_trunc('DAY', v.`m`)

--@ case: weeks and months from days
SELECT date_trunc('week', at) AS w, date_trunc('month', at) AS m, max(n) AS top FROM events GROUP BY 1, 2
--@ rewritten using by_day
SELECT date_trunc('WEEK', v.`d`) AS w, date_trunc('MONTH', v.`d`) AS m, max(v.`top`) AS top FROM lake.demo.by_day__storage AS v GROUP BY date_trunc('WEEK', v.`d`), date_trunc('MONTH', v.`d`)

--@ case: weeks from dates
SELECT trunc(at, 'WEEK') AS w, min(n) AS low FROM events GROUP BY 1
--@ rewritten using by_date
SELECT trunc(v.`d`, 'WEEK') AS w, min(v.`low`) AS low FROM lake.demo.by_date__storage AS v GROUP BY trunc(v.`d`, 'WEEK')

--@ case: from the day that never was
SELECT max(n) AS top FROM events WHERE at >= '2011-12-30' AND at < '2012-01-01'
--@ rewritten using by_day
SELECT max(v.`top`) AS top FROM lake.demo.by_day__storage AS v WHERE v.`d` >= '2011-12-30' AND v.`d` < '2012-01-01'

--@ case: until it
SELECT max(n) AS top FROM events WHERE at < TIMESTAMP '2011-12-30 00:00:00'
--@ rewritten using by_day
SELECT max(v.`top`) AS top FROM lake.demo.by_day__storage AS v WHERE v.`d` < CAST('2011-12-30 00:00:00' AS TIMESTAMP)

--@ case: until it, by dates
SELECT min(n) AS low FROM events WHERE to_date(at) <= DATE '2011-12-30'
--@ rewritten using by_date
SELECT min(v.`low`) AS low FROM lake.demo.by_date__storage AS v WHERE v.`d` <= CAST('2011-12-30' AS DATE)

--@ case: a date may be one that no time has
SELECT day, bit_xor(n) AS bits FROM events WHERE day = DATE '2011-12-30' GROUP BY day
--@ rewritten using by_own_date
SELECT v.`day` AS day, v.`bits` AS bits FROM lake.demo.by_own_date__storage AS v WHERE v.`day` = CAST('2011-12-30' AS DATE)

--@ case: the midnight of such a date is that of the next
SELECT date_trunc('day', day) AS d, bit_xor(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_own_date
SELECT date_trunc('day', v.`day`) AS d, bit_xor(v.`bits`) AS bits FROM lake.demo.by_own_date__storage AS v GROUP BY date_trunc('day', v.`day`)

--@ case: weeks of such dates
SELECT trunc(day, 'WEEK') AS w, bit_xor(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_own_date
SELECT trunc(v.`day`, 'WEEK') AS w, bit_xor(v.`bits`) AS bits FROM lake.demo.by_own_date__storage AS v GROUP BY trunc(v.`day`, 'WEEK')

--@ case: texts of a date go through its midnight
SELECT date_format(day, 'yyyy-MM') AS m, bit_xor(n) AS bits FROM events GROUP BY 1
--@ rewritten using by_own_date
SELECT date_format(v.`day`, 'yyyy-MM') AS m, bit_xor(v.`bits`) AS bits FROM lake.demo.by_own_date__storage AS v GROUP BY date_format(v.`day`, 'yyyy-MM')

--@ case: the month after
SELECT add_months(trunc(at, 'MONTH'), 1) AS m, min(n) AS low FROM events GROUP BY 1
--@ rewritten using by_date
SELECT add_months(trunc(v.`d`, 'MONTH'), 1) AS m, min(v.`low`) AS low FROM lake.demo.by_date__storage AS v GROUP BY add_months(trunc(v.`d`, 'MONTH'), 1)

--@ case: a text of the missing day plus days, as Spark casts it: the 31st plus a day
SELECT sum(n) AS s FROM events WHERE at >= '2011-12-30' + INTERVAL 1 DAY
--@ rewritten using by_minute
SELECT sum(v.`c0`) AS s FROM (SELECT CAST(sum(v.`s`) AS bigint) AS c0 FROM lake.demo.by_minute__storage VERSION AS OF 2000 AS v WHERE v.`m` >= (date_trunc('MINUTE', CAST('2011-12-30' + INTERVAL '1' DAY AS TIMESTAMP)) + INTERVAL '1' MINUTE) UNION ALL SELECT sum(events_0.n) AS c0 FROM lake.demo.events VERSION AS OF 1000 AS events_0 WHERE events_0.at >= CAST('2011-12-30' + INTERVAL '1' DAY AS TIMESTAMP) AND events_0.at < (date_trunc('MINUTE', CAST('2011-12-30' + INTERVAL '1' DAY AS TIMESTAMP)) + INTERVAL '1' MINUTE)) AS v

--@ case: the missing day plus a week and a day is a date
SELECT day + INTERVAL '1 week 1 day' AS d, bit_xor(n) AS bits FROM events WHERE day + INTERVAL 1 WEEK 1 DAY > DATE '2011-12-30' - INTERVAL '1 week 1 day' GROUP BY 1
--@ rewritten using by_own_date
SELECT v.`day` + INTERVAL '8' DAY AS d, bit_xor(v.`bits`) AS bits FROM lake.demo.by_own_date__storage AS v WHERE (v.`day` + INTERVAL '8' DAY) > CAST('2011-12-22' AS DATE) GROUP BY v.`day` + INTERVAL '8' DAY
