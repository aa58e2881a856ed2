"""What Viewgate decided about a query, as a client can ask."""

from __future__ import annotations

import re
from typing import Any

from tests.golden.execution import Rows
from tests.integration import clients


def chosen(connection: Any, query: str) -> list[str]:
    """Return the views that answer a query, in the order of its blocks."""
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    if any(verdict == "not rewritten" for _, verdict, *_ in tried):
        return []
    return [view for view, verdict, *_ in tried if verdict == "chosen"]


def answered_blocks(connection: Any, query: str) -> frozenset[str]:
    """Return the SELECTs of a query that views answer; only the first row of a SELECT has its text."""
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    blocks = [block for _, verdict, *_, block in tried if verdict == "chosen"]
    return frozenset(b for b, before in zip(blocks, ["", *blocks], strict=False) if not b or not before.startswith(b))


def reasons(connection: Any, query: str) -> str:
    """Return why no view answers."""
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    return "\n".join(f"{reason} {detail}" for _, _, _, reason, detail, _ in tried)


def rows_read(connection: Any, query: str) -> int | None:
    """Return the estimated number of rows that the chosen plan, or else the original query, reads after pruning.

    Return None without an estimate.
    """
    tried = clients.rows(connection, f"EXPLAIN REWRITE {query}")
    plans = [detail for _, verdict, _, _, detail, _ in tried if verdict == "chosen"]
    told = plans or [detail.partition(", reading the base tables ")[2] for _, _, _, _, detail, _ in tried]
    counts = [re.search(r"([\d,]+) rows\b", detail) for detail in told]
    return max((int(count[1].replace(",", "")) for count in counts if count), default=None)


def rows_both_ways(connection: Any, query: str) -> tuple[Rows, Rows]:
    """Return the rows as a client gets them, and those with rewriting off, in any order."""
    given = clients.rows(connection, query)
    clients.rows(connection, "SET viewgate.rewrite = off")
    plain = clients.rows(connection, query)
    clients.rows(connection, "SET viewgate.rewrite = on")
    return sorted(given, key=repr), sorted(plain, key=repr)
