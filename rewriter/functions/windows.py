"""Records (names, result types) of the functions that are supported only with OVER."""

from __future__ import annotations

from rewriter.functions.record import WindowFunction
from rewriter.functions.results import DOUBLE, INT, first

_TO_CURRENT = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
WINDOW_FUNCTIONS = (
    WindowFunction("rank", INT, "rank", settled=True, printed_as="RANK(%s)", printed_arity=0, frame=_TO_CURRENT),
    WindowFunction(
        "dense_rank", INT, "rank", settled=True, printed_as="DENSE_RANK(%s)", printed_arity=0, frame=_TO_CURRENT
    ),
    WindowFunction(
        "percent_rank", DOUBLE, "rank", settled=True, printed_as="PERCENT_RANK(%s)", printed_arity=0, frame=_TO_CURRENT
    ),
    WindowFunction("cume_dist", DOUBLE, "rank", settled=True),
    WindowFunction("row_number", INT, "succession", frame=_TO_CURRENT),
    WindowFunction("ntile", INT, "succession", printed_arity=1, frame=_TO_CURRENT),
    WindowFunction("lag", first, "succession", settled=True, offset=-1),
    WindowFunction("lead", first, "succession", settled=True, offset=1),
    WindowFunction("first_value", first, "succession", printed_arity=1),
    WindowFunction("last_value", first, "succession", printed_arity=1),
    WindowFunction("nth_value", None, "succession"),
)
