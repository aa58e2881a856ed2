"""The script that every client runs: the same statements in the same order, wherever it is connected."""

from __future__ import annotations

TYPES = """
SELECT 1 AS i, CAST(2 AS BIGINT) AS l, CAST(3 AS SMALLINT) AS h, CAST(4 AS TINYINT) AS y, 'x' AS s,
  CAST(NULL AS STRING) AS n, 1.50 AS d, CAST(1.25 AS FLOAT) AS f, 0.1D AS o, true AS b, DATE '2024-02-29' AS day,
  TIMESTAMP '2024-02-29 12:30:00.5' AS t, CAST('2024-02-29 12:30:00' AS TIMESTAMP_NTZ) AS z, array(1, 2) AS a,
  map('k', 1) AS m, named_struct('p', 1, 'q', 'r') AS r, INTERVAL '1' DAY AS v, '' AS empty, 'ü 漢 😀' AS u
"""

# Those that read demo.sales are answered from materialized views by Viewgate, and by the table without it.
STATEMENTS = (
    TYPES,
    "SELECT * FROM VALUES (1, 'a'), (NULL, NULL), (3, '') AS t (Number, `some text`)",
    "SELECT id, repeat('x', 20) AS filler FROM range(1200) ORDER BY id",
    "SELECT * FROM demo.sales WHERE 1=0",
    "SELECT * FROM demo.sales LIMIT 0",
    "SELECT country, sum(quantity) FROM demo.sales GROUP BY country ORDER BY country",
    "SELECT sex, count(*), avg(price) AS `Average` FROM demo.sales GROUP BY sex ORDER BY 1",
    "SELECT country, max(price) FROM demo.sales WHERE country < 'd' GROUP BY country ORDER BY country",
    "/* a remark */ (SELECT year(order_time) AS y, sum(quantity) FROM demo.sales GROUP BY 1) ORDER BY 1 -- the end",
    "SHOW NAMESPACES",
    "SHOW TABLES IN demo LIKE 'sales'",
    "DESCRIBE demo.sales",
    "SHOW FUNCTIONS LIKE 'abs'",
    "CREATE NAMESPACE IF NOT EXISTS clients",
    "CREATE TABLE clients.t (id INT, name STRING) USING iceberg",
    "INSERT INTO clients.t VALUES (1, 'one'), (2, NULL)",
    "SELECT * FROM clients.t ORDER BY id",
    "UPDATE clients.t SET name = 'two' WHERE id = 2",
    "CREATE TEMPORARY VIEW doubled AS SELECT id * 2 AS twice FROM clients.t",
    "SELECT * FROM doubled ORDER BY twice",
    "DROP VIEW doubled",
    "DROP TABLE clients.t",
    "DROP NAMESPACE clients",
    "SET spark.sql.session.timeZone=Asia/Tokyo",
    "SELECT current_timezone(), TIMESTAMP '2024-06-01 00:00:00'",
    "USE demo",
    "SELECT current_catalog(), current_schema(), current_user()",
    "SELECT sum(quantity) FROM sales",
    # What goes wrong, by the parser, by the analyzer, and while it runs.
    "SELEKT 1",
    "",
    "SELECT nope FROM demo.sales",
    "SELECT 1 FROM demo.nope",
    "SELECT country, 1 / sum(0) FROM demo.sales GROUP BY country",
    "SELECT assert_true(id < 5) FROM range(10)",
    "SHOW TABLE EXTENDED IN demo LIKE '*'",
    "SELECT 1",
)

# What a version of the protocol could make a difference to: rows and their types, none, and errors.
BRIEF = (
    TYPES,
    "SELECT * FROM VALUES (1, 'a'), (NULL, NULL), (3, '') AS t (Number, `some text`)",
    "SELECT id, repeat('x', 20) AS filler FROM range(1200) ORDER BY id",
    "SELECT * FROM demo.sales LIMIT 0",
    "SELECT country, sum(quantity) FROM demo.sales GROUP BY country ORDER BY country",
    "SET spark.sql.session.timeZone=Asia/Tokyo",
    "USE demo",
    "SELEKT 1",
    "",
    "SELECT assert_true(id < 5) FROM range(10)",
)
