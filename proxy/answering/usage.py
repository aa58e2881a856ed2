"""How often each view was of use since the start, statement by statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rewriter import Attempt
from rewriter.model import TableName

CHOSEN, NOT_CHOSEN = "chosen", "not chosen"


@dataclass(slots=True)
class Uses:
    """Of a view: in how many statements it was tried, could answer, and did, and in how many Spark then failed.

    `chosen_ms` is when it last answered, in milliseconds since 1970.
    """

    considered: int = 0
    matched: int = 0
    chosen: int = 0
    failed: int = 0
    chosen_ms: int | None = None


class Usage:
    """The uses of all views.

    >>> Usage().views
    mappingproxy({})
    """

    def __init__(self) -> None:
        self._views: dict[TableName, Uses] = {}

    @property
    def views(self) -> Mapping[TableName, Uses]:
        """The uses of the views that were tried."""
        return MappingProxyType(self._views)

    def decided(self, tried: Iterable[Attempt], now_ms: int) -> None:
        """Count a statement for each view that was tried for it, once whatever came of its several SELECTs."""
        verdicts: dict[TableName, set[str]] = {}
        for attempt in tried:
            verdicts.setdefault(attempt.view, set()).add(attempt.verdict)
        for view, found in verdicts.items():
            uses = self._views.setdefault(view, Uses())
            uses.considered += 1
            uses.matched += bool(found & {CHOSEN, NOT_CHOSEN})
            if CHOSEN in found:
                uses.chosen += 1
                uses.chosen_ms = now_ms

    def failed(self, tried: Iterable[Attempt]) -> None:
        """Count a statement whose rewriting Spark could not run, for the views that were chosen."""
        for view in {attempt.view for attempt in tried if attempt.verdict == CHOSEN}:
            self._views.setdefault(view, Uses()).failed += 1
