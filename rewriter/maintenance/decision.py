"""The decision how to refresh a view, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The ways to refresh a view, the cheapest first."""

    FRESH = "none"
    NOTHING = "nothing"
    APPEND = "append"
    APPEND_MERGE = "append-merge"
    DELTA_JOIN = "delta join"
    CHANGELOG = "changelog"
    PARTITIONS = "partition recompute"
    RETENTION = "retention"
    WIDENED = "more rows"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Delta:
    """The rows appended to a source, as they contribute to a view: `query` computes that from the `rows` rows of
    `source`.
    """

    query: str
    source: str
    rows: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen way of a refresh, its reason as text, and the statement that writes the new content.

    The statement is `write`, the name of the table to write to, then `content`. For FULL the two are empty, and the
    caller supplies them. `delta` is the part of the content that takes in the appended rows of the only grown table.
    """

    kind: Kind
    reason: str
    write: str = ""
    content: str = ""
    delta: Delta | None = None

    @property
    def incremental(self) -> bool:
        """Whether the cost depends on the change and not on all rows."""
        return self.kind is not Kind.FULL

    @property
    def refreshes(self) -> bool:
        """Whether there is anything to refresh."""
        return self.kind is not Kind.FRESH

    def statement(self, target: str) -> str:
        """Return the statement that brings `target` from the recorded content to the new content.

        >>> Decision(Kind.APPEND, "", "INSERT INTO", "SELECT 1").statement("lake.demo.mv")
        'INSERT INTO lake.demo.mv SELECT 1'
        """
        return f"{self.write} {target} {self.content}"


def full(reason: str) -> Decision:
    """Return the decision for a full refresh."""
    return Decision(Kind.FULL, reason)
