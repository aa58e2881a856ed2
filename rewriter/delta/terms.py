"""Computes how changes of base tables change the rows of a query block, as a UNION ALL of terms.

A read is a way to read one table: all rows at a snapshot, or only the appended or changed rows. A term is the block
with one read chosen for each table in FROM, and is represented by the tuple of these reads in FROM order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewriter.delta.reads import Added, At, Changed, Read
from rewriter.model import Change, ChangeKind


def terms(changes: Sequence[Change]) -> Iterator[tuple[Read, ...]]:
    """Yield one term for each table in FROM with appended or changed rows: the result rows that these rows contribute.

    A term is the tuple of the reads of all tables in FROM order. For `A JOIN B` with rows appended to both tables, the
    terms are (appended rows of A, current rows of B) and (rows of A before its appends, appended rows of B): the tables
    before the table with the appended rows are read as before their appends, the tables after it with their current
    rows. `changes` are the changes of the tables since the view's last refresh, in FROM order. Below, old(A) and new(A)
    are the rows of a table before and after a change, and dA are the appended rows, or the inserted rows minus the
    deleted rows: a result row with a deleted row counts negatively.

    law:    new(A ⋈ B) = old(A ⋈ B) + dA ⋈ new(B) + old(A) ⋈ dB, for inner joins, each at exact snapshots
    gives:  A changed, B unchanged: dA ⋈ B alone
    no:     a term that reads old(A) of a table A that was empty, because the term has no rows
    """
    for grown, change in enumerate(changes):
        were_empty = any(_was_empty(before) for before in changes[:grown])
        if change.kind in (ChangeKind.APPENDED, ChangeKind.CHANGED) and not were_empty:
            before = (At(each.start) for each in changes[:grown])
            after = (At(each.end) for each in changes[grown + 1 :])
            yield (*before, _read(change), *after)


def _was_empty(change: Change) -> bool:
    return change.start is None and change.kind is ChangeKind.APPENDED


def _read(change: Change) -> Read:
    """Return the read of a table's appended or changed rows between the two snapshots of `change`.

    If the table had no snapshot before the change, return the read of all its current rows.
    """
    if change.start is None or change.end is None:
        return At(change.end)
    return (Added if change.kind is ChangeKind.APPENDED else Changed)(change.start, change.end)
