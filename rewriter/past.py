"""Time travel: decides how to answer a query AS OF an earlier snapshot or time from views.

A view answers such a query if its storage table, at one of its own snapshots, was refreshed from the same snapshots of
the tables.

FROM t VERSION AS OF 5 ──catalog──▶ t at snapshot 5, storage tables refreshed from snapshot 5
                                                    │
                  statement without these clauses ──┴─▶ decided as usual ─▶ every relation pinned to its snapshot

The relations as of that time determine which views are fresh, which match, and what the verifier proves.
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

    `relations` are the relations at the earlier time: the statement's tables as its clauses specify, and storage tables
    as of a refresh that read these. Return None if the state of one of the statement's tables at that time is unknown;
    raise Unsupported for an invalid `timeseries` call. `past` is the statement without its clauses, with the point in
    time of each table.
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
    """Return the milliseconds since 1970 that Iceberg looks up for a local time in a zone.

    Return None if the text is not a time, or if the local time is ambiguous.

    >>> moment_ms("2024-01-31 12:00:00.0019", "+01:00")
    1706698800001
    """
    moment = read_moment(text, zone)
    return moment.micros // 1000 if moment is not None else None
