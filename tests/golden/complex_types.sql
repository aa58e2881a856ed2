-- Structures, arrays and maps, and functions that blocks are not read with: views with them answer their own text.
--@ schema
CREATE TABLE visits (id INT NOT NULL, page STRING, tags ARRAY<STRING>, seen STRUCT<at: DATE, n: INT>, more MAP<STRING, INT>)
--@ rows
INSERT INTO visits VALUES (1, '/a/1?x=1', array('p', 'q'), named_struct('at', DATE '2024-01-02', 'n', 3), map('k', 1)), (2, '/a/2', array(), NULL, NULL), (3, '/b\\d/1', NULL, named_struct('at', NULL, 'n', NULL), map()), (4, NULL, array('p', NULL), named_struct('at', DATE '2024-01-02', 'n', 5), map('k', NULL, 'l', 2))
--@ view shaped
SELECT id, named_struct('page', page, 'n', seen.n) AS visit, array(id, seen.n) AS numbers, map('id', id) AS m, size(tags) AS tagged FROM visits
--@ view tagged
SELECT id, tag FROM visits LATERAL VIEW explode(tags) t AS tag
--@ view per_tag
SELECT explode(tags) AS tag, id FROM visits WHERE id < 4
--@ view by_folder
SELECT regexp_extract(page, '^/(\\w+)', 1) AS folder, translate(page, '/', '-') AS last, count(*) AS c, sum(id) AS s FROM visits GROUP BY 1, 2
--@ view upper_tags
SELECT id, transform(tags, x -> upper(x)) AS t, sort_array(map_keys(more)) AS k FROM visits

--@ case: structures, arrays and maps are stored
SELECT id, named_struct('page', page, 'n', seen.n) AS visit, array(id, seen.n) AS numbers, map('id', id) AS m, size(tags) AS tagged FROM visits
--@ rewritten using shaped
SELECT v.`id`, v.`visit`, v.`numbers`, v.`m`, v.`tagged` FROM lake.demo.shaped__storage AS v

--@ case: elements as rows
SELECT id, tag FROM visits LATERAL VIEW explode(tags) t AS tag
--@ rewritten using tagged
SELECT v.`id`, v.`tag` FROM lake.demo.tagged__storage AS v

--@ case: elements as rows in the list of outputs
SELECT explode(tags) AS tag, id FROM visits WHERE id < 4
--@ rewritten using per_tag
SELECT v.`tag`, v.`id` FROM lake.demo.per_tag__storage AS v

--@ case: a text cut by a pattern is a key as any other
SELECT regexp_extract(page, '^/(\\w+)', 1), sum(id) FROM visits GROUP BY 1
--@ rewritten using by_folder
SELECT v.`folder`, sum(v.`s`) FROM lake.demo.by_folder__storage AS v GROUP BY v.`folder`

--@ case: another pattern is another key
SELECT regexp_extract(page, '^/(\\d+)', 1), sum(id) FROM visits GROUP BY 1
--@ kept: by_folder GROUPING_TOO_COARSE page; per_tag VIEW_UNSUPPORTED the function explode() is not supported: read the tables in a subquery, which a view can answer, and call explode() only in the SELECT around the subquery; shaped VIEW_UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested; tagged VIEW_UNSUPPORTED the clause LATERAL VIEW is not supported: read the tables in a subquery, which a view can answer, and write LATERAL VIEW only in the SELECT around the subquery; upper_tags VIEW_UNSUPPORTED the function transform() is not supported: read the tables in a subquery, which a view can answer, and call transform() only in the SELECT around the subquery

--@ case: functions over elements
SELECT id, transform(tags, x -> upper(x)) AS t, sort_array(map_keys(more)) AS k FROM visits
--@ rewritten using upper_tags
SELECT v.`id`, v.`t`, v.`k` FROM lake.demo.upper_tags__storage AS v

--@ case: a field is not taken for a column that is missing
SELECT seen.n, count(*) FROM visits GROUP BY seen.n
--@ kept: by_folder UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested; per_tag UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested; shaped UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested; tagged UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested; upper_tags UNSUPPORTED the column seen.n is a field of a struct, which is not supported: use a column that is not nested
