"""The virtual tables `viewgate.system.…`: statements, digests, views, refreshes, upstreams and sessions.

The rows of each table are collected from all worker processes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from proxy.answering.virtual_tables import LONGEST, Row, VirtualSchema
from proxy.catalog import Catalogs
from proxy.journal import Journal, Record, Uses, digests
from proxy.pipeline import UNREADABLE, of_each, status_or_outage
from proxy.session import ClientSession, Sessions
from proxy.upstream import Upstreams
from rewriter.model import MaterializedView, Table, TableName

CATALOG, NAMESPACE = "viewgate", "system"
MOST = 2_000_000  # the most characters of rows added to a statement

_PHASES = dict.fromkeys(("planned_ms", "queued_ms", "executed_ms", "fetched_ms"), "DOUBLE")
_WORKER = {"worker": "INT"}

# The columns of each table, with their types.
TABLES: Mapping[str, Mapping[str, str]] = {
    "statements": {
        **_WORKER,
        **dict.fromkeys(("id", "session", "user", "client", "kind", "state", "outcome", "reason"), "STRING"),
        **dict.fromkeys(("started", "ended"), "TIMESTAMP"),
        "milliseconds": "BIGINT",
        **_PHASES,
        **dict.fromkeys(("rows", "bytes"), "BIGINT"),
        **dict.fromkeys(("considered", "matched", "chosen", "tables", "storages"), "STRING"),
        **dict.fromkeys(("answer", "sqlstate", "error"), "STRING"),
        **dict.fromkeys(("statement", "rewritten", "upstream", "trace_id"), "STRING"),
    },
    "digests": {
        **_WORKER,
        **dict.fromkeys(("statements", "from_views", "failed", "milliseconds", "slowest"), "BIGINT"),
        **dict.fromkeys(("answer", "digest"), "STRING"),
    },
    "views": {
        "view": "STRING",
        **dict.fromkeys(("considered", "matched", "chosen", "executed", "failed"), "BIGINT"),
        "last_chosen": "TIMESTAMP",
        **dict.fromkeys(("status", "reason"), "STRING"),
        "refreshed_at": "TIMESTAMP",
        "lag_seconds": "DOUBLE",
        **dict.fromkeys(("rows", "bytes"), "BIGINT"),
        "last_way": "STRING",
        **dict.fromkeys(("last_milliseconds", "last_rows"), "BIGINT"),
        "next_due": "TIMESTAMP",
        **dict.fromkeys(("saved_milliseconds", "compared", "refreshes", "refresh_milliseconds"), "BIGINT"),
    },
    "refreshes": {
        **_WORKER,
        **dict.fromkeys(("view", "way", "cause", "state"), "STRING"),
        **dict.fromkeys(("started", "ended"), "TIMESTAMP"),
        **dict.fromkeys(("milliseconds", "rows"), "BIGINT"),
        "error": "STRING",
    },
    "upstreams": {
        **_WORKER,
        **dict.fromkeys(("upstream", "state"), "STRING"),
        **dict.fromkeys(("sessions", "most_sessions", "statements", "most_statements"), "INT"),
        **dict.fromkeys(("statements_waiting", "sessions_waiting"), "INT"),
        "longest_wait_seconds": "DOUBLE",
        "problem": "STRING",
    },
    "sessions": {
        **_WORKER,
        **dict.fromkeys(("session", "user", "client", "principal"), "STRING"),
        "running": "INT",
        "idle_seconds": "BIGINT",
        "has_upstream_session": "BOOLEAN",
    },
}

SYSTEM = VirtualSchema(((CATALOG, NAMESPACE),), TABLES, MOST, own=True)


QUESTION = b"system"  # the topic of these questions among workers
_USES = (
    "considered",
    "matched",
    "chosen",
    "executed",
    "failed",
    "saved_milliseconds",
    "compared",
    "refreshes",
    "refresh_milliseconds",
)

# Returns the answers of all workers to a question in bytes, by worker number.
Ask = Callable[[bytes, bytes], Awaitable[Mapping[int, Any]]]


class SystemRows:
    """The source of the rows of `viewgate.system`: the journal, the catalog, the sessions and the upstreams.

    `ask` sends a request to all workers, including this one. `due_ms` returns the time of each view's next scheduled
    refresh, in milliseconds since 1970; the result is empty except in the worker that runs the schedule. If a method
    gets a `user`, only that user's statements and sessions are returned; with None, those of all users.
    """

    def __init__(
        self,
        journal: Journal,
        catalogs: Catalogs,
        sessions: Callable[[], Sessions],
        upstreams: Callable[[], Upstreams],
        ask: Ask,
        due_ms: Callable[[], Mapping[TableName, int]] = dict,
    ) -> None:
        self._journal = journal
        self._catalogs = catalogs
        self._sessions = sessions
        self._upstreams = upstreams
        self._ask = ask
        self._due_ms = due_ms
        self._tables: dict[str, Callable[[str | None], Iterator[Row]]] = {
            "statements": self._statements,
            "refreshes": lambda _: (refresh.values() for refresh in journal.refreshes),
            "upstreams": lambda _: self._of_upstreams(),
            "sessions": self._of_sessions,
            "uses": lambda _: self._uses(),
        }

    async def rows(self, table: str, user: str | None) -> Sequence[Row]:
        """Return the rows of a table from all workers, the latest first; in the table `views`, the most used views come
        first.

        Only the rows that `user` may see are returned (None: all rows).
        """
        if table == "views":
            return await self._views()
        about = json.dumps([table, user]).encode()
        found = await self._ask(QUESTION, about)
        rows = [{"worker": worker, **row} for worker, rows in sorted(found.items()) for row in rows]
        return sorted(rows, key=lambda row: -(row.get("started") or 0))

    async def answer(self, about: bytes) -> list[dict[str, Any]]:
        """Return this process's rows of a table as JSON values, with times in milliseconds since 1970.

        `about` is a JSON list: the table's name, and the user whose rows are requested (null for all users).
        """
        table, user = json.loads(about)
        if table == "digests":
            rows: Iterable[Row] = await asyncio.to_thread(digests, self._ended(user))
        else:
            rows = self._tables[table](user)
        return [{name: plain(value) for name, value in row.items()} for row in rows]

    def _statements(self, user: str | None) -> Iterator[Row]:
        return (record.values() for record in self._journal if user in (None, record.user))

    def _ended(self, user: str | None) -> list[Record]:
        return [record for record in self._journal if record.has_ended and user in (None, record.user)]

    def _of_upstreams(self) -> Iterator[Row]:
        upstreams = self._upstreams()
        for place in upstreams.places:
            yield {
                "upstream": str(place.upstream),
                "state": place.standing,
                "sessions": place.sessions,
                "most_sessions": place.terms.sessions,
                "statements": place.statements.taken,
                "most_statements": place.terms.statements,
                "statements_waiting": place.statements.waiting,
                "sessions_waiting": upstreams.waiting,
                "longest_wait_seconds": round(max(place.statements.longest_wait, upstreams.longest_wait), 3),
                "problem": place.problem and place.problem.message,
            }

    def _of_sessions(self, user: str | None) -> Iterator[Row]:
        return (_of_session(one) for one in self._sessions().all if user in (None, one.user))

    def _uses(self) -> Iterator[Row]:
        used, due_ms = self._journal.usage.views, self._due_ms()
        for view in {**used, **due_ms}:
            uses = used.get(view, Uses())
            last = uses.refresh.values() if uses.refresh is not None else None
            counts = {name: getattr(uses, name) for name in _USES}
            yield {"view": str(view), **counts, "chosen_ms": uses.chosen_ms, "last": last, "due_ms": due_ms.get(view)}

    async def _views(self) -> list[Row]:
        """Return one row per view with the counts of its uses in all workers, the view used in most statements first.

        Views whose metadata cannot be read are included, with the reason.
        """
        found = (await self._ask(QUESTION, json.dumps(["uses", None]).encode())).values()
        uses: dict[str, list[Row]] = {}
        for row in (row for rows in found for row in rows):
            uses.setdefault(row["view"], []).append(row)
        views = await self._catalogs.definitions()
        storages = (await self._catalogs.look([view.storage for view in views], ())).relations
        rows = await of_each(views, lambda view: self._view(view, storages[view.storage], uses.get(str(view.name), [])))
        for name, reason in self._catalogs.broken.items():
            counts = _counts(name, uses.get(str(name), []))
            rows.append({**dict.fromkeys(TABLES["views"]), **counts, "status": UNREADABLE, "reason": reason})
        return sorted(rows, key=lambda row: (-row["executed"], row["view"]))

    async def _view(self, view: MaterializedView, storage: object, uses: Sequence[Row]) -> Row:
        now = await status_or_outage(self._catalogs, view)
        refreshes: list[Row] = [row["last"] for row in uses if row["last"]]
        last = max(refreshes, key=lambda refresh: refresh["ended"], default={})
        return {
            **_counts(view.name, uses),
            "status": now.word,
            "reason": now.reason or None,
            "refreshed_at": now.refreshed_at and plain(datetime.fromisoformat(now.refreshed_at)),
            "lag_seconds": now.lag_s(time.time_ns() // 1_000_000),
            "rows": storage.records if isinstance(storage, Table) else None,
            "bytes": storage.size if isinstance(storage, Table) else None,
            **{f"last_{name}": last.get(name) for name in ("way", "milliseconds", "rows")},
            "next_due": next((row["due_ms"] for row in uses if row["due_ms"] is not None), None),
        }


def _counts(view: TableName, uses: Sequence[Row]) -> Row:
    """Return one row with the view's name, how often it was used (the sums over all workers), and the last time of a
    use.

    `uses` has one row of counts per worker.
    """
    return {
        "view": str(view),
        **{name: round(sum(row[name] for row in uses)) for name in _USES},
        "last_chosen": max((row["chosen_ms"] for row in uses if row["chosen_ms"]), default=None),
    }


def _of_session(session: ClientSession) -> Row:
    running = sum(not operation.done for operation in session.operations.values())
    return {
        "session": session.id,
        "user": session.user,
        "client": session.client,
        "principal": session.principal,
        "running": running,
        "idle_seconds": 0 if running or session.waited_for else int(time.monotonic() - session.used_at),
        "has_upstream_session": session.upstream.attached,
    }


def plain(value: Any) -> Any:
    """Return a value in a form that JSON supports: a time becomes milliseconds since 1970.

    A text is cut after LONGEST characters, a dict is converted value by value, and any other value is returned
    unchanged.
    """
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return value[:LONGEST] if isinstance(value, str) else value
