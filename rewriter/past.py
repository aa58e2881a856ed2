"""Time travel: decides how to answer a query AS OF an earlier snapshot or time from views.

A view answers a query AS OF an earlier time if the view's storage table has a snapshot that was refreshed from the same
snapshots of the base tables that the query reads.

FROM t VERSION AS OF 5 ──catalog──▶ t at snapshot 5, storage tables refreshed from snapshot 5
                                                    │
               statement without its AS OF clauses ─┴─▶ decided as usual ─▶ every relation pinned to its snapshot

The state of the relations at the earlier time determines which views are fresh, which views match, and whether the
verifier proves the plans.
"""

from __future__ import annotations

from dataclasses import replace

from rewriter.engine import decide
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.model import Table
from rewriter.outcome import Outcome, Replacement
from rewriter.sql import Travel, at_snapshots, reads_at_snapshots
from rewriter.timeseries.literals import read_moment


def rewrite_past(past: Travel, definitions: Definitions, relations: Relations) -> Outcome | None:
    """Decide which blocks of a time-travel statement to answer from views.

    `past` is the statement without its AS OF clauses, with the point in time of each table. `relations` has each table
    of the statement at that time, and each storage table as of a refresh that read the tables at that time. Return None
    if the state of one of the statement's tables at that time is unknown; raise Unsupported for an invalid `timeseries`
    call.
    """
    found = {name: relations.get(name) for name in past.moments}
    snapshots = {name: table.snapshots[0].id for name, table in found.items() if isinstance(table, Table)}
    if len(snapshots) < len(found):
        return None
    session = past.statement.session
    outcome = decide(past.statement, definitions, relations).fixed
    if outcome.rewritten and not reads_at_snapshots(outcome.sql(), session):
        return replace(outcome, replacements=())  # the rewritten SQL would read some table in its current state

    def dated(replaced: Replacement) -> Replacement:
        return replace(replaced, original=at_snapshots(replaced.original, session, snapshots))

    return replace(outcome, replacements=tuple(map(dated, outcome.replacements)))


def moment_ms(text: str, zone: str) -> int | None:
    """Return the time of `TIMESTAMP AS OF text`, in milliseconds since 1970, for a session in the time zone `zone`.

    Digits after the milliseconds are cut off. Return None if `text` is not a time, or if the local time is ambiguous.

    >>> moment_ms("2024-01-31 12:00:00.0019", "+01:00")
    1706698800001
    """
    moment = read_moment(text, zone)
    return moment.micros // 1000 if moment is not None else None
