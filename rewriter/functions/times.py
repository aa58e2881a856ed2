"""Records of the date and timestamp functions, and of the functions that return the current time.

The attribute `units` of a record has the fields of EXTRACT, date_part and datepart that return the same value as the
function. The function second() has no units, because the field SECOND includes the fraction of the second.
"""

from __future__ import annotations

from collections.abc import Mapping

from rewriter.functions.record import Function
from rewriter.functions.results import BIGINT, DATE, DOUBLE, INT, TEXT, TIMESTAMP, always, dated, instant
from rewriter.sql.time_windows import END, START, STRUCT

_PATTERN = "yyyy-MM-dd HH:mm:ss"
TIME_FUNCTIONS = (
    Function("timeseries", zoned=True, printed=False, form="bucket"),
    Function(START, printed=False, form="window"),
    Function(END, printed=False, form="window"),
    Function(STRUCT, printed=False, form="window"),
    Function("named_struct", zoned=True, printed=False),
    Function("date_trunc", instant, zoned=True, form="bucket"),
    Function("trunc", DATE, zoned=True, form="bucket"),
    Function("extract", zoned=True, printed=False, form="field"),
    Function("date_part", zoned=True, form="field", units="YEAROFWEEK"),
    Function("datepart", zoned=True, printed=False, form="field"),
    Function("year", INT, zoned=True, units="YEAR Y YEARS YR YRS"),
    Function("quarter", INT, zoned=True, units="QUARTER QTR"),
    Function("month", INT, zoned=True, units="MONTH MON MONS MONTHS"),
    Function("weekofyear", INT, zoned=True, units="WEEK W WEEKS"),
    Function("day", INT, ("dayofmonth",), zoned=True, units="DAY D DAYS"),
    Function("dayofweek", INT, zoned=True, units="DAYOFWEEK DOW"),
    Function("weekday", INT, zoned=True, units="DAYOFWEEK_ISO DOW_ISO"),
    Function("dayofyear", INT, zoned=True, units="DOY"),
    Function("hour", INT, zoned=True, printed_arity=1, units="HOUR H HOURS HR HRS"),
    Function("minute", INT, zoned=True, printed_arity=1, units="MINUTE M MIN MINS MINUTES"),
    Function("second", INT, zoned=True, printed_arity=1),
    Function("date", dated, zoned=True, printed=False, form="cast", casts_to="date"),
    Function("timestamp", TIMESTAMP, zoned=True, printed=False, form="cast", casts_to="timestamp"),
    Function("to_date", dated, zoned=True, form="cast", casts_to="date"),
    Function("date_format", TEXT, zoned=True),
    Function("date_add", DATE, ("dateadd",), zoned=True, printed_as="date_add(%s)", printed_arity=2, of_unit="added"),
    Function("date_sub", DATE, zoned=True),
    Function("datediff", INT, ("date_diff",), zoned=True, printed_arity=2, of_unit="counted"),
    Function("timestampadd", zoned=True, printed=False, of_unit="added"),
    Function("timestampdiff", zoned=True, printed=False, of_unit="counted"),
    Function("to_char", TEXT, ("to_varchar",), zoned=True, printed=False),
    Function("add_months", DATE, zoned=True),
    Function("last_day", DATE, zoned=True),
    Function("make_date", DATE, zoned=True),
    Function("next_day", DATE, zoned=True),
    Function("dayname", TEXT, zoned=True),
    Function("monthname", TEXT, zoned=True),
    Function("months_between", DOUBLE, zoned=True, printed_arity=3, printed_defaults=("true",)),
    Function("unix_seconds", BIGINT, zoned=True),
    Function(
        "unix_timestamp", BIGINT, ("to_unix_timestamp",), zoned=True, printed_arity=2, printed_defaults=(_PATTERN,)
    ),
    Function("timestamp_seconds", TIMESTAMP, zoned=True),
    Function("timestamp_millis", TIMESTAMP, zoned=True),
    Function("timestamp_micros", TIMESTAMP, zoned=True),
    Function("unix_millis", BIGINT, zoned=True),
    Function("unix_micros", BIGINT, zoned=True),
    Function("unix_date", INT),
    Function("date_from_unix_date", DATE),
    Function("to_timestamp", TIMESTAMP, zoned=True, printed=False, form="cast", casts_to="timestamp"),
    Function("from_utc_timestamp", TIMESTAMP, zoned=True),
    Function("to_utc_timestamp", TIMESTAMP, zoned=True),
    Function("convert_timezone", always("timestamp_ntz"), zoned=True, printed=False),
    Function("from_unixtime", TEXT, zoned=True, printed_arity=2, printed_defaults=(_PATTERN,)),
    Function("make_timestamp", TIMESTAMP, zoned=True, printed=False),
    Function("make_timestamp_ntz", always("timestamp_ntz"), zoned=True, printed=False),
)

# Functions that use only the date of a timestamp, with the positions of their date arguments.
OF_DATES: Mapping[str, tuple[int, ...]] = {
    "date_add": (0,),
    "date_sub": (0,),
    "add_months": (0,),
    "next_day": (0,),
    "datediff": (0, 1),
    "trunc": (0,),
}

# Functions of the current time: constant within one statement, but unknown before Spark runs the statement.
CLOCK_FUNCTIONS = (
    Function("current_date", always("date"), ("curdate",), readable=False, printed_as="current_date(%s)"),
    Function("current_timestamp", always("timestamp"), ("now",), readable=False),
    Function("localtimestamp", always("timestamp_ntz"), readable=False),
)
