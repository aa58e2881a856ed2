"""The decision how to refresh a view, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from rewriter.model.refresh_kind import Kind


@dataclass(frozen=True, slots=True)
class Delta:
    """The part of a refresh that is computed from the rows appended to one source.

    `query` is the SQL that computes this part, `source` the SQL that reads the appended rows, and `rows` the number of
    appended rows.
    """

    query: str
    source: str
    rows: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen way of a refresh, its reason as text, and the statement that writes the new content.

    The statement is `write`, then the name of the table to write to, then `content`. For FRESH and FULL, `write` and
    `content` are empty: FRESH needs no statement, and for FULL the caller builds the statement. `delta` is the part of
    `content` that is computed from appended rows, if only one source has grown; None otherwise.
    """

    kind: Kind
    reason: str
    write: str = ""
    content: str = ""
    delta: Delta | None = None

    @property
    def incremental(self) -> bool:
        """Whether the cost of the refresh depends on the sources' changes only: true for every way except FULL."""
        return self.kind is not Kind.FULL

    @property
    def refreshes(self) -> bool:
        """Whether a refresh is needed: true for every way except FRESH."""
        return self.kind is not Kind.FRESH

    def statement(self, target: str) -> str:
        """Return the SQL statement that updates the table named `target` to the new content.

        >>> Decision(Kind.APPEND, "", "INSERT INTO", "SELECT 1").statement("lake.demo.mv")
        'INSERT INTO lake.demo.mv SELECT 1'
        """
        return f"{self.write} {target} {self.content}"


def full(reason: str) -> Decision:
    """Return the decision to compute a view in full; `reason` says why, for messages."""
    return Decision(Kind.FULL, reason)
