"""Records of nondeterministic functions, of casts written as calls, and of functions unsupported in query blocks."""

from __future__ import annotations

from collections.abc import Iterator

from rewriter.functions.record import Function, Rule
from rewriter.functions.results import BIGINT, always, first

_ANY_ROW = "may return the value of any of several rows"
_ANY_ORDER = "may return its values in any order"
_BY_TASK = "depends on how Spark divides the rows into tasks (theta_sketch_agg() does not)"
_AT_RANDOM = "drops values at random, so its result is not repeatable"
_BY_ORDER = "depends on the order in which Spark reads the rows (percentile() does not)"


def _unsettled(why: str, names: str, result: Rule | None = None, *, printed: bool = False) -> Iterator[Function]:
    for name in names.split():
        yield Function(name, result, readable=False, printed=printed, unsettled=why)


UNSETTLED_FUNCTIONS = (
    *_unsettled(_ANY_ROW, "any_value", first, printed=True),
    *_unsettled(_ANY_ROW, "first first_value last last_value mode", first),
    *_unsettled(_ANY_ROW, "max_by min_by"),
    *_unsettled(_ANY_ORDER, "collect_list collect_set array_agg", lambda types: f"array<{types[0]}>"),
    *_unsettled(_ANY_ORDER, "listagg string_agg"),
    *_unsettled(_BY_TASK, "hll_sketch_agg hll_union_agg hll_sketch_estimate hll_union"),
    *_unsettled(_AT_RANDOM, "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float"),
    *_unsettled(_AT_RANDOM, "kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float"),
    *_unsettled(_BY_ORDER, "approx_percentile percentile_approx histogram_numeric"),
)

# A block has count_if(p) as count(*) FILTER (WHERE p). grouping() and grouping_id() return by which keys a row of
# GROUPING SETS is not grouped.
COUNT_IF = Function("count_if", BIGINT, readable=False)
# Functions of which a block has some calls as other expressions.
REPLACED = frozenset(
    ["count_if", "percentile_cont", "unhex", "make_interval", "make_dt_interval", "make_ym_interval", "unix_timestamp"]
)
GROUPING_FUNCTIONS = (
    Function("grouping", always("tinyint"), readable=False),
    Function("grouping_id", BIGINT, readable=False),
)

# Functions whose value depends only on the arguments and the session: a view whose query contains one of them answers
# queries of the same text.
_SETTLED = """
acos acosh aggregate array array_append array_compact array_contains array_distinct array_except array_insert
array_intersect array_join array_max array_min array_position array_prepend array_remove array_repeat array_size
array_sort array_union arrays_overlap arrays_zip asin asinh atan atan2 atanh base64 binary bit_count
bit_get bit_length cardinality cbrt char chr collate collation conv cos cosh cot
csc decimal decode degrees e element_at encode
equal_null exists explode explode_outer expm1 factorial filter find_in_set flatten forall format_number
from_csv from_json from_xml get getbit hash hex hypot ilike inline
inline_outer is_valid_utf8 is_variant_null isnan json_array_length json_object_keys json_tuple levenshtein like
log log1p luhn_check make_dt_interval make_interval make_time make_timestamp_ltz
make_valid_utf8 make_ym_interval map map_concat map_contains_key map_entries map_filter
map_from_arrays map_from_entries map_keys map_values map_zip_with mask
negative nullifzero octet_length parse_json parse_url percentile_cont pi posexplode posexplode_outer positive
quote radians reduce regexp regexp_count regexp_extract_all regexp_instr regexp_like rint rlike schema_of_csv
schema_of_json schema_of_variant schema_of_xml sec sentences sequence sha shiftleft shiftright shiftrightunsigned
session_window sin sinh size slice sort_array soundex split stack str_to_map struct tan tanh
theta_difference theta_intersection theta_union time_diff time_trunc
to_binary to_csv to_json to_number to_time to_timestamp_ltz
to_timestamp_ntz to_variant_object to_xml transform transform_keys
transform_values try_element_at try_make_interval try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz
try_parse_json try_parse_url try_to_binary try_to_date try_to_number try_to_time try_to_timestamp try_url_decode
try_validate_utf8 try_variant_get typeof unbase64 unhex
url_decode url_encode validate_utf8 variant_get width_bucket window xpath xpath_boolean xpath_double
xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string xxhash64 zeroifnull zip_with
"""
# Casts that are written as calls of a type's name.
CASTS = tuple(
    Function(kind, always(kind), zoned=True, printed=False, form="cast", casts_to=kind)
    for kind in ("tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "string")
)
# Table functions whose column names are not in the query's text, and for which sqlglot has no node.
ROW_GENERATORS = frozenset({"inline_outer", "json_tuple", "stack"})
OTHER_FUNCTIONS = tuple(Function(name, readable=False, printed=False) for name in _SETTLED.split())
