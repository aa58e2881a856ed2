"""Translates `timeseries` calls to Spark functions.

For a TIMESTAMP t, `timeseries(t, 'hour')` becomes `date_trunc('HOUR', t)`.
"""

from __future__ import annotations

from rewriter.timeseries.granularity import DATE_GRANULARITIES, SUB_HOUR_MINUTES

SPARK_UNITS = {
    "second": "SECOND",
    "minute": "MINUTE",
    "hour": "HOUR",
    "day": "DAY",
    "week": "WEEK",
    "month": "MONTH",
} | {
    "quarter": "QUARTER",
    "year": "YEAR",
}


def translate_bucket(source: str, grain: str, kind: str) -> str:
    """Return the Spark SQL of a time bucket of `grain`; `source` is the SQL of the time, `kind` the type of the time.

    >>> translate_bucket("order_time", "hour", "timestamp")
    "date_trunc('HOUR', order_time)"
    """
    if kind == "date":
        return f"CAST({source} AS DATE)" if grain == "day" else f"trunc({source}, '{SPARK_UNITS[grain]}')"
    if kind == "timestamp_ntz":
        return _wall_clock(source, grain)
    if grain not in SUB_HOUR_MINUTES:
        return f"date_trunc('{SPARK_UNITS[grain]}', {source})"
    # Counts elapsed time since the local hour began: the minute of the hour would be wrong where a clock moves by half
    # an hour.
    seconds = SUB_HOUR_MINUTES[grain] * 60
    hour = f"unix_seconds(date_trunc('HOUR', {source}))"
    return f"timestamp_seconds({hour} + ((unix_seconds({source}) - {hour}) DIV {seconds}) * {seconds})"


def _wall_clock(source: str, grain: str) -> str:
    """Return the Spark SQL of the bucket of `grain` that contains `source`, the SQL of a TIMESTAMP_NTZ.

    date_trunc() is not used, because its result for a TIMESTAMP_NTZ would depend on the session's time zone.

    The hour of t is `make_timestamp_ntz(year(t), month(t), day(t), hour(t), 0, 0)`, apart from casts.
    """
    if grain == "day":
        return f"CAST(CAST({source} AS DATE) AS TIMESTAMP_NTZ)"
    if grain in DATE_GRANULARITIES:
        return f"CAST(trunc(CAST({source} AS DATE), '{SPARK_UNITS[grain]}') AS TIMESTAMP_NTZ)"
    minute = {"hour": "0", "minute": f"minute({source})", "second": f"minute({source})"}.get(
        grain, f"(minute({source}) DIV {SUB_HOUR_MINUTES.get(grain, 1)}) * {SUB_HOUR_MINUTES.get(grain, 1)}"
    )
    second = f"CAST(second({source}) AS DECIMAL(8, 6))" if grain == "second" else "0"
    fields = ", ".join(f"{part}({source})" for part in ("year", "month", "day", "hour"))
    return f"make_timestamp_ntz({fields}, CAST({minute} AS INT), {second})"
