"""Statements as BI tools write them: answered as predicted before they were tried, and with the rows of the tables.

`bi/` has a file for each tool, in the form of golden files but with the verdict only: `rewritten`, by any view, or
`kept` for the given reason. `bi/missed.txt` lists the statements that should be answered from a view but are not, with
the engine's reasons; `UPDATE_GOLDEN=1` writes the list. A statement that is rewritten though `kept` is expected is only
printed; its rows are compared like all others.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import duckdb
import pytest

from rewriter.model import Table
from rewriter.script import Explanation, ScriptError, Workspace, read_script
from tests.golden.corpus import Case, read, time_values
from tests.workloads import bi_data
from tests.workloads.execution import answer, database, same_answer

FOLDER = Path(__file__).parent / "bi"
TOOLS = sorted(path.stem for path in FOLDER.glob("*.sql"))
MISSED = FOLDER / "missed.txt"
_HEAD = "# tool | statement that a view could answer, and none does | reasons of the engine\n"
# Spark raises an error, and DuckDB has a meaning of its own for the letter.
_REFUSED = "refuses the pattern letter u"


@dataclass
class Decision:
    """A statement of the corpus, and the decision about it."""

    case: Case
    rewritten: bool
    sql: str
    reasons: str

    @property
    def expected(self) -> bool:
        """Return whether a view should answer the statement."""
        return self.case.verdict == "rewritten"

    @property
    def missed(self) -> bool:
        """Return whether no view answers although one should."""
        return self.expected and not self.rewritten


@cache
def workspace() -> Workspace:
    """Return the three schemas with their views, fresh; the bounds of storage columns give the begin of their times."""
    read = read_script("\n".join(path.read_text() for path in sorted((FOLDER / "schemas").glob("*.sql"))))
    storages = {view.storage: read.relations[view.storage] for view in read.definitions.views}
    since = str(bi_data.FIRST)
    bounded = {
        name: replace(table, least=tuple(time_values(since, table.columns)))
        for name, table in storages.items()
        if isinstance(table, Table)
    }
    return replace(read, relations={**read.relations, **bounded})


@cache
def decisions(tool: str) -> tuple[Decision, ...]:
    """Return the decision about each statement of a tool."""
    return tuple(_decision(case) for case in read(FOLDER / f"{tool}.sql").cases)


def _decision(case: Case) -> Decision:
    try:
        explanation = workspace().explain(case.query)
    except ScriptError as problem:
        return Decision(case, False, case.query, str(problem))
    return Decision(case, explanation.rewritten, explanation.sql, _reasons(explanation))


def _reasons(explanation: Explanation) -> str:
    near = [a for a in explanation.tried if str(a.reason) != "TABLES_DIFFER"]
    return "; ".join(dict.fromkeys(f"{a.reason} {a.detail}".strip() for a in near)) or explanation.problem


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    """Return a database with the tables' rows and the storage of each view."""
    return database(workspace(), bi_data.tables())


@pytest.mark.parametrize("tool", TOOLS)
def test_answers_have_the_rows_of_the_tables(tool: str, connection: duckdb.DuckDBPyConnection) -> None:
    found = decisions(tool)
    met = [decision for decision in found if decision.rewritten == decision.expected]
    print(f"\n{tool}: {len(met)} of {len(found)} expected verdicts met")  # noqa: T201 - what one looks for in the log
    for decision in found:
        if decision.rewritten and not decision.expected:
            print(f"  rewritten, expected {decision.case.verdict}: {decision.case.title}")  # noqa: T201
    wrong = [d.case.title for d in found if d.rewritten and not same_answer(connection, d.case.query, d.sql)]
    assert not wrong


@pytest.mark.parametrize("tool", TOOLS)
def test_the_rows_say_something_about_each_statement(tool: str, connection: duckdb.DuckDBPyConnection) -> None:
    """A statement without rows would prove nothing."""
    cases = [decision.case for decision in decisions(tool) if _REFUSED not in decision.case.verdict]
    empty = [c.title for c in cases if {value for row in answer(connection, c.query) for value in row} <= {None}]
    assert not empty


def test_every_missed_statement_is_listed() -> None:
    """A listed statement that is now answered is progress; a missed statement that is not listed is a loss."""
    missed = {(tool, d.case.title): d.reasons for tool in TOOLS for d in decisions(tool) if d.missed}
    if os.environ.get("UPDATE_GOLDEN") == "1":
        MISSED.write_text(_HEAD + "".join(f"{tool} | {title} | {why}\n" for (tool, title), why in missed.items()))
    listed = {tuple(line.split(" | ")[:2]) for line in MISSED.read_text().splitlines()[1:]}
    lost, won = sorted(missed.keys() - listed), sorted(listed - missed.keys())
    assert not lost, "no longer answered"
    assert not won, "answered now: UPDATE_GOLDEN=1 takes them off the list"


def test_titles_name_statements() -> None:
    """A title is a key of the list of missed statements."""
    titles = [(tool, decision.case.title) for tool in TOOLS for decision in decisions(tool)]
    assert len(titles) == len(set(titles)) >= 150
    assert all(d.expected or d.case.verdict.startswith("kept: ") for tool in TOOLS for d in decisions(tool))
