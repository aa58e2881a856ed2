-- Latest and earliest days in a zone whose clocks went back at one minute past midnight: a later instant may have an earlier day.
--@ schema
CREATE TABLE t (g STRING, h INT NOT NULL, ts TIMESTAMP, ntz TIMESTAMP_NTZ, dt DATE);
--@ rows
INSERT INTO t VALUES ('a', 1, TIMESTAMP '2006-10-29 02:30:30Z', TIMESTAMP_NTZ '2006-10-29 00:00:30', DATE '2006-10-29'), ('a', 2, TIMESTAMP '2006-10-29 02:45:00Z', NULL, DATE '2006-10-28'), ('b', 1, NULL, NULL, NULL)
--@ settings
spark.sql.session.timeZone = America/St_Johns
--@ view m
SELECT g, h, min(ts) AS mints, max(ts) AS maxts, max(ntz) AS maxntz, max(dt) AS maxdt FROM t GROUP BY g, h

--@ case: the latest day
SELECT g, max(to_date(ts)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW max(CAST(ts AS DATE))

--@ case: the first of the year
SELECT g, min(date_trunc('year', ts)) AS a FROM t GROUP BY g
--@ kept: AGGREGATE_NOT_IN_VIEW min(timeseries(ts, 'year'))

--@ case: times without a zone
SELECT g, max(to_date(ntz)) AS a, max(year(dt)) AS b FROM t GROUP BY g
--@ rewritten using m
SELECT v.`g` AS g, max(CAST(v.`maxntz` AS DATE)) AS a, max(year(v.`maxdt`)) AS b FROM lake.demo.m__storage AS v GROUP BY v.`g`
