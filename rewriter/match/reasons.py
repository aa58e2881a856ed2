"""The reasons why a view cannot answer a query block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """The reason why a view cannot answer a query."""

    TABLES_DIFFER = "TABLES_DIFFER"
    NO_SUCH_VIEW = "NO_SUCH_VIEW"
    VIEW_FILTERS_MORE = "VIEW_FILTERS_MORE"
    JOIN_DIFFERS = "JOIN_DIFFERS"
    COLUMN_NOT_IN_VIEW = "COLUMN_NOT_IN_VIEW"
    AGGREGATE_NOT_IN_VIEW = "AGGREGATE_NOT_IN_VIEW"
    AGGREGATE_DOES_NOT_ROLL_UP = "AGGREGATE_DOES_NOT_ROLL_UP"
    GROUPING_TOO_COARSE = "GROUPING_TOO_COARSE"
    FLOAT_SUM_DECIDES_ROWS = "FLOAT_SUM_DECIDES_ROWS"
    FLOAT_COMPARED = "FLOAT_COMPARED"
    ZONE_NOT_PROVED = "ZONE_NOT_PROVED"
    BOUNDS_UNKNOWN = "BOUNDS_UNKNOWN"
    SHAPE = "SHAPE"
    HOLDS_A_PART = "HOLDS_A_PART"
    SETTINGS_DIFFER = "SETTINGS_DIFFER"
    STALE = "STALE"
    NEVER_REFRESHED = "NEVER_REFRESHED"
    REWRITE_OFF = "REWRITE_OFF"
    UNKNOWN_STATE = "UNKNOWN_STATE"
    UNSUPPORTED = "UNSUPPORTED"
    VIEW_UNSUPPORTED = "VIEW_UNSUPPORTED"
    NOT_PINNED = "NOT_PINNED"
    NOT_CHOSEN = "NOT_CHOSEN"
    DEARER = "DEARER"
    PLAN_REFUTED = "PLAN_REFUTED"

    def told(self, detail: str) -> str:
        """Return the reason as a sentence about "the view", completed by `detail`.

        >>> Reason.COLUMN_NOT_IN_VIEW.told("price")
        'the view has no column price'
        """
        return _TOLD[self].format(detail) if detail else _TOLD[self].removesuffix(": {}").removesuffix(" {}")


_TOLD: Mapping[Reason, str] = {
    Reason.TABLES_DIFFER: "{}",
    Reason.NO_SUCH_VIEW: "{}",
    Reason.VIEW_FILTERS_MORE: "the view holds only the rows with {}",
    Reason.JOIN_DIFFERS: "{}",
    Reason.COLUMN_NOT_IN_VIEW: "the view has no column {}",
    Reason.AGGREGATE_NOT_IN_VIEW: "the view does not store {}",
    Reason.AGGREGATE_DOES_NOT_ROLL_UP: "the view's groups cannot be rolled up to {}",
    Reason.GROUPING_TOO_COARSE: "the view's groups are too coarse: {}",
    Reason.FLOAT_SUM_DECIDES_ROWS: "the last bits of a floating-point sum would decide the rows: {}",
    Reason.FLOAT_COMPARED: "whether {} keeps -0.0, 0.0 and NaN depends on the files that hold the rows",
    Reason.ZONE_NOT_PROVED: "{}",
    Reason.BOUNDS_UNKNOWN: "the bounds of {} are not known, and quotients of large numbers are rounded",
    Reason.SHAPE: "the view has another form: {}",
    Reason.HOLDS_A_PART: "the view stores only the rows where {}",
    Reason.SETTINGS_DIFFER: "the session has other settings: {}",
    Reason.STALE: "the view is stale: {}",
    Reason.NEVER_REFRESHED: "the view was never refreshed: {}",
    Reason.REWRITE_OFF: "{}",
    Reason.UNKNOWN_STATE: "the view's state is not known: {}",
    Reason.UNSUPPORTED: "{}",
    Reason.VIEW_UNSUPPORTED: "the view answers only its own query: {}",
    Reason.NOT_PINNED: "{}",
    Reason.NOT_CHOSEN: "{}",
    Reason.DEARER: "{}",
    Reason.PLAN_REFUTED: "a plan that reads the view would give other rows: {}",
}


@dataclass(frozen=True)
class Miss:
    """The reason why a view cannot answer a query block.

    - `detail`: completes the sentence of the reason: `price` completes "the view has no column …"
    - `apart`: true if the Miss of any other rule says more about the view, because the rule of this Miss does not apply
      to the query at all (branch_by_branch, for a single SELECT), or is only tried in addition (union_remainder)
    """

    reason: Reason
    detail: str
    apart: bool = False

    @property
    def closeness(self) -> int:
        """How close the view is to a match, from 0 to 2; if all rules fail, the Miss with the highest number is
        reported.

        - 0: `apart` is true: the Miss of any other rule says more
        - 1: the reason is SHAPE: the view's query is built differently, for example without GROUP BY
        - 2: any other reason, such as a missing column
        """
        return 0 if self.apart else 1 if self.reason is Reason.SHAPE else 2
