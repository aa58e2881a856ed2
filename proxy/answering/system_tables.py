"""The tables `viewgate.system.…`: statements, views, refreshes, upstreams and sessions, for queries and charts."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.answering.virtual_tables import VirtualSchema

CATALOG, NAMESPACE = "viewgate", "system"
MOST = 2_000_000  # characters by which a statement may be lengthened

_PHASES = dict.fromkeys(("planned_ms", "queued_ms", "executed_ms", "fetched_ms"), "DOUBLE")
_WORKER = {"worker": "INT"}

# The columns of each table with their types.
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
