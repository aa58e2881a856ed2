"""The decision about a refresh, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The ways of a refresh, from the cheapest."""

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
    """The contribution of appended rows to a view: `query` computes it from the `rows` rows of `source`."""

    query: str
    source: str
    rows: int


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen way of a refresh, its reason as text, and the statement that writes the new content.

    `write` and `content` stand before and after the name of what is written to; those of FULL are for who runs it, and
    empty until then. `delta` stands in the content where that takes in the appended rows of one table, read once.
    """

    kind: Kind
    reason: str
    write: str = ""
    content: str = ""
    delta: Delta | None = None

    @property
    def incremental(self) -> bool:
        """Whether the cost follows the change and not the history."""
        return self.kind is not Kind.FULL

    @property
    def refreshes(self) -> bool:
        """Whether there is anything to refresh."""
        return self.kind is not Kind.FRESH

    def statement(self, target: str) -> str:
        """Return the statement that brings a target from the recorded content to the new one.

        >>> Decision(Kind.APPEND, "", "INSERT INTO", "SELECT 1").statement("lake.demo.mv")
        'INSERT INTO lake.demo.mv SELECT 1'
        """
        return f"{self.write} {target} {self.content}"


def full(reason: str) -> Decision:
    """Return the decision for a full refresh."""
    return Decision(Kind.FULL, reason)
