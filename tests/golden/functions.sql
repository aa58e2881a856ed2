-- Functions of texts and numbers that rows and keys are computed by.
--@ schema
CREATE TABLE visits (name STRING, n INT, m INT, price DECIMAL(10,2));
--@ rows
INSERT INTO visits VALUES (' eu ', 7, 3, 1.50), ('eu', -7, 3, 2.25), ('--us', 7, 0, NULL), ('', NULL, 3, 0.00), (NULL, 1, NULL, 3.00), (' us', 10, 3, 1.50)
--@ view by_name
SELECT trim(name) AS place, count(*) AS visits, sum(price) AS total FROM visits GROUP BY trim(name)
--@ view by_rest
SELECT name, try_mod(n, m) AS rest, count(*) AS visits FROM visits GROUP BY name, try_mod(n, m)

--@ case: a key without its blanks, rolled up
SELECT upper(trim(name)) AS place, count(*) AS visits, sum(price) AS total FROM visits WHERE trim(name) <> 'us' GROUP BY upper(trim(name))
--@ rewritten using by_name
SELECT upper(v.`place`) AS place, coalesce(sum(v.`visits`), 0) AS visits, CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS total FROM lake.demo.by_name__storage AS v WHERE v.`place` <> 'us' GROUP BY upper(v.`place`)

--@ case: other characters are cut off, from a key
SELECT btrim(name, '-') AS place, count(*) AS visits FROM visits GROUP BY btrim(name, '-')
--@ rewritten using by_rest
SELECT btrim(v.`name`, '-') AS place, coalesce(sum(v.`visits`), 0) AS visits FROM lake.demo.by_rest__storage AS v GROUP BY btrim(v.`name`, '-')

--@ case: the code of a character
SELECT ascii(name) AS code, count(*) AS visits FROM visits GROUP BY ascii(name)
--@ rewritten using by_rest
SELECT ascii(v.`name`) AS code, coalesce(sum(v.`visits`), 0) AS visits FROM lake.demo.by_rest__storage AS v GROUP BY ascii(v.`name`)

--@ case: the place of a text in a key
SELECT locate('u', name, 2) AS place, count(*) AS visits FROM visits WHERE position('us', lower(name)) >= 1 GROUP BY locate('u', name, 2)
--@ rewritten using by_rest
SELECT locate('u', v.`name`, 2) AS place, coalesce(sum(v.`visits`), 0) AS visits FROM lake.demo.by_rest__storage AS v WHERE locate('us', lower(v.`name`)) >= 1 GROUP BY locate('u', v.`name`, 2)

--@ case: a remainder that is NULL for a divisor of zero
SELECT try_mod(n, m) AS rest, count(*) AS visits FROM visits GROUP BY try_mod(n, m)
--@ rewritten using by_rest
SELECT v.`rest` AS rest, coalesce(sum(v.`visits`), 0) AS visits FROM lake.demo.by_rest__storage AS v GROUP BY v.`rest`

--@ case: a remainder of other numbers
SELECT try_mod(m, n) AS rest, count(*) AS visits FROM visits GROUP BY try_mod(m, n)
--@ kept: by_name GROUPING_TOO_COARSE m; by_rest GROUPING_TOO_COARSE m

--@ case: a function with which blocks are not read
SELECT soundex(name) AS sound, count(*) AS visits FROM visits GROUP BY soundex(name)
--@ kept: by_name UNSUPPORTED the function soundex() is not supported: read the tables in a subquery, which a view can answer, and call soundex() only in the SELECT around the subquery; by_rest UNSUPPORTED the function soundex() is not supported: read the tables in a subquery, which a view can answer, and call soundex() only in the SELECT around the subquery

--@ case: a number in binary digits, counted
SELECT bin(try_mod(n, m)) AS digits, count(*) AS visits FROM visits GROUP BY bin(try_mod(n, m))
--@ rewritten using by_rest
SELECT bin(v.`rest`) AS digits, coalesce(sum(v.`visits`), 0) AS visits FROM lake.demo.by_rest__storage AS v GROUP BY bin(v.`rest`)
