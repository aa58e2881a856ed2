"""Time buckets: their granularities (grains, such as 'hour'), the expressions that compute them, and their roll-up.

`timeseries(x, 'hour')` returns the start of the bucket that contains x, with the type of x. Buckets of a TIMESTAMP
depend on the session's time zone: buckets of an hour or more start at the times that date_trunc() returns; shorter
buckets start at multiples of their length after the start of the local hour. Buckets of a DATE or TIMESTAMP_NTZ depend
on no zone.
"""

from rewriter.timeseries.borders import border_behind, is_border, next_border
from rewriter.timeseries.bucket import (
    DATE_TRUNC_UNITS,
    as_bucket,
    bucket_call,
    bucket_elsewhere,
    day_source,
    label_source,
    moved_elsewhere,
    zone_elsewhere,
)
from rewriter.timeseries.factors import (
    Factor,
    Grain,
    Told,
    begin_of,
    converted,
    date_of_fields,
    factor_of,
    fields_of,
    nests,
    number_of,
    scaled_grain,
    told_by,
)
from rewriter.timeseries.floor import floor, micros_of, wall_of
from rewriter.timeseries.granularity import DATE_GRANULARITIES, GRANULARITIES, rolls_up
from rewriter.timeseries.literals import read_moment
from rewriter.timeseries.steady import divides_at, divides_instant, keeps_whole, same_buckets
from rewriter.timeseries.translate import translate_bucket
from rewriter.timeseries.zone import has_left_out_days, is_fixed_offset, offset_of

__all__ = [
    "DATE_GRANULARITIES",
    "DATE_TRUNC_UNITS",
    "GRANULARITIES",
    "Factor",
    "Grain",
    "Told",
    "as_bucket",
    "begin_of",
    "border_behind",
    "bucket_call",
    "bucket_elsewhere",
    "converted",
    "date_of_fields",
    "day_source",
    "divides_at",
    "divides_instant",
    "factor_of",
    "fields_of",
    "floor",
    "has_left_out_days",
    "is_border",
    "is_fixed_offset",
    "keeps_whole",
    "label_source",
    "micros_of",
    "moved_elsewhere",
    "nests",
    "next_border",
    "number_of",
    "offset_of",
    "read_moment",
    "rolls_up",
    "same_buckets",
    "scaled_grain",
    "told_by",
    "translate_bucket",
    "wall_of",
    "zone_elsewhere",
]
