"""How often each view was of use since the start, statement by statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from proxy.session import OperationState
from rewriter.model import TableName

if TYPE_CHECKING:
    from proxy.journal.record import Record
    from proxy.journal.refresh import Refresh


@dataclass(slots=True)
class Uses:
    """Of a view: in how many statements it was tried, could answer, was chosen, and was read to the statement's end.

    `failed` counts the statements whose rewriting Spark could not run. `chosen_ms` is when it was last chosen, in
    milliseconds since 1970, `refresh` the last refresh here that has ended.
    """

    considered: int = 0
    matched: int = 0
    chosen: int = 0
    executed: int = 0
    failed: int = 0
    chosen_ms: int | None = None
    refresh: Refresh | None = None


class Usage:
    """The uses of all views, each statement counted when its execution ends.

    >>> Usage().views
    mappingproxy({})
    """

    def __init__(self) -> None:
        self._views: dict[TableName, Uses] = {}

    @property
    def views(self) -> Mapping[TableName, Uses]:
        """The uses of the views that were tried."""
        return MappingProxyType(self._views)

    def ended(self, record: Record) -> None:
        """Count a statement for each view that was tried for it."""
        choice = record.choice
        ran = record.state is OperationState.FINISHED and not record.fell_back
        for view in choice.considered:
            uses = self._views.setdefault(view, Uses())
            uses.considered += 1
            uses.matched += view in choice.matched
            if view in choice.chosen:
                uses.chosen += 1
                uses.executed += ran
                uses.chosen_ms = record.ended_ms

    def closed(self, record: Record) -> None:
        """Count a statement that had to be run as it was sent, which may be seen as late as at its first rows."""
        if record.fell_back and record.state is OperationState.FINISHED:
            for view in record.choice.chosen:
                self._views.setdefault(view, Uses()).failed += 1

    def refreshed(self, refresh: Refresh) -> None:
        """Keep the last refresh of each view."""
        self._views.setdefault(refresh.view, Uses()).refresh = refresh
