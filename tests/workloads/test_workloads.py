"""TPC-H and SSB over their views: answered as expected, and with the same rows as without views.

A query that is answered though its file says `kept` is progress: `UPDATE_GOLDEN=1` records it, and from then on it must
stay so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import duckdb
import pytest

from rewriter.script import Explanation, Workspace, read_script
from tests.golden.execution import rows_of
from tests.workloads import data
from tests.workloads.corpus import NAMES, queries, script, write
from tests.workloads.execution import database, same_answer


@dataclass(frozen=True)
class Loaded:
    """A workload, its schema and views, and a database with its rows."""

    name: str
    workspace: Workspace
    connection: duckdb.DuckDBPyConnection


@pytest.fixture(scope="module", params=NAMES)
def loaded(request: pytest.FixtureRequest) -> Loaded:
    workspace = read_script(script(request.param))
    return Loaded(request.param, workspace, database(workspace, data.TABLES[request.param]()))


def test_workload(loaded: Loaded) -> None:
    name, connection = loaded.name, loaded.connection
    known = queries(name)
    explained = {query.name: loaded.workspace.explain(query.sql) for query in known}
    wrong = [
        q.name
        for q in known
        if explained[q.name].rewritten and not same_answer(connection, q.sql, explained[q.name].sql)
    ]
    print(f"\n{name}: {_share(explained)}")  # noqa: T201 - the share is what one looks for in the log
    if os.environ.get("UPDATE_GOLDEN") == "1":
        known = [replace(query, answered=explained[query.name].rewritten) for query in known]
        write(name, known)
    assert not wrong
    assert not [query.name for query in known if query.answered and not explained[query.name].rewritten]


def _share(explained: Mapping[str, Explanation]) -> str:
    answered = [query for query, explanation in explained.items() if explanation.rewritten]
    kept = ", ".join(query for query in explained if query not in answered) or "none"
    return f"{len(answered)} of {len(explained)} queries answered from views; left to the tables: {kept}"


def test_the_data_says_something_about_each_query(loaded: Loaded) -> None:
    """A query without rows would prove nothing."""
    rows = {query.name: rows_of(loaded.connection, query.sql) for query in queries(loaded.name)}
    empty = [query for query, found in rows.items() if {value for row in found for value in row} <= {None}]
    assert not empty
