"""Time travel: a statement about an earlier moment, answered from storage that was refreshed at that moment.

    FROM t VERSION AS OF 5 ──catalog──▶ t as snapshot 5 had it, storage as of the refresh that read snapshot 5
                                                        │
                          statement without its clauses ┴─▶ decided as ever ─▶ everything pinned

Which views are fresh then, what matches and what is proved follows from the relations, which are those of that moment.
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
    """Decide which blocks of a time-travel statement to answer from views; raise Unsupported.

    `relations` are as they were: the statement's tables at the moments that its clauses say, storage tables as of a
    refresh then. None where not all of the statement's tables are known so.
    """
    found = {name: relations.get(name) for name in past.moments}
    snapshots = {name: table.snapshots[0].id for name, table in found.items() if isinstance(table, Table)}
    if len(snapshots) < len(found):
        return None
    session = past.statement.session
    outcome = decide(past.statement, definitions, relations).fixed
    if outcome.rewritten and not reads_at_snapshots(outcome.sql(), session):
        return replace(outcome, replacements=())  # a table would be read as it is now

    def dated(replaced: Replacement) -> Replacement:
        return replace(replaced, original=at_snapshots(replaced.original, session, snapshots))

    return replace(outcome, replacements=tuple(map(dated, outcome.replacements)))


def moment_ms(text: str, zone: str) -> int | None:
    """Return the milliseconds since 1970 that Iceberg looks up for a local time; None if ambiguous.

    >>> moment_ms("2024-01-31 12:00:00.0019", "+01:00")
    1706698800001
    """
    moment = read_moment(text, zone)
    return moment.micros // 1000 if moment is not None else None
