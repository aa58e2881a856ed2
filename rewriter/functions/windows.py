"""Records (names, result types) of the functions that are supported only with OVER."""

from __future__ import annotations

from rewriter.functions.record import WindowFunction
from rewriter.functions.results import DOUBLE, INT, first

WINDOW_FUNCTIONS = (
    WindowFunction("rank", INT, "rank", settled=True),
    WindowFunction("dense_rank", INT, "rank", settled=True),
    WindowFunction("percent_rank", DOUBLE, "rank", settled=True),
    WindowFunction("cume_dist", DOUBLE, "rank", settled=True),
    WindowFunction("row_number", INT, "succession"),
    WindowFunction("ntile", INT, "succession"),
    WindowFunction("lag", first, "succession", settled=True),
    WindowFunction("lead", first, "succession", settled=True),
    WindowFunction("first_value", first, "succession"),
    WindowFunction("last_value", first, "succession"),
    WindowFunction("nth_value", None, "succession"),
)
