"""The terms that compute the rows which appends to a block's tables add to the block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewriter.delta.reads import Added, At, Read
from rewriter.model import Change, ChangeKind


def terms(states: Sequence[Change]) -> Iterator[tuple[Read, ...]]:
    """Yield, for each occurrence of a grown table, a term: one read for each of the occurrences with these states.

    law:    new(A ⋈ B) = old(A ⋈ B) + dA ⋈ new(B) + old(A) ⋈ dB, for inner joins and appends, each at exact snapshots
    gives:  A appended, B unchanged: dA ⋈ B alone
    no:     a term that reads the old rows of a table that was empty: it has no rows
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
    """Return the read of the appended rows; for a table that was empty these are all its rows."""
    if change.start is None or change.end is None:
        return At(change.end)
    return Added(change.start, change.end)
