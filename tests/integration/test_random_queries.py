"""Random queries over random views on real Spark return Spark's own columns, types and rows."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyhive import exc

from tests.integration import clients
from tests.integration.decided import chosen
from tests.integration.gate import Gate
from tests.integration.test_golden import FELL_BACK, Answer, ask, statements
from tests.property.generator import SCHEMA, Case, generate
from tests.property.spark import for_spark

# VIEWGATE_SPARK_SEEDS=FIRST:LAST tries other cases than CI's; `make fuzz-spark` does so, range by range.
FIRST, LAST = (int(n) for n in os.environ.get("VIEWGATE_SPARK_SEEDS", "0:60").split(":"))
# Tables and views take seconds to make: so many queries are asked of each.
QUERIES = 12

ANSI_ERRORS = ("ARITHMETIC_OVERFLOW", "DIVIDE_BY_ZERO")
# What a view that raises an error is to the views over it.
MISSING = "TABLE_OR_VIEW_NOT_FOUND"
# The rules that read stale views, in the log of a query.
LIVE = re.compile(r"\((?:delta|changelog)_union\)")


def test_rewritten_queries_answer_as_spark_does(gate: Gate) -> None:
    with ThreadPoolExecutor(2) as threads:
        tried = list(threads.map(lambda first: shared(gate, first), range(FIRST - FIRST % QUERIES, LAST, QUERIES)))
    hits = sum((counted for counted, _ in tried), Counter[str]())
    problems = [problem for _, found in tried for problem in found]
    sys.stdout.write(f"seeds {FIRST} to {LAST}: {dict(hits)}\n")
    assert not problems, "\n\n".join(problems)
    assert hits["answered"] >= (LAST - FIRST) / 4, "the generator must produce hits, or it proves nothing"


def shared(gate: Gate, first: int) -> tuple[Counter[str], list[str]]:
    """Run the queries that share tables and views; return how many are answered, and what is wrong."""
    seeds = range(max(first, FIRST), min(first + QUERIES, LAST))
    cases = [for_spark(generate(seed, QUERIES), QUERIES) for seed in seeds]
    with clients.pyhive(gate.port) as connection, clients.pyhive(gate.spark_port) as direct:
        hits = Counter(build(connection, direct, cases[0], f"lake.random_{first}"))
        problems = []
        for case in cases:
            verdict = decision(connection, case.query)
            hits[verdict] += 1
            if verdict != "missed":
                given = ask(connection, case.query)
                hits["live"] += LIVE.search(given.log) is not None
                told = f"seed {case.seed}\n{case.views}\n{case.refreshed}\n{case.query}"
                problems += [f"{told}\n{problem}" for problem in difference(connection, case, given)]
    return hits, problems


def build(connection: Any, direct: Any, case: Case, namespace: str) -> Iterator[str]:
    """Create tables, rows and views; a view whose query fails for these rows is skipped, and so are views over it.

    Rows are changed past the proxy, so that views become stale.
    """
    for sql in (f"CREATE NAMESPACE {namespace}", f"USE {namespace}", *statements(SCHEMA), *statements(case.rows)):
        clients.rows(connection, sql.rstrip(";"))
    for name, query in case.plain:
        clients.rows(connection, f"CREATE VIEW {name} AS {query}")
    made = set()
    for name, query in case.views:
        try:
            clients.rows(connection, f"CREATE MATERIALIZED VIEW {name} AS {query}")
            made.add(name)
            yield "views"
        except exc.OperationalError as error:
            if not any(kind in str(error) for kind in (*ANSI_ERRORS, MISSING)):
                raise
            yield "views that raise an error"
    clients.rows(direct, f"USE {namespace}")
    for number, changes in enumerate((case.appended, case.later), start=1):
        for sql in statements(changes):
            clients.rows(direct, sql)
        for name in (name for name, after in case.refreshed if after == number and name in made):
            clients.rows(connection, f"REFRESH MATERIALIZED VIEW {name}")


def decision(connection: Any, query: str) -> str:
    """Return whether views answer a query; `invalid` for a query that Spark refuses."""
    try:
        return "answered" if chosen(connection, query) else "missed"
    except exc.OperationalError:
        return "invalid"


def difference(connection: Any, case: Case, given: Answer) -> Iterator[str]:
    """Yield how the given answer differs from that with rewriting off. Only an error may be absent, of rows that a view
    has absorbed.
    """
    clients.rows(connection, "SET viewgate.rewrite = off")
    plain = ask(connection, case.query)
    clients.rows(connection, "SET viewgate.rewrite = on")
    if plain.error and not given.error and any(kind in plain.error[1] for kind in ANSI_ERRORS):
        return
    if FELL_BACK in given.log:
        yield given.log
    if told := given.differs(plain, ordered=False, query=case.query):
        yield told
