"""The session settings that can change the result of a query."""

from __future__ import annotations

from collections.abc import Mapping

TIME_ZONE = "spark.sql.session.timeZone"
ANSI = "spark.sql.ansi.enabled"
TIMESTAMP_TYPE = "spark.sql.timestampType"
LEFT_OUT = "the statement's hint names another view"
REWRITE_IS_OFF = "the session has SET viewgate.rewrite = off"

# Settings that change how a query runs, but not its result.
HARMLESS = (
    "spark.sql.adaptive.",
    "spark.sql.artifact.",
    "spark.sql.binaryOutputStyle",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.broadcastTimeout",
    "spark.sql.catalog.",
    "spark.sql.catalogImplementation",
    "spark.sql.cbo.",
    "spark.sql.codegen.",
    "spark.sql.datetime.java8API.enabled",
    "spark.sql.defaultCatalog",
    "spark.sql.execution.arrow.",
    "spark.sql.extensions",
    "spark.sql.files.",
    "spark.sql.hive.",
    "spark.sql.inMemoryColumnarStorage.",
    "spark.sql.iceberg.aggregate-push-down.enabled",
    "spark.sql.iceberg.vectorization.",
    "spark.sql.leafNodeDefaultParallelism",
    "spark.sql.maxMetadataStringLength",
    "spark.sql.queryExecutionListeners",
    "spark.sql.redaction.",
    "spark.sql.shuffle.partitions",
    "spark.sql.sources.parallelPartitionDiscovery.",
    "spark.sql.statistics.",
    "spark.sql.streaming.",
    "spark.sql.thriftserver.",
    "spark.sql.thriftServer.",
    "spark.sql.ui.",
    "spark.sql.variable.substitute",
    "spark.sql.warehouse.dir",
)

# The values under which Viewgate parses a statement as Spark does; with other values the text means something else.
READABLE: Mapping[str, str] = {
    "spark.sql.caseSensitive": "false",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    TIMESTAMP_TYPE: "TIMESTAMP_LTZ",
}


def result_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that can change a query's result, except the time zone.

    The time zone is compared on its own, because two names may mean the same zone.

    >>> result_settings({"spark.sql.ansi.enabled": "false", "spark.sql.shuffle.partitions": "8", "spark.app.id": "x"})
    {'spark.sql.ansi.enabled': 'false'}
    """
    return {
        key: value
        for key, value in settings.items()
        if key.startswith(("spark.sql.", "spark.wap.")) and key != TIME_ZONE and not key.startswith(HARMLESS)
    }


def differing_setting(
    here: Mapping[str, str], there: Mapping[str, str], defaults: Mapping[str, str]
) -> tuple[str, str | None, str | None] | None:
    """Return the first setting, in the order of names, that can change a result and differs; None if there is none.

    The setting is returned with its value in `here`, the settings of the session, and in `there`, the settings recorded
    with a view. A setting missing in `here` or in `there` counts with its value in `defaults`, or None without a
    default. Settings that Viewgate supports with one value only (READABLE) are not compared, because a session with any
    other value gets no rewriting.

    >>> differing_setting({"spark.sql.ansi.enabled": "TRUE"}, {}, {"spark.sql.ansi.enabled": "true"})
    >>> differing_setting({"spark.sql.ansi.enabled": "false"}, {}, {"spark.sql.ansi.enabled": "true"})
    ('spark.sql.ansi.enabled', 'false', 'true')
    """
    ours, theirs = result_settings(here), result_settings(there)
    for key in sorted((ours.keys() | theirs.keys()) - READABLE.keys()):
        values = ours.get(key, defaults.get(key)), theirs.get(key, defaults.get(key))
        if _value(values[0]) != _value(values[1]):
            return key, *values
    return None


def is_ansi(settings: Mapping[str, str] | None) -> bool:
    """Return whether ANSI mode is on, which is the default; False if `settings` is None (unknown)."""
    return settings is not None and settings.get(ANSI, "true").lower() == "true"


def _value(text: str | None) -> str | None:
    """Return a setting's value, in lower case if it is `true` or `false`; None for a setting without a value."""
    return text.lower() if text is not None and text.lower() in ("true", "false") else text


def unreadable_setting(settings: Mapping[str, str]) -> str | None:
    """Return the first setting, as `name = value`, under which a statement means something else than Viewgate assumes.

    Two kinds of settings count: all legacy and write-audit-publish settings, and the settings that Viewgate supports
    with one value only (READABLE, such as `spark.sql.caseSensitive = false`), if they have another value. Return None
    if the session sets none of these.

    >>> unreadable_setting({"spark.wap.branch": "audit"})
    'spark.wap.branch = audit'
    """
    for key, value in sorted(settings.items()):
        expected = READABLE.get(key)
        wrong = expected is not None and value.lower() != expected.lower()
        if wrong or key.startswith(("spark.wap.", "spark.sql.legacy.")):
            return f"{key} = {value}"
    return None
