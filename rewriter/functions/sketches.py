"""Records (names, result types) of the scalar functions of sketches and bitmaps.

The aggregates that build and merge sketches and bitmaps are in `aggregates`.
"""

from __future__ import annotations

from rewriter.functions.record import Function
from rewriter.functions.results import BIGINT

SET_FUNCTIONS = (
    Function("theta_sketch_estimate", BIGINT),
    Function("bitmap_bucket_number", BIGINT),
    Function("bitmap_bit_position", BIGINT),
    Function("bitmap_count", BIGINT),
)
