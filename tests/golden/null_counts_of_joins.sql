-- How often a column of the right side of a LEFT join is NULL: its NOT NULL columns are NULL, too, in rows without a match.
--@ schema
CREATE TABLE owners (id INT NOT NULL, country STRING);
CREATE TABLE tickets (id INT NOT NULL, owner INT, fee INT, state STRING);
ALTER TABLE tickets SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true')
--@ rows
INSERT INTO owners VALUES (1, 'de'), (2, NULL), (3, 'fr'), (3, 'fr');
INSERT INTO tickets VALUES (1, 1, 10, 'open'), (2, 1, NULL, 'open'), (3, 2, NULL, NULL), (4, 9, 5, 'shut')
--@ view by_state
SELECT t.state, count(*) AS cnt, count(t.id) AS ids, count(t.fee) AS fees FROM owners AS o LEFT JOIN tickets AS t ON t.owner = o.id GROUP BY t.state

--@ case: the rows
SELECT count(*) FILTER (WHERE t.fee IS NULL) AS missing, count(o.id) FILTER (WHERE t.fee IS NULL) AS owners FROM owners AS o LEFT JOIN tickets AS t ON t.owner = o.id
--@ rewritten using by_state
SELECT coalesce(sum(v.`cnt` - v.`fees`), 0) AS missing, coalesce(sum(v.`cnt` - v.`fees`), 0) AS owners FROM lake.demo.by_state__storage AS v

--@ case: a NOT NULL column of the right side
SELECT count(t.id) FILTER (WHERE t.fee IS NULL) AS missing FROM owners AS o LEFT JOIN tickets AS t ON t.owner = o.id
--@ kept: COLUMN_NOT_IN_VIEW fee

--@ case: a primary key, counted once
SELECT count(DISTINCT t.id) FILTER (WHERE t.fee IS NULL) AS missing FROM owners AS o LEFT JOIN tickets AS t ON t.owner = o.id
--@ kept: COLUMN_NOT_IN_VIEW fee

--@ case: the rows in which the column is not NULL
SELECT count(CASE WHEN t.fee IS NOT NULL THEN t.fee END) AS there FROM owners AS o LEFT JOIN tickets AS t ON t.owner = o.id
--@ rewritten using by_state
SELECT coalesce(sum(v.`fees`), 0) AS there FROM lake.demo.by_state__storage AS v
