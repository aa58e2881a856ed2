"""The functions and types that may stand in a block: deterministic, and the same to Spark after printing."""

from __future__ import annotations

from sqlglot import exp

# Repeated values change nothing in these, so DISTINCT does not either.
IDEMPOTENT = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or"})
# Made of sums of squares; of sums over pairs; and those that are answered at the same grain only.
DEVIATIONS = frozenset({"var_pop", "var_samp", "stddev_pop", "stddev_samp"})
PAIRED = frozenset(
    {"covar_pop", "covar_samp", "corr", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy"}
) | {"regr_slope", "regr_intercept", "regr_r2"}
ROUGH = frozenset({"skewness", "kurtosis"})
WHOLE = frozenset({"median", "percentile", "approx_count_distinct"}) | ROUGH
# Of these the last bits depend on the order in which rows are added, whatever the type.
INEXACT = DEVIATIONS | ROUGH | PAIRED - {"regr_count"}
# Sketches of sets, and unions of such, with what unites them. All have a second argument, of which this is the default.
SKETCHES = {"theta_sketch_agg": "theta_union_agg", "theta_union_agg": "theta_union_agg"}
SKETCH_DEFAULT = 12
# Sets, exact ones or sketches, that are united by another function.
UNITED = {**SKETCHES, "bitmap_construct_agg": "bitmap_or_agg", "bitmap_or_agg": "bitmap_or_agg"}
# Which values there are decides, not how often and in which order they come.
SETWISE = frozenset({"approx_count_distinct", *UNITED})
AGGREGATES = (
    frozenset({"count", "sum", "avg", "mean", "every", "some", "any", "bit_xor", "variance", "stddev", "std"})
    | IDEMPOTENT
    | DEVIATIONS
    | PAIRED
    | SETWISE
    | WHOLE
)
# Of the same rows these may be one thing now and another then.
_ANY_ROW = "may take any of several rows"
_ANY_ORDER = "may give its values in any order"
_BY_TASK = "depends on how the rows are divided into tasks, as theta_sketch_agg() does not"
_AT_RANDOM = "drops values at random"
_BY_ORDER = "depends on the order in which the rows come, as percentile() does not"
UNSETTLED = {
    **dict.fromkeys(("any_value", "first", "first_value", "last", "last_value", "max_by", "min_by", "mode"), _ANY_ROW),
    **dict.fromkeys(("collect_list", "collect_set", "array_agg", "listagg", "string_agg"), _ANY_ORDER),
    **dict.fromkeys(("hll_sketch_agg", "hll_union_agg", "hll_sketch_estimate", "hll_union"), _BY_TASK),
    **{
        f"kll_{name}_{kind}": _AT_RANDOM
        for name in ("sketch_agg", "merge_agg")
        for kind in ("bigint", "double", "float")
    },
    **dict.fromkeys(("approx_percentile", "percentile_approx", "histogram_numeric"), _BY_ORDER),
}
# How many arguments an aggregate takes, where it is not one.
ARGUMENTS = {"percentile": 2, **dict.fromkeys(PAIRED, 2)}
SYNONYMS = {
    "mean": "avg",
    "variance": "var_samp",
    "stddev": "stddev_samp",
    "std": "stddev_samp",
    "every": "bool_and",
    "some": "bool_or",
    "any": "bool_or",
    "ucase": "upper",
    "lcase": "lower",
} | {
    "substr": "substring",
    "ceiling": "ceil",
    "ifnull": "nvl",
    "dayofmonth": "day",
    "character_length": "length",
    "char_length": "length",
    "pow": "power",
    "sign": "signum",
    "curdate": "current_date",
    "now": "current_timestamp",
}
# The units of extract(… FROM x), date_part and datepart, and the function of a time that gives the same of it.
# Not seconds, of which those give the fraction, too, nor what no function gives.
UNITS = {
    unit: function
    for function, units in {
        "year": "YEAR Y YEARS YR YRS",
        "quarter": "QUARTER QTR",
        "month": "MONTH MON MONS MONTHS",
        "weekofyear": "WEEK W WEEKS",
        "day": "DAY D DAYS",
        "dayofweek": "DAYOFWEEK DOW",
        "weekday": "DAYOFWEEK_ISO DOW_ISO",
        "dayofyear": "DOY",
        "hour": "HOUR H HOURS HR HRS",
        "minute": "MINUTE M MIN MINS MINUTES",
    }.items()
    for unit in units.split()
}
# What tells the time, with its type: of one statement a constant, which nobody knows before Spark runs it.
CLOCK = {"current_date": "date", "current_timestamp": "timestamp", "localtimestamp": "timestamp_ntz"}

# Which keys a row of GROUPING SETS is not grouped by.
GROUPING = frozenset({"grouping", "grouping_id"})
# Window functions: aggregates, those that give equal rows one value, and those that count rows one by one.
WINDOWED = frozenset({"count", "sum", "min", "max", "avg", "bool_and", "bool_or"})
RANKS = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
SUCCESSIONS = frozenset({"row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value"})

# Their value depends on their arguments alone, not on the session's time zone.
PLAIN_FUNCTIONS = frozenset(
    (
        "abs",
        "bround",
        "ceil",
        "floor",
        "round",
        "signum",
        "sqrt",
        "exp",
        "ln",
        "log10",
        "log2",
        "power",
        "mod",
        "pmod",
        "greatest",
        "least",
        "coalesce",
        "nvl",
        "nvl2",
        "nullif",
        "if",
        "upper",
        "lower",
        "length",
        "substring",
        "left",
        "right",
        "concat",
        "concat_ws",
        "replace",
        "reverse",
        "lpad",
        "rpad",
        "ltrim",
        "rtrim",
        "instr",
        "initcap",
        "split_part",
        "regexp_replace",
        "regexp_extract",
        "regexp_substr",
        "substring_index",
        "translate",
        "repeat",
        "get_json_object",
        "md5",
        "sha1",
        "sha2",
        "crc32",
        "isnull",
        "isnotnull",
        "nanvl",
        "try_divide",
        "try_add",
        "try_subtract",
        "try_multiply",
        "theta_sketch_estimate",
        "bitmap_bucket_number",
        "bitmap_bit_position",
        "bitmap_count",
    )
)
# Their value may depend on the time zone, where an argument is a TIMESTAMP or a text read as one.
ZONED_FUNCTIONS = frozenset(
    (
        "timeseries",
        "extract",
        "date_part",
        "datepart",
        "date_trunc",
        "trunc",
        "year",
        "quarter",
        "month",
        "day",
        "dayofweek",
        "dayofyear",
        "weekday",
        "weekofyear",
        "hour",
        "minute",
        "second",
        "date",
        "to_date",
        "date_format",
        "date_add",
        "date_sub",
        "datediff",
        "add_months",
        "last_day",
        "make_date",
    )
)
FUNCTIONS = PLAIN_FUNCTIONS | ZONED_FUNCTIONS

# Of these, too, the value depends on the arguments and the session alone, but blocks are not read with them: a view
# that has one answers its own text.
SETTLED = frozenset(
    {
        "acos", "acosh", "aggregate", "array", "array_append", "array_compact", "array_contains", "array_distinct",
        "array_except", "array_insert", "array_intersect", "array_join", "array_max", "array_min", "array_position",
        "array_prepend", "array_remove", "array_repeat", "array_size", "array_sort", "array_union", "arrays_overlap",
        "arrays_zip", "ascii", "asin", "asinh", "atan", "atan2", "atanh", "base64", "bigint", "bin", "binary",
        "bit_count", "bit_get", "bit_length", "boolean", "btrim", "cardinality", "cbrt", "char", "chr", "collate",
        "collation", "contains", "conv", "convert_timezone", "cos", "cosh", "cot", "csc", "date_diff",
        "date_from_unix_date", "dateadd", "dayname", "decimal", "decode", "degrees", "double", "e", "element_at", "elt",
        "encode", "endswith", "equal_null", "exists", "explode", "explode_outer", "expm1", "factorial", "filter",
        "find_in_set", "flatten", "float", "forall", "format_number", "format_string", "from_csv", "from_json",
        "from_unixtime", "from_utc_timestamp", "from_xml", "get", "getbit", "hash", "hex", "hypot", "ilike", "inline",
        "inline_outer", "int", "is_valid_utf8", "is_variant_null", "isnan", "json_array_length", "json_object_keys",
        "json_tuple", "levenshtein", "like", "locate", "log", "log1p", "luhn_check", "make_dt_interval",
        "make_interval", "make_time", "make_timestamp", "make_timestamp_ltz", "make_timestamp_ntz", "make_valid_utf8",
        "make_ym_interval", "map", "map_concat", "map_contains_key", "map_entries", "map_filter", "map_from_arrays",
        "map_from_entries", "map_keys", "map_values", "map_zip_with", "mask", "monthname", "months_between",
        "named_struct", "negative", "next_day", "nullifzero", "octet_length", "overlay", "parse_json", "parse_url",
        "pi", "posexplode", "posexplode_outer", "position", "positive", "printf", "quote", "radians", "reduce",
        "regexp", "regexp_count", "regexp_extract_all", "regexp_instr", "regexp_like", "rint", "rlike", "schema_of_csv",
        "schema_of_json", "schema_of_variant", "schema_of_xml", "sec", "sentences", "sequence", "sha", "shiftleft",
        "shiftright", "shiftrightunsigned", "sin", "sinh", "size", "slice", "smallint", "sort_array", "soundex",
        "split", "stack", "startswith", "str_to_map", "string", "struct", "tan", "tanh", "theta_difference",
        "theta_intersection", "theta_union", "time_diff", "time_trunc", "timestamp", "timestamp_micros",
        "timestamp_millis", "timestamp_seconds", "tinyint", "to_binary", "to_char", "to_csv", "to_json", "to_number",
        "to_time", "to_timestamp", "to_timestamp_ltz", "to_timestamp_ntz", "to_unix_timestamp", "to_utc_timestamp",
        "to_varchar", "to_variant_object", "to_xml", "transform", "transform_keys", "transform_values", "trim",
        "try_element_at", "try_make_interval", "try_make_timestamp", "try_make_timestamp_ltz", "try_make_timestamp_ntz",
        "try_mod", "try_parse_json", "try_parse_url", "try_to_binary", "try_to_date", "try_to_number", "try_to_time",
        "try_to_timestamp", "try_url_decode", "try_validate_utf8", "try_variant_get", "typeof", "unbase64", "unhex",
        "unix_date", "unix_micros", "unix_millis", "unix_seconds", "unix_timestamp", "url_decode", "url_encode",
        "validate_utf8", "variant_get", "width_bucket", "xpath", "xpath_boolean", "xpath_double", "xpath_float",
        "xpath_int", "xpath_long", "xpath_number", "xpath_short", "xpath_string", "xxhash64", "zeroifnull", "zip_with",
    }
)  # fmt: skip

OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Like)
CONNECTORS = (exp.And, exp.Or)

_TYPE = exp.DataType.Type
CAST_TYPES = {
    _TYPE.TINYINT: "tinyint",
    _TYPE.SMALLINT: "smallint",
    _TYPE.INT: "int",
    _TYPE.BIGINT: "bigint",
    _TYPE.FLOAT: "float",
    _TYPE.DOUBLE: "double",
    _TYPE.DECIMAL: "decimal",
    _TYPE.BINARY: "binary",
    _TYPE.BOOLEAN: "boolean",
    _TYPE.TEXT: "string",
    _TYPE.DATE: "date",
    _TYPE.TIMESTAMPTZ: "timestamp",
    _TYPE.TIMESTAMPNTZ: "timestamp_ntz",
}
