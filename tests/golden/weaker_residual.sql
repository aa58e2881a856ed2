-- What a view leaves to be asked of a predicate, where it does not show all that the predicate is about.
--@ schema
CREATE TABLE t (id INT NOT NULL, d INT, k INT, s STRING);
--@ rows
INSERT INTO t VALUES (1, 10, 1, 'abc'), (2, 10, 3, 'ab'), (2, 10, 3, 'ab'), (3, 10, 4, 'x'), (4, 20, 3, 'ab'), (5, NULL, 5, NULL), (6, 10, 5, NULL), (7, 10, NULL, 'a')
--@ view v_small
SELECT id, s FROM t WHERE d = 10 AND k > 2

--@ case: a branch that the view excludes
SELECT id FROM t WHERE d = 10 AND k > 2 AND (d <> 10 OR s = 'ab')
--@ rewritten using v_small
SELECT v.`id` AS id FROM lake.demo.v_small__storage AS v WHERE v.`s` = 'ab'

--@ case: a part of a branch that the view applies
SELECT id FROM t WHERE (d = 10 AND k > 2 AND s LIKE 'a%') OR (k >= 3 AND d = 10 AND s = 'x')
--@ rewritten using v_small
SELECT v.`id` AS id FROM lake.demo.v_small__storage AS v WHERE ((v.`s` LIKE 'a%') OR (v.`s` = 'x'))

--@ case: a branch that cannot be true beside the view's range
SELECT id FROM t WHERE d = 10 AND k > 2 AND (k < 2 OR s = 'x' OR d IS NULL)
--@ rewritten using v_small
SELECT v.`id` AS id FROM lake.demo.v_small__storage AS v WHERE v.`s` = 'x'

--@ case: nested
SELECT id FROM t WHERE d = 10 AND k > 2 AND ((k > 0 AND (s = 'x' OR d = 20)) OR (k = 2 AND s = 'ab'))
--@ rewritten using v_small
SELECT v.`id` AS id FROM lake.demo.v_small__storage AS v WHERE v.`s` = 'x'

--@ case: a branch about a column that is not shown
SELECT id FROM t WHERE d = 10 AND k > 2 AND (k = 3 OR s = 'x')
--@ kept: COLUMN_NOT_IN_VIEW k

--@ case: a part that the view does not apply
SELECT id FROM t WHERE d = 10 AND k > 2 AND ((k > 3 AND s = 'x') OR s = 'ab')
--@ kept: COLUMN_NOT_IN_VIEW k

--@ case: under NOT a branch makes no difference where it is unknown, either
SELECT id FROM t WHERE d = 10 AND k > 2 AND NOT (d = 10 AND s = 'x')
--@ rewritten using v_small
SELECT v.`id` AS id FROM lake.demo.v_small__storage AS v WHERE NOT (v.`s` = 'x')
