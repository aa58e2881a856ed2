-- Conditions on a BOOLEAN that may be NULL, in several spellings.
--@ schema
CREATE TABLE clicks (id INT NOT NULL, fraud BOOLEAN, paid BOOLEAN, price INT)
--@ rows
INSERT INTO clicks VALUES (1, true, true, 10), (2, false, NULL, 20), (3, NULL, false, 30), (3, NULL, false, 30), (4, false, true, NULL)
--@ view clean
SELECT id, price FROM clicks WHERE NOT coalesce(fraud, false)
--@ view unpaid
SELECT id, fraud FROM clicks WHERE coalesce(paid, true) = false

--@ case: IS NOT TRUE
SELECT id FROM clicks WHERE fraud IS NOT TRUE
--@ rewritten using clean
SELECT v.`id` AS id FROM lake.demo.clean__storage AS v

--@ case: false or unknown
SELECT id FROM clicks WHERE fraud = false OR fraud IS NULL
--@ rewritten using clean
SELECT v.`id` AS id FROM lake.demo.clean__storage AS v

--@ case: the complement with nvl() and <=>
SELECT sum(price) AS price FROM clicks WHERE NOT (nvl(fraud, false) <=> true)
--@ rewritten using clean
SELECT sum(v.`price`) AS price FROM lake.demo.clean__storage AS v

--@ case: coalesce() compared with FALSE
SELECT id FROM clicks WHERE coalesce(fraud, false) = false AND price > 5
--@ rewritten using clean
SELECT v.`id` AS id FROM lake.demo.clean__storage AS v WHERE v.`price` > 5

--@ case: coalesce() with TRUE takes only FALSE
SELECT id FROM clicks WHERE NOT coalesce(paid, true)
--@ rewritten using unpaid
SELECT v.`id` AS id FROM lake.demo.unpaid__storage AS v

--@ case: NOT of a column takes only FALSE
SELECT id, fraud FROM clicks WHERE NOT paid
--@ rewritten using unpaid
SELECT v.`id` AS id, v.`fraud` AS fraud FROM lake.demo.unpaid__storage AS v

--@ case: only false, of a view that also has unknown
SELECT id FROM clicks WHERE NOT fraud
--@ kept: clean COLUMN_NOT_IN_VIEW fraud; unpaid VIEW_FILTERS_MORE coalesce(paid, TRUE) = FALSE

--@ case: the opposite
SELECT id FROM clicks WHERE coalesce(fraud, false)
--@ kept: clean VIEW_FILTERS_MORE NOT coalesce(fraud, FALSE); unpaid VIEW_FILTERS_MORE coalesce(paid, TRUE) = FALSE

--@ case: unknown counts as true
SELECT id FROM clicks WHERE coalesce(fraud, true)
--@ kept: clean VIEW_FILTERS_MORE NOT coalesce(fraud, FALSE); unpaid VIEW_FILTERS_MORE coalesce(paid, TRUE) = FALSE

--@ case: coalesce() of two columns
SELECT id FROM clicks WHERE NOT coalesce(fraud, paid)
--@ kept: clean VIEW_FILTERS_MORE NOT coalesce(fraud, FALSE); unpaid VIEW_FILTERS_MORE coalesce(paid, TRUE) = FALSE
