"""Computes the rows that appends to base tables add to a query block, as a UNION ALL of terms.

A term is the block with one read (a table at a snapshot, or the table's appended rows) for each table in FROM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewriter.delta.reads import Added, At, Read
from rewriter.model import Change, ChangeKind


def terms(states: Sequence[Change]) -> Iterator[tuple[Read, ...]]:
    """Yield one term for each table in FROM with appended rows.

    A term is the block with one read for each table in FROM: a tuple of reads in FROM order. `states` are the changes
    of the tables since the view's last refresh, in FROM order. Below, old(A) and new(A) are the rows of a table before
    and after an append, and dA are the appended rows.

    law:    new(A ⋈ B) = old(A ⋈ B) + dA ⋈ new(B) + old(A) ⋈ dB, for inner joins and appends, each at exact snapshots
    gives:  A appended, B unchanged: dA ⋈ B alone
    no:     a term that reads old(A) of a table A that was empty, because the term has no rows
    """
    for grown, change in enumerate(states):
        were_empty = any(_was_empty(before) for before in states[:grown])
        if change.kind is ChangeKind.APPENDED and not were_empty:
            before = (At(state.start) for state in states[:grown])
            after = (At(state.end) for state in states[grown + 1 :])
            yield (*before, _appended(change), *after)


def _was_empty(change: Change) -> bool:
    return change.start is None and change.kind is ChangeKind.APPENDED


def _appended(change: Change) -> Read:
    """Return the read of a table's appended rows: the rows between the two snapshots of `change`.

    If the table had no snapshot before, return the read of all its current rows.
    """
    if change.start is None or change.end is None:
        return At(change.end)
    return Added(change.start, change.end)
