"""What Viewgate decided about a query, asked as a client asks."""

from __future__ import annotations

from typing import Any

from tests.golden.execution import Rows
from tests.integration import clients


def chosen(connection: Any, query: str) -> list[str]:
    """The views that answer a query, in the order of its blocks."""
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    if any(verdict == "not rewritten" for _, verdict, *_ in tried):
        return []
    return [view for view, verdict, *_ in tried if verdict == "chosen"]


def answered_blocks(connection: Any, query: str) -> frozenset[str]:
    """The SELECTs of a query that views answer, by their places in its text."""
    return frozenset(
        block for _, verdict, *_, block in clients.rows(connection, f"EXPLAIN REWRITE {query}") if verdict == "chosen"
    )


def reasons(connection: Any, query: str) -> str:
    """Why the views do not answer it."""
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    return "\n".join(f"{reason} {detail}" for _, _, _, reason, detail, _ in tried)


def rows_both_ways(connection: Any, query: str) -> tuple[Rows, Rows]:
    """The rows as a client gets them, and those with rewriting off; in no order."""
    given = clients.rows(connection, query)
    clients.rows(connection, "SET viewgate.rewrite = off")
    plain = clients.rows(connection, query)
    clients.rows(connection, "SET viewgate.rewrite = on")
    return sorted(given, key=repr), sorted(plain, key=repr)
