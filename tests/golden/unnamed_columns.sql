-- Columns of derived tables and CTEs that have no alias: Spark's generated names, under * and in backquotes.
--@ schema
CREATE TABLE emps (empid INT NOT NULL, deptno INT, name STRING, salary DECIMAL(10,2), ratio DOUBLE);
CREATE TABLE depts (deptno INT, dept STRING)
--@ rows
INSERT INTO emps VALUES (1, 10, 'Bill', 100.00, 0.5D), (2, 10, 'Ann', NULL, -0.0D), (3, 20, NULL, 7.50, 2.5D), (3, 20, NULL, 7.50, 2.5D), (4, NULL, 'Eve', 1.25, NULL);
INSERT INTO depts VALUES (10, 'Sales'), (20, NULL), (20, 'Twice'), (30, 'Empty'), (NULL, 'None')
--@ view paid
SELECT a.deptno, a.paid, a.people, b.dept FROM (SELECT deptno, sum(salary) AS paid, count(*) AS people FROM emps GROUP BY deptno) AS a JOIN depts AS b ON a.deptno = b.deptno
--@ view people
SELECT empid, deptno, salary FROM emps
--@ view by_dept
SELECT deptno, sum(salary) AS paid, count(salary) AS salaries, count(*) AS cnt FROM emps GROUP BY deptno

--@ case: a star over a join of a grouped derived table
SELECT * FROM (SELECT deptno, sum(salary) FROM emps GROUP BY deptno) AS a JOIN depts AS b ON a.deptno = b.deptno
--@ rewritten using paid
SELECT v.`deptno` AS deptno, v.`paid` AS `sum(salary)`, v.`deptno` AS deptno, v.`dept` AS dept FROM lake.demo.paid__storage AS v

--@ case: a star over expressions
SELECT * FROM (SELECT empid, salary * 2, deptno IS NULL FROM emps) AS t WHERE empid > 1
--@ rewritten using people
SELECT v.`empid` AS empid, v.`salary` * 2 AS `(salary * 2)`, v.`deptno` IS NULL AS `(deptno IS NULL)` FROM lake.demo.people__storage AS v WHERE v.`empid` > 1

--@ case: a star over a CASE and a star of one side
SELECT t.*, d.deptno FROM (SELECT CASE WHEN empid = 1 THEN 0 ELSE 1 END, deptno FROM emps) AS t JOIN depts AS d ON t.deptno = d.deptno
--@ rewritten using people
SELECT CASE WHEN v.`empid` = 1 THEN 0 ELSE 1 END AS `CASE WHEN (empid = 1) THEN 0 ELSE 1 END`, v.`deptno` AS deptno, v.`deptno` AS deptno FROM lake.demo.people__storage VERSION AS OF 2001 AS v, lake.demo.depts VERSION AS OF 1001 AS depts_0 WHERE v.`deptno` = depts_0.deptno

--@ case: a CTE whose aggregate has no alias
WITH totals AS (SELECT deptno, count(*) FROM emps GROUP BY deptno) SELECT * FROM totals WHERE deptno = 10
--@ rewritten using by_dept
WITH totals AS (SELECT v.`deptno` AS deptno, v.`cnt` FROM lake.demo.by_dept__storage AS v) SELECT v.`deptno` AS deptno, v.`cnt` AS `count(1)` FROM lake.demo.by_dept__storage AS v WHERE v.`deptno` = 10

--@ case: a generated name in backquotes
SELECT t.deptno, t.`sum(salary)` FROM (SELECT deptno, sum(salary) FROM emps GROUP BY deptno) AS t JOIN depts AS d ON t.deptno = d.deptno
--@ rewritten using paid
SELECT v.`deptno` AS deptno, v.`paid` AS `sum(salary)` FROM lake.demo.paid__storage AS v

--@ case: a generated name in backquotes of a merged derived table
SELECT sum(`(empid + 1)`), deptno FROM (SELECT empid + 1, deptno FROM emps) AS t GROUP BY deptno ORDER BY deptno
--@ rewritten using people
SELECT sum(v.`empid` + 1), v.`deptno` AS deptno FROM lake.demo.people__storage AS v GROUP BY v.`deptno` ORDER BY 2 ASC NULLS FIRST

--@ case: a name that is not known for certain
SELECT * FROM (SELECT empid, salary + 1.50D FROM emps) AS t WHERE empid > 1
--@ rewritten using people
SELECT v.`empid` AS empid, v.`salary` + CAST(1.50 AS DOUBLE) FROM lake.demo.people__storage AS v WHERE v.`empid` > 1

--@ case: two columns of one generated name under a star
SELECT * FROM (SELECT empid, salary * 2, salary * 2 FROM emps) AS t WHERE empid > 1
--@ rewritten using people
SELECT v.`empid` AS empid, v.`salary` * 2 AS `(salary * 2)`, v.`salary` * 2 AS `(salary * 2)` FROM lake.demo.people__storage AS v WHERE v.`empid` > 1

--@ case: a column that the view lacks
SELECT * FROM (SELECT deptno, max(ratio) FROM emps GROUP BY deptno) AS a JOIN depts AS b ON a.deptno = b.deptno
--@ kept: by_dept TABLES_DIFFER the view reads emps, which this SELECT does not read: create a view over the query's tables; paid AGGREGATE_NOT_IN_VIEW max(ratio); people TABLES_DIFFER the view reads emps, which this SELECT does not read: create a view over the query's tables; by_dept AGGREGATE_NOT_IN_VIEW max(ratio); people COLUMN_NOT_IN_VIEW ratio
