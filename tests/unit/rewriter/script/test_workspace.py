"""Scripts: what they declare, and the errors of wrong ones."""

from __future__ import annotations

import pytest

from rewriter.model import Column, ForeignKey, Table, TableName
from rewriter.script import ScriptError, Workspace, read_script

SCRIPT = """
-- a star; with keys in every spelling
CREATE TABLE IF NOT EXISTS Dates (
  d_key INT PRIMARY KEY COMMENT 'the; key (1)', d_year INTEGER NOT NULL DEFAULT 1 + (2), `day name` VARCHAR(10) UNIQUE
) USING iceberg PARTITIONED BY (bucket(4, d_key)) TBLPROPERTIES ('x' = 'y');
CREATE TABLE parts (p_key BIGINT NOT NULL, size STRUCT<w: INT, h: DECIMAL(10, 2)>, tags ARRAY<STRING>);
CREATE TABLE facts (
  f_day INT NOT NULL REFERENCES dates, f_part LONG, price DECIMAL(15, 2) CHECK (price > 0), at TIMESTAMP NULL,
  CONSTRAINT pk PRIMARY KEY (f_day, f_part) NOT ENFORCED RELY,
  FOREIGN KEY (f_part) REFERENCES parts (p_key) ON DELETE CASCADE
);
ALTER TABLE parts ADD CONSTRAINT pp PRIMARY KEY (p_key);
INSERT INTO parts VALUES (1, NULL, NULL);
CREATE MATERIALIZED VIEW by_day WITH DEFERRED REFRESH PROPERTIES ('a' = 'as') AS
  SELECT f_day, sum(price) FROM facts GROUP BY f_day;
CREATE OR REPLACE MATERIALIZED VIEW db.by_part (part COMMENT 'its, key', total) COMMENT 'AS' PARTITIONED BY (part)
  AS SELECT f_part, sum(price) FROM facts GROUP BY f_part
"""


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return read_script(SCRIPT)


def table(workspace: Workspace, *name: str) -> Table:
    found = workspace.relations[TableName(("", *name))]
    assert isinstance(found, Table)
    return found


def test_columns(workspace: Workspace) -> None:
    dates = table(workspace, "dates")
    assert [(c.name, c.type, c.nullable) for c in dates.columns] == [
        ("d_key", "int", False), ("d_year", "int", False), ("day name", "string", True),
    ]  # fmt: skip
    assert [c.type for c in table(workspace, "parts").columns] == [
        "bigint", "struct<w:int,h:decimal(10,2)>", "array<string>",
    ]  # fmt: skip


def test_keys(workspace: Workspace) -> None:
    facts = table(workspace, "facts")
    assert facts.primary_key == ("f_day", "f_part")
    assert not any(c.nullable for c in facts.columns[:2])
    assert facts.foreign_keys == (
        ForeignKey(("f_day",), TableName(("", "dates")), ("d_key",)),
        ForeignKey(("f_part",), TableName(("", "parts")), ("p_key",)),
    )
    assert table(workspace, "parts").primary_key == ("p_key",)


@pytest.mark.parametrize(
    "keys",
    [
        """TBLPROPERTIES ('format-version' = '2', 'viewgate.primary-key' = 'id',
           'viewgate.foreign-keys' = '(customer) REFERENCES customers (id); (day) REFERENCES other.days (d)')""",
        """; ALTER TABLE demo.sales SET TBLPROPERTIES ('viewgate.primary-key' = 'id',
           'viewgate.foreign-keys' = '(customer) REFERENCES customers (id); (day) REFERENCES other.days (d)')""",
    ],
)
def test_keys_as_a_server_is_told_them(keys: str) -> None:
    others = "CREATE TABLE demo.customers (id INT PRIMARY KEY); CREATE TABLE other.days (d DATE PRIMARY KEY);"
    made = read_script(f"{others} CREATE TABLE demo.sales (id INT, customer INT, day DATE) {keys};")
    sales = table(made, "demo", "sales")
    assert (sales.primary_key, sales.columns[0].nullable) == (("id",), True)  # a property makes nothing NOT NULL
    assert sales.foreign_keys == (
        ForeignKey(("customer",), TableName(("", "demo", "customers")), ("id",)),
        ForeignKey(("day",), TableName(("", "other", "days")), ("d",)),
    )


def test_views(workspace: Workspace) -> None:
    by_day, by_part = workspace.definitions.views
    assert [(c.name, c.type) for c in by_day.columns] == [("f_day", "int"), ("sum(price)", "decimal(25,2)")]
    assert [c.name for c in by_part.columns] == ["part", "total"]
    assert str(by_part.storage) == "db.by_part__storage"
    assert [(c.name, c.type) for c in table(workspace, "db", "by_part__storage").columns] == [
        ("part", "bigint"), ("total", "decimal(25,2)"), ("viewgate_rows_0", "bigint"),
        ("viewgate_count_1", "bigint"),
    ]  # fmt: skip


def test_names_are_compared_without_case(workspace: Workspace) -> None:
    assert workspace.explain("SELECT F_Day, SUM(Price) FROM FACTS GROUP BY f_day").views == ("by_day",)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("SELECT 1", "line 1: expected a statement that a script can contain, found `SELECT 1`: write CREATE TABLE"),
        ("USE a.b", "found `USE a.`: write"),
        ("CREATE DATABASE shop", "found `CREATE DATABASE shop`: write"),
        ("\n\nCREATE TABLE t (a MONEY)", "line 3: the type of the column a is wrong: MONEY is not a type of Spark; "),
        ("CREATE TABLE t", r"line 1: expected \(, found its end"),
        ("CREATE TABLE t (a INT", r"line 1: expected \), found its end"),
        ("CREATE TABLE t (a INT, A INT)", "the table t has two columns named a; rename one of them"),
        ("CREATE TABLE t (a INT); CREATE TABLE T (b INT)", "the table T is created twice"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (b))", "t has no column b; its columns are a"),
        ("CREATE TABLE t (a INT REFERENCES u)", "the table u does not exist; create it earlier in the script"),
        ("CREATE TABLE u (x INT); CREATE TABLE t (a INT REFERENCES u)",
         r"the foreign key \(a\) and the referenced columns \(\) of u differ in number: name as many columns of u"),
        ("CREATE TABLE u (x INT, y INT PRIMARY KEY);\nCREATE TABLE t (a INT REFERENCES u (x))",
         r"line 2: the foreign key \(a\) references \(x\), which is not a key of u: declare PRIMARY KEY \(x\) or"),
        ("CREATE TABLE u (x INT, y INT, UNIQUE (x, y)); CREATE TABLE t (a INT REFERENCES u (x))", "not a key of u"),
        ("CREATE TABLE t (a INT);\nCREATE MATERIALIZED VIEW v\nPARTITIONED BY (b) AS SELECT a FROM t",
         "line 3: the view v cannot be partitioned: PARTITIONED BY names b, which is not a column of v: its columns "
         "are a"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v PARTITIONED BY (a, days(a)) AS SELECT a FROM t",
         r"PARTITIONED BY days\(a\): a has the type INT, but days\(\) takes DATE or TIMESTAMP or TIMESTAMP_NTZ"),
        (("CREATE TABLE t (a DATE); CREATE MATERIALIZED VIEW v PARTITIONED BY (hours(a)) AS "
"SELECT a FROM t"), "type DATE"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v PARTITIONED BY (weeks(a)) AS SELECT a FROM t",
         r"weeks\(a\) is not supported: write a column, years\(c\)"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v PARTITIONED BY (bucket(a)) AS SELECT a FROM t", "n, c"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v PARTITIONED BY a AS SELECT a FROM t", r"expected \("),
        ("ALTER TABLE t ADD PRIMARY KEY (a)", "the table t does not exist"),
        ("ALTER TABLE t RENAME TO u", "expected ADD PRIMARY KEY, ADD FOREIGN KEY or SET TBLPROPERTIES, found `RENAME`"),
        ("CREATE TABLE t (a INT) TBLPROPERTIES ('viewgate.primary-key' = 'a b')", "line 1: .* not a list of columns"),
        ("CREATE TABLE t (a INT) TBLPROPERTIES ('viewgate.primary-key' = 'b')", "t has no column b; its columns are a"),
        ("CREATE TABLE t (a STRING DEFAULT 'x)", "the script cannot be parsed: .*look for a quote"),
        (
            "CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
            "line 1: the materialized view v cannot be created: t is not created earlier in the script",
        ),
        ("CREATE TABLE t (a INT);\nCREATE MATERIALIZED VIEW v AS SELECT rand() AS r FROM t", "line 2: .*rand"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT ceiling(a) FROM t", "give the output an alias"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW t AS SELECT a FROM t", "already has a table or view"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT sum(a), sum(A) FROM t",
         r"v cannot be created: two columns are named `sum\(a\)`: give one of them another alias"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v (x, y) AS SELECT a FROM t GROUP BY ROLLUP (a)",
         "v cannot be created: the column list of the view has"),
        ("CREATE MATERIALIZED VIEW v SELECT 1", "expected AS, found its end"),
        ("CREATE TABLE t (a INT); CREATE OR REPLACE MATERIALIZED VIEW t AS SELECT a FROM t", "already has a table or"),
        ("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; CREATE VIEW v AS SELECT a FROM t",
         "already has a table or view named v: choose another name"),
        ("CREATE TABLE t (a INT);\nALTER MATERIALIZED VIEW v ADD COLUMNS (a)",
         "line 2: the materialized view v does not exist; create it earlier in the script"),
        ("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;\nALTER MATERIALIZED VIEW v ADD COLUMNS (a)",
         "line 2: the materialized view v does not exist"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t UNION SELECT a FROM t;\n"
         "ALTER MATERIALIZED VIEW v ADD COLUMNS (a)", "line 2: .* not a single SELECT … FROM"),
        ("CREATE TABLE t (a INT, b INT); CREATE MATERIALIZED VIEW v (c) AS SELECT a FROM t;\n"
         "ALTER MATERIALIZED VIEW v ADD COLUMNS (a + b)", "line 2: .* give each added column a name with AS"),
        ("CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t;\n"
         "ALTER MATERIALIZED VIEW v ADD COLUMNS (a +)", r"line 2: ADD COLUMNS \(a \+\) cannot be parsed: "),
        ("ALTER MATERIALIZED VIEW v DISABLE REWRITE", r"expected ADD COLUMNS \(…\), found `DISABLE`"),
    ],
)  # fmt: skip
def test_a_wrong_script_says_where_and_what_to_do(script: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        read_script(script)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (" ", "the query is empty: write a SELECT"),
        ("SELECT a FROM nope", ("the query reads nope, which the script does not create: create nope, or "
"read by_day")),
        ("DELETE FROM facts", "DELETE FROM facts cannot be explained: write a query"),
        ("SELECT price FROM facts WHERE", "the query cannot be parsed"),
        ("SELECT 'x FROM facts", "the query cannot be parsed: line 1, column 8: ' is not closed"),
        ("SELECT timeseries(price, 'day') FROM facts", "the query cannot be rewritten: the type of price is DECIMAL"),
    ],
)  # fmt: skip
def test_a_wrong_query_says_what_is_wrong(workspace: Workspace, query: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        workspace.explain(query)


def test_what_a_view_may_be_partitioned_by_and_a_foreign_key_reference() -> None:
    script = """
    CREATE TABLE u (x INT UNIQUE, y INT, z DATE, CONSTRAINT both UNIQUE (y, x));
    CREATE TABLE t (a INT REFERENCES u (x), b INT, FOREIGN KEY (a, b) REFERENCES u (x, y));
    CREATE MATERIALIZED VIEW v COMMENT 'as' PARTITIONED BY (`Y`, days(z), bucket(16, x), truncate(10, y))
        PROPERTIES ('a' = 'b') AS SELECT * FROM u
    """
    outcome = read_script(script).rewrite("SELECT y FROM u WHERE x = 1")
    assert [replacement.view.name.table for replacement in outcome.replacements] == ["v"]


LAYERED = """
CREATE TABLE sales (id INT, region STRING, amount INT);
CREATE VIEW eu (id, r, amount) AS SELECT id, region, amount FROM sales WHERE region = 'eu';
CREATE MATERIALIZED VIEW by_day AS SELECT region, id % 7 AS day, sum(amount) AS s FROM sales GROUP BY region, id % 7;
CREATE MATERIALIZED VIEW by_region AS SELECT region, sum(s) AS s FROM by_day GROUP BY region;
CREATE MATERIALIZED VIEW last AS SELECT r, max(id) AS id FROM eu GROUP BY r;
"""


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("SELECT sum(amount) FROM eu", "by_region"),
        ("SELECT region, sum(s) FROM by_day GROUP BY region", "by_region"),
        ("SELECT max(id) FROM sales WHERE region = 'eu'", "last"),
    ],
)
def test_views_over_views(query: str, view: str) -> None:
    outcome = read_script(LAYERED).rewrite(query)
    assert [replacement.view.name.table for replacement in outcome.replacements] == [view]


BY_COUNTRY = """
CREATE TABLE sales (country STRING, sex STRING, price INT);
CREATE MATERIALIZED VIEW by_country PARTITIONED BY (country) AS SELECT country, sum(price) FROM sales GROUP BY country;
CREATE MATERIALIZED VIEW above AS SELECT max(country) AS last FROM by_country;
CREATE VIEW plain AS SELECT country FROM sales;
"""


@pytest.mark.parametrize(
    ("change", "query", "views"),
    [
        ("CREATE OR REPLACE MATERIALIZED VIEW By_Country AS SELECT country, max(price) FROM sales GROUP BY country",
         "SELECT max(price) FROM sales", ("by_country",)),
        ("CREATE OR REPLACE MATERIALIZED VIEW by_country AS SELECT country, max(price) FROM sales GROUP BY country",
         "SELECT sum(price) FROM sales", ()),
        # A view over the replaced view reads the new query.
        ("CREATE OR REPLACE MATERIALIZED VIEW by_country AS SELECT sex AS country FROM sales GROUP BY sex",
         "SELECT max(sex) FROM sales", ("above",)),
        ("CREATE OR REPLACE VIEW plain AS SELECT sum(price) AS s FROM sales", "SELECT s FROM plain", ("by_country",)),
        ("ALTER MATERIALIZED VIEW by_country ADD COLUMNS (max(price) AS top, min(price))",
         "SELECT max(price), min(price), sum(price) FROM sales", ("by_country",)),
        ("ALTER MATERIALIZED VIEW by_country ADD COLUMN (max(price));"
         "ALTER MATERIALIZED VIEW by_country ADD COLUMNS (count(price))", "SELECT max(price), avg(price) FROM sales",
         ("by_country",)),
        ("CREATE MATERIALIZED VIEW by_sex (s, total) AS SELECT sex, sum(price) FROM sales GROUP BY sex;"
         "ALTER MATERIALIZED VIEW by_sex ADD COLUMNS (max(price) AS top)", "SELECT max(top) FROM by_sex", ("by_sex",)),
    ],
)  # fmt: skip
def test_a_view_can_be_changed(change: str, query: str, views: tuple[str, ...]) -> None:
    assert read_script(f"{BY_COUNTRY} {change};").explain(query).views == views


def test_a_plain_view_that_cannot_be_read_is_refused_with_the_line() -> None:
    with pytest.raises(
        ScriptError,
        match="line 2: the view v cannot be created: the column list of the view has",
    ):
        read_script("CREATE TABLE t (a INT, b INT);\nCREATE VIEW v (x) AS SELECT a, b FROM t;")


def test_a_script_that_creates_nothing() -> None:
    with pytest.raises(
        ScriptError, match="the query reads t, which the script does not create: create t, or read nothing"
    ):
        read_script("-- to come").explain("SELECT a FROM t")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM u INTERSECT SELECT a FROM t",
        "SELECT a AS b FROM t INTERSECT SELECT a FROM u",
        "SELECT a + 1 FROM t INTERSECT SELECT a FROM u",
    ],
)
def test_a_view_of_a_set_operation_has_the_columns_of_its_branches(query: str) -> None:
    both = "CREATE TABLE t (a INT); CREATE TABLE u (a INT);"
    workspace = read_script(f"{both} CREATE MATERIALIZED VIEW v AS SELECT a FROM t INTERSECT SELECT a FROM u;")
    assert next(iter(workspace.definitions.views)).columns == (Column("a", "int"),)
    assert workspace.explain(query).rewritten == ("+ 1" not in query)
