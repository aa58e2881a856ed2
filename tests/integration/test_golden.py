"""The golden corpus on real Spark: decided as the files say, and answered as Spark answers without views.

Spark takes 0.25 s of processor time for a case, 430 s for all. CI tries each second case of a file; tests/golden
executes all of them both ways in DuckDB. `make golden-spark` tries all on Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyhive import exc
from TCLIService import ttypes

from rewriter.model.settings import TIME_ZONE
from tests.golden.corpus import Case, GoldenFile, golden_files, read
from tests.golden.execution import Rows, same_rows
from tests.integration import clients
from tests.integration.gate import Gate

pytestmark = pytest.mark.aside

EACH = int(os.environ.get("VIEWGATE_GOLDEN_EACH", "2"))
# Files that are tried at once: a statement of a few rows leaves Spark waiting for most of its time.
FILES = 4
# Tried with the code that Spark generates, as users have it: each operator and function is in one of these files.
GENERATED = ("functions", "outer_joins", "roll_up", "windows")
AS_USERS = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.shuffle.partitions": "4",
}
# A few rows are one file, which each query over them opens, and not four.
QUICK = {"spark.sql.leafNodeDefaultParallelism": "1"}
FELL_BACK = "The rewritten statement failed"
MATCHED = ("chosen", "not chosen")
# A view and the rule by which it answers, in the log of a query: lake.golden_joins.by_month (roll_up).
_ANSWERED_FROM = re.compile(r"\blake\.\w+\.(\w+) \(\w+\)")


@dataclass(frozen=True)
class Answer:
    """What a client got for a statement: its columns, rows and log, or the error."""

    columns: tuple[tuple[str, str], ...] = ()
    rows: Rows = field(default_factory=list)
    log: str = ""
    error: tuple[str, str] | None = None

    def differs(self, other: Answer, ordered: bool, query: str = "") -> str:
        """Return how another answer to the same query differs; empty if it does not."""
        if self.error != other.error:
            return f"error {self.error or self.rows} and {other.error or other.rows}"
        if self.columns != other.columns:
            return f"columns {self.columns} and {other.columns}"
        same = same_rows(self.rows, other.rows, ordered, query)
        return "" if same else f"rows {self.rows} and {other.rows}"


# Spark counts the columns that it resolves, and shows the count in some errors: name#22900.
_NUMBERED = re.compile(r"(?<=\w)#\d+")


_QUERY = re.compile(r"\s*(?:SELECT|WITH|FROM|VALUES)\b", re.IGNORECASE)


def ask(connection: Any, sql: str) -> Answer:
    """Run a query as a client does."""
    with connection.cursor() as cursor:
        try:
            cursor.execute(sql)
            return Answer(tuple(columns(cursor)), cursor.fetchall(), "\n".join(cursor.fetch_logs()))
        except exc.OperationalError as error:
            status = error.args[0].status
            said = _NUMBERED.sub("", status.errorMessage.splitlines()[0])
            return Answer(error=(status.sqlState, said))


def columns(cursor: Any) -> Iterator[tuple[str, str]]:
    """Yield names and full types; DB-API's description omits the precision of decimals."""
    request = ttypes.TGetResultSetMetadataReq(cursor._operationHandle)
    for column in cursor._connection.client.GetResultSetMetadata(request).schema.columns:
        yield column.columnName, repr(column.typeDesc)


def statements(text: str) -> list[str]:
    """Return the statements of a section, each ended by a semicolon at the end of a line."""
    return [statement for statement in re.split(r";\s*(?:\n|$)", text) if statement.strip()]


def build(run: Any, golden: GoldenFile) -> None:
    """Create the tables, rows and views of a file, in a namespace of their own."""
    namespace = f"lake.golden_{golden.path.stem}"
    run(f"CREATE NAMESPACE {namespace}")
    run(f"USE {namespace}")
    for statement in statements(golden.schema) + statements(golden.rows):
        run(statement)
    for key, value in golden.settings.items():
        run(f"SET {key} = {value}")
    for name, query in golden.plain.items():
        run(f"CREATE VIEW {name} AS {query}")
    for name, query in golden.views.items():
        zone = golden.zones.get(name)
        if zone is not None:
            run(f"SET {TIME_ZONE} = {zone}")
        run(f"CREATE MATERIALIZED VIEW {name} {'WITH DEFERRED REFRESH ' if name in golden.parts else ''}AS {query}")
        if zone is not None:
            run(f"SET {TIME_ZONE} = {golden.settings.get(TIME_ZONE, 'UTC')}")
    for name, part in golden.parts.items():
        run(f"REFRESH MATERIALIZED VIEW {name} WHERE {part}")


def problems(on: Any, off: Any, case: Case) -> Iterator[str]:
    """Yield what differs from the file, or from the answer on a connection with rewriting off."""
    if case.verdict.startswith("kept"):
        yield from kept_otherwise(on, off, case)
        return
    given, plain = ask(on, case.query), ask(off, case.query)
    yield given.differs(plain, in_order(case.query), case.query)
    yield given.log if FELL_BACK in given.log else ""
    yield f"{case.verdict}: {plain.error}" if plain.error else ""
    # The log of a query names the views that answered; where they are others, EXPLAIN REWRITE tells the sizes' part.
    if not case.views <= set(_ANSWERED_FROM.findall(given.log)):
        yield decided_otherwise(case, ask(on, f"EXPLAIN REWRITE {case.query}"))


def kept_otherwise(on: Any, off: Any, case: Case) -> Iterator[str]:
    """Yield how the decision about a query that is kept differs from the file.

    The query has the same text on both connections, so that only Spark's acceptance of it is checked, which EXPLAIN
    REWRITE asks Spark about. If Spark refuses the query, both connections must get the same error, but for the place in
    the text that the message names.
    """
    decided = ask(on, f"EXPLAIN REWRITE {case.query}")
    if not decided.error:
        yield decided_otherwise(case, decided)
        return
    plain = ask(off, f"DESCRIBE QUERY {case.query}" if _QUERY.match(case.query) else case.query)
    if not plain.error or decided.error[0] != plain.error[0]:
        yield f"{case.verdict}: {decided.error}, {plain.error}"


def decided_otherwise(case: Case, explained: Answer) -> str:
    """Return how the decision differs from the file's; among several views that match, the real sizes decide."""
    if explained.error:
        return f"{case.verdict}: {explained.error}"
    tried = explained.rows
    verdicts = {verdict for _, verdict, *_ in tried}
    named = case.views
    if not named:
        return f"it is rewritten: {tried}" if "chosen" in verdicts else ""
    matched = {name.rsplit(".", 1)[1] for name, verdict, *_ in tried if verdict in MATCHED}
    if "not rewritten" in verdicts or not named <= matched or "chosen" not in verdicts:
        return f"not {case.verdict}: {tried}"
    return ""


def in_order(query: str) -> bool:
    """Return whether the order of rows is fixed: an ORDER BY in the corpus always orders different rows."""
    outermost, inner = query, None
    while outermost != inner:
        outermost, inner = re.sub(r"\([^()]*\)", "", outermost), outermost
    return "ORDER BY" in outermost


def tried(gate: Gate, path: Path) -> list[str]:
    """Create a file's tables and views, run its cases, and return what is wrong."""
    golden = read(path)
    with clients.pyhive(gate.port) as on, clients.pyhive(gate.port) as off:
        for connection in (on, off):
            for key, value in (AS_USERS if path.stem in GENERATED else QUICK).items():
                clients.rows(connection, f"SET {key} = {value}")
        build(lambda sql: clients.rows(on, sql), golden)
        clients.rows(off, f"USE lake.golden_{path.stem}")
        for key, value in {**golden.settings, "viewgate.rewrite": "off"}.items():
            clients.rows(off, f"SET {key} = {value}")
        return [
            f"{case.title}\n  {case.query}\n  {problem}"
            for case in golden.cases[::EACH]
            for problem in problems(on, off, case)
            if problem
        ]


@pytest.fixture(scope="module")
def found(gate: Gate, request: pytest.FixtureRequest) -> Iterator[Mapping[Path, Future[list[str]]]]:
    """Return what is wrong with each requested file; Spark runs several side by side."""
    items = (item for item in request.session.items if isinstance(item, pytest.Function))
    paths = [Path(str(item.callspec.params["path"])) for item in items if item.module is request.module]
    with ThreadPoolExecutor(FILES) as threads:
        yield {path: threads.submit(tried, gate, path) for path in paths}


@pytest.mark.parametrize("path", [p for p in golden_files() if not read(p).stale], ids=lambda path: path.stem)
def test_golden(found: Mapping[Path, Future[list[str]]], path: Path) -> None:
    wrong = found[path].result()
    assert not wrong, "\n\n".join(wrong)
