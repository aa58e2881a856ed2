"""The workloads as files: a script of tables and views, and queries with the expected verdict of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("ssb", "tpch")
_QUERY = re.compile(r"^--@ (\S+): (answered|kept)\n", re.MULTILINE)


@dataclass
class Query:
    """A query, and whether a view answers it or a part of it."""

    name: str
    answered: bool
    sql: str


def script(workload: str) -> str:
    """Return the script of CREATE TABLE and CREATE MATERIALIZED VIEW."""
    return (FOLDER / workload / "schema.sql").read_text()


def queries(workload: str) -> list[Query]:
    """Return the queries in order."""
    parts = _QUERY.split((FOLDER / workload / "queries.sql").read_text())[1:]
    return [Query(parts[i], parts[i + 1] == "answered", parts[i + 2].strip()) for i in range(0, len(parts), 3)]


def write(workload: str, found: list[Query]) -> None:
    """Write the queries with their current verdicts."""
    text = "".join(f"--@ {q.name}: {'answered' if q.answered else 'kept'}\n{q.sql}\n" for q in found)
    (FOLDER / workload / "queries.sql").write_text(text)
