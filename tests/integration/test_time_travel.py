"""Queries about the past on real Spark: answered from storage of that time, with the rows of that time."""

from __future__ import annotations

import re
from typing import Any

from tests.integration import clients
from tests.integration.test_golden import FELL_BACK, ask

ROWS = "SELECT id, CAST(id % 7 AS INT) AS region, id % 100 AS amount FROM range({}, {})"
VIEW = "SELECT region, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region"
NAMED = "SELECT r.name, sum(s.amount) AS total FROM sales AS s JOIN regions AS r ON r.id = s.region GROUP BY r.name"
QUERY = "SELECT region % 2 AS odd, sum(amount), count(*) FROM sales {} GROUP BY region % 2"
GROWTH = "SELECT region % 2 AS odd, sum(amount) AS s FROM sales {} GROUP BY region % 2"
JOINED = "SELECT r.name, sum(s.amount) FROM sales {} AS s JOIN regions {} AS r ON r.id = s.region GROUP BY r.name"


def test_the_past_is_answered_from_the_storage_of_that_moment(pyhive: Any, direct: Any) -> None:
    def run(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    def now(table: str) -> tuple[int, str]:
        """Return the current snapshot and the time at which it became current."""
        query = f"SELECT snapshot_id, made_current_at FROM lake.travel.{table}.history ORDER BY made_current_at DESC"
        snapshot, made = clients.rows(direct, f"{query} LIMIT 1")[0]
        return snapshot, str(made)

    def answered(sql: str) -> str:
        """Return what answered, after checking that rows and columns are the original's."""
        run("SET viewgate.rewrite = off")
        plain = ask(pyhive, sql)
        run("SET viewgate.rewrite = on")
        given = ask(pyhive, sql)
        assert not given.differs(plain, ordered=False), sql
        assert FELL_BACK not in given.log
        found = re.search(r"answered from lake\.travel\.(\w+)", given.log)
        return found[1] if found else plain.error[0] if plain.error else ""

    run("CREATE NAMESPACE lake.travel")
    run("USE lake.travel")
    run(f"CREATE TABLE sales AS {ROWS.format(0, 5)}")
    earliest, _ = now("sales")
    run(f"INSERT INTO sales {ROWS.format(5, 5000)}")
    run("CREATE TABLE regions AS SELECT CAST(id AS INT) AS id, concat('region ', id % 3) AS name FROM range(7)")
    run(f"CREATE MATERIALIZED VIEW by_region WITH DEFERRED REFRESH AS {VIEW}")
    run(f"CREATE MATERIALIZED VIEW by_name WITH DEFERRED REFRESH AS {NAMED}")
    for view in ("by_region", "by_name"):
        run(f"REFRESH MATERIALIZED VIEW {view}")
    first, made = now("sales")
    regions, _ = now("regions")
    run("ALTER TABLE sales CREATE TAG eom")
    run("ALTER TABLE sales CREATE BRANCH audit")
    clients.rows(direct, f"INSERT INTO lake.travel.sales {ROWS.format(5000, 6000)}")
    between, _ = now("sales")
    clients.rows(direct, "DELETE FROM lake.travel.sales WHERE id < 100")
    run("REFRESH MATERIALIZED VIEW by_region")
    last, _ = now("sales")
    for clause in (
        f"VERSION AS OF {first}", "FOR VERSION AS OF 'eom'", "VERSION AS OF 'audit'", f"VERSION AS OF {last}",
        f"FOR SYSTEM_VERSION AS OF '{first}'", "VERSION AS OF 'main'", f"TIMESTAMP AS OF '{made}'",
        f"FOR SYSTEM_TIME AS OF TIMESTAMP '{made}'",
    ):  # fmt: skip
        assert answered(QUERY.format(clause)) == "by_region", clause
    assert answered(JOINED.format(f"VERSION AS OF {first}", f"VERSION AS OF {regions}")) == "by_name"
    assert answered(JOINED.format(f"VERSION AS OF {last}", f"VERSION AS OF {regions}")) == "by_region"
    assert answered(JOINED.format(f"VERSION AS OF {first}", "")) == ""
    assert answered(QUERY.format(f"VERSION AS OF {earliest}")) == ""
    assert answered(QUERY.format(f"VERSION AS OF {between}")) in ("by_region", "")  # live, where that costs less
    assert answered(QUERY.format("VERSION AS OF 'nothing'")) != ""
    change = (
        f"SELECT a.odd, b.s - a.s FROM ({GROWTH.format('')}) AS a JOIN ({GROWTH.format(f'VERSION AS OF {first}')}) AS b"
    )
    assert answered(f"{change} ON a.odd = b.odd") == "by_region"  # of now; then is read from the table
    run("SET spark.sql.session.timeZone = Europe/Berlin")
    at = clients.rows(direct, f"SELECT date_format(TIMESTAMP '{made}' + INTERVAL 1 HOUR, 'yyyy-MM-dd HH:mm:ss.SSS')")
    assert answered(QUERY.format(f"TIMESTAMP AS OF '{at[0][0]}'")) == "by_region"
    run("SET spark.sql.session.timeZone = UTC")
    (chosen,) = (
        row for row in run(f"EXPLAIN REWRITE {QUERY.format('VERSION AS OF ' + str(first))}") if row[1] == "chosen"
    )
    assert "proved" in chosen[4]
    clients.rows(direct, "ALTER TABLE lake.travel.sales ADD COLUMN extra INT")
    assert answered(QUERY.format(f"VERSION AS OF {first}")) == "by_region"
    assert answered(QUERY.format("VERSION AS OF 'audit'")) == ""  # which is read with the columns of now
    clients.rows(direct, "ALTER TABLE lake.travel.sales RENAME COLUMN amount TO quantity")
    assert answered(QUERY.format(f"VERSION AS OF {first}")) == "by_region"
