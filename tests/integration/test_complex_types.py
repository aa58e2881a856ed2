"""Views with structs, arrays and maps on real Spark: created, refreshed by a write, and answering their own text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways

VIEWS = {
    "shaped": "SELECT id, named_struct('page', page, 'n', id + 1) AS visit, map('id', id) AS m, split(page, '/') AS p "
    "FROM visits",
    "tagged": "SELECT id, tag FROM visits LATERAL VIEW explode(tags) t AS tag",
    "folders": "SELECT regexp_extract(page, '^/(\\\\w+)', 1) AS folder, count(*) AS n, collect.k AS k FROM visits "
    "LATERAL VIEW explode(tags) collect AS k GROUP BY 1, 3",
}


def test_they_are_stored_refreshed_and_read(pyhive: Any) -> None:
    def run(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    run("CREATE NAMESPACE IF NOT EXISTS lake.complex")
    run("USE lake.complex")
    run("CREATE TABLE visits (id BIGINT, page STRING, tags ARRAY<STRING>)")
    run("INSERT INTO visits VALUES (1, '/a/1', array('p', 'q')), (2, NULL, array()), (3, '/b', NULL)")
    for name, query in VIEWS.items():
        run(f"CREATE MATERIALIZED VIEW {name} PROPERTIES ('viewgate.refresh.wait' = 'always') AS {query}")
    for write in (
        "INSERT INTO visits VALUES (4, '/a/x', array('p', NULL))",
        "DELETE FROM visits WHERE id = 1",
    ):
        run(write)
        for name, query in VIEWS.items():
            assert chosen(pyhive, query) == [f"lake.complex.{name}"]
            mine, own = rows_both_ways(pyhive, query)
            assert mine == own


@pytest.mark.parametrize("function", ["rand()", "uuid()", "unix_timestamp()", "shuffle(array(1, 2))"])
def test_what_another_run_would_give_otherwise_is_refused(pyhive: Any, function: str) -> None:
    with pytest.raises(Exception, match="0A000"):
        clients.rows(pyhive, f"CREATE MATERIALIZED VIEW demo.changing AS SELECT {function} AS x FROM demo.sales")
