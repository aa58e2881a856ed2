-- `* EXCEPT (columns)` is all columns but those; EXCEPT behind a query is the set operation.
--@ schema
CREATE TABLE sales (region STRING, sex STRING, amount INT);
CREATE TABLE other (region STRING, k INT);
--@ rows
INSERT INTO sales VALUES ('eu', 'm', 1), ('eu', 'f', 2), ('us', 'm', 3), (NULL, NULL, NULL), (NULL, NULL, 7);
INSERT INTO other VALUES ('eu', 1), ('us', 5), (NULL, 2)
--@ view narrow
SELECT region, sex FROM sales
--@ view by_region
SELECT region, sex, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region, sex

--@ case: all columns but one
SELECT * EXCEPT (Amount) FROM sales
--@ rewritten using narrow
SELECT v.`region` AS region, v.`sex` AS sex FROM lake.demo.narrow__storage AS v

--@ case: of one table of two, and another output
SELECT s.* EXCEPT (amount), k + 1 AS next FROM sales AS s JOIN other AS o ON s.region = o.region
--@ rewritten using narrow
SELECT v.`region` AS region, v.`sex` AS sex, other_0.k + 1 AS next FROM lake.demo.narrow__storage VERSION AS OF 2000 AS v, lake.demo.other VERSION AS OF 1001 AS other_0 WHERE v.`region` = other_0.region

--@ case: the columns that are left are the keys of the groups
SELECT * EXCEPT (amount) FROM sales GROUP BY region, sex
--@ rewritten using by_region
SELECT v.`region` AS region, v.`sex` AS sex FROM lake.demo.by_region__storage AS v

--@ case: in a derived table, with a set operation behind
SELECT region, sum(amount) FROM (SELECT * EXCEPT (sex) FROM sales) AS d GROUP BY region EXCEPT SELECT region, k FROM other
--@ rewritten using by_region
SELECT v.`region` AS region, sum(v.`total`) FROM lake.demo.by_region__storage VERSION AS OF 2001 AS v GROUP BY v.`region` EXCEPT SELECT region, k FROM other VERSION AS OF 1001

--@ case: a column that the view lacks
SELECT * EXCEPT (sex) FROM sales
--@ kept: by_region GROUPING_TOO_COARSE the view stores groups, and the query needs rows: create a view without GROUP BY; narrow COLUMN_NOT_IN_VIEW amount

--@ case: a column that is left out may be asked for
SELECT * EXCEPT (region, amount), region FROM sales
--@ rewritten using narrow
SELECT v.`sex` AS sex, v.`region` AS region FROM lake.demo.narrow__storage AS v

--@ case: a qualified column
SELECT * EXCEPT (sales.amount) FROM sales
--@ kept: by_region UNSUPPORTED * EXCEPT (sales.amount) is not supported: list the columns instead of *; narrow UNSUPPORTED * EXCEPT (sales.amount) is not supported: list the columns instead of *

--@ case: two columns of one name
SELECT * EXCEPT (region) FROM sales JOIN other ON sales.region = other.region
--@ kept: by_region UNSUPPORTED * EXCEPT (region) is not supported: list the columns instead of *; narrow UNSUPPORTED * EXCEPT (region) is not supported: list the columns instead of *
