"""The properties of a materialized view: properties of Viewgate, of the Iceberg specification, and of the user."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from proxy.catalog.views import (
    ALLOWED,
    DEFINITION,
    MARKERS,
    MAX_STALENESS,
    NEVER,
    REFRESH,
    REWRITE,
    SETTINGS,
    STORAGE_QUERY,
    period,
)
from proxy.hs2 import SqlError
from proxy.hs2.status import nearest
from proxy.pipeline.on_commit import ALWAYS, IF_INCREMENTAL, WAIT, WAIT_LIMIT
from proxy.pipeline.schedule import EVERY
from proxy.pipeline.status import REFRESH_ERROR
from proxy.pipeline.steps import RETENTION
from proxy.pipeline.upkeep import FOLLOWED, KEEP, MAINTENANCE
from rewriter.model import MaterializedView, Session
from rewriter.model.settings import ANSI, TIME_ZONE, result_settings

QUERY = "viewgate.query"
COLUMNS = "viewgate.columns"
PARTITIONED_BY = "viewgate.partitioned-by"
ORDERED_BY = "viewgate.ordered-by"
ADOPT = "viewgate.adopt"

_CHOICES = {
    REWRITE: ("on", "off"),
    REFRESH: ("on-commit", "deferred"),
    WAIT: (IF_INCREMENTAL, ALWAYS, NEVER),
    MAINTENANCE: (FOLLOWED, NEVER),
}
# For properties of the catalog: values with which every refresh would fail.
_FORMATS = {"write.format.default": ("parquet", "orc", "avro")}
_PERIODS = (EVERY, KEEP, RETENTION, MAX_STALENESS, WAIT_LIMIT)
_RESERVED = (*MARKERS, "iceberg.base.snapshot", "iceberg.view.version", "iceberg.child.view.version")
_OURS = (
    SETTINGS,
    STORAGE_QUERY,
    DEFINITION,
    QUERY,
    COLUMNS,
    PARTITIONED_BY,
    ORDERED_BY,
    ADOPT,
    "viewgate.storage-",
    REFRESH_ERROR,
)
# Set by the catalog, or by a clause of a statement; Spark refuses them with a message about the storage.
_OF_SPARK = frozenset({"owner", "location", "provider", "external", "is_managed_location", "comment", "collation"})

# Table properties about the location of files, staged writes, and row-level changes, which storage does not inherit.
_OF_ONE_TABLE = (
    *(
        "write.data.path",
        "write.metadata.path",
        "write.folder-storage.path",
        "write.object-storage.",
        "write.location-",
    ),
    *("write.wap.", "write.delete.", "write.update.", "write.merge.", "write.upsert."),
)

SETTABLE = (*_CHOICES, *_PERIODS)

# Each refresh writes three metadata files, so that those no longer in the table's log are deleted.
OF_STORAGE = {"write.metadata.delete-after-commit.enabled": "true"}


def checked(properties: dict[str, str]) -> dict[str, str]:
    """Return the properties unchanged; raise SqlError for a property that users may not set, or for a value that is
    not allowed.
    """
    for key, value in properties.items():
        if key == ADOPT:
            raise SqlError(
                f"{ADOPT} can be set only in CREATE MATERIALIZED VIEW, which adopts the table as its storage "
                f"table: remove {ADOPT}",
                "0A000",
            )
        if key.startswith((*_RESERVED, *_OURS)):
            raise SqlError(f"the property {key} is set by Viewgate itself; remove it from the statement", "0A000")
        if key in _PERIODS and period(value) is None and value != NEVER:
            raise SqlError(f"the property {key} cannot be '{value}': set it to never or to {ALLOWED}", "22023")
        if key.lower() in _OF_SPARK:
            raise SqlError(f"the property {key} is set by Spark itself; remove it from the statement", "0A000")
        if key.startswith("viewgate.") and key not in SETTABLE:
            meant = nearest(key, SETTABLE)
            raise SqlError(
                f"{key} is not a property of materialized views{meant}; the properties are {', '.join(SETTABLE)}",
                "22023",
            )
        if meant := nearest(key, SETTABLE) if key not in SETTABLE else "":
            raise SqlError(f"{key} is not a property of materialized views{meant}; correct the name", "22023")
        allowed = {**_CHOICES, **_FORMATS}.get(key, (value,))
        if (value.lower() if key in _FORMATS else value) not in allowed:
            raise SqlError(f"the property {key} cannot be '{value}': set it to {' or '.join(allowed)}", "22023")
    return properties


def to_unset(view: MaterializedView, keys: Sequence[str], if_exists: bool) -> tuple[str, ...]:
    """Return the keys of properties that a user has set on the view; the other keys are left out.

    Raise SqlError 42704 for the first key that would be left out, unless `if_exists` is true.
    """
    settable = {*of_user(view.properties), REWRITE, REFRESH} & view.properties.keys()
    for key in () if if_exists else keys:
        if key not in settable:
            meant = "" if key in SETTABLE else nearest(key, settable)
            fault = f"of {view.name} cannot be unset" if key in view.properties else f"is not set on {view.name}"
            there = f"{', '.join(sorted(settable))} can be unset" if settable else "no property can be unset"
            raise SqlError(
                f"the property {key} {fault}{meant}; {there}: correct the name, or write UNSET PROPERTIES IF EXISTS",
                "42704",
            )
    return tuple(key for key in keys if key in settable)


def of_storage(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a view that also apply to its storage table: all but those that start with
    `viewgate.`.
    """
    return {key: value for key, value in properties.items() if not key.startswith("viewgate.")}


def inherited(source: Mapping[str, str], columns: Collection[str]) -> dict[str, str]:
    """Return the write properties of a source table that a new storage table with these columns takes over.

    Properties for file locations and for deletes, updates and merges are left out.

    >>> inherited({"write.format.default": "orc", "write.data.path": "s3://x", "comment": "c"}, [])
    {'write.format.default': 'orc'}
    >>> inherited({f"write.parquet.bloom-filter-enabled.column.{name}": "true" for name in "ab"}, ["A"])
    {'write.parquet.bloom-filter-enabled.column.a': 'true'}
    """
    names = {name.lower() for name in columns}
    return {
        key: value
        for key, value in source.items()
        if key.startswith("write.")
        and not key.startswith(_OF_ONE_TABLE)
        and (".column." not in key or key.split(".column.", 1)[1].lower() in names)
    }


def of_user(properties: Mapping[str, str]) -> dict[str, str]:
    """Return those properties of a view that belong in the PROPERTIES clause of the view's CREATE statement.

    These are the properties that a user can set, except `viewgate.rewrite` = `on` (the default) and properties that
    have a clause of their own, such as WITH DEFERRED REFRESH.
    """
    written_by_spark = ("spark.", "engine_version", "create_engine_version", "comment")
    kept = (*_RESERVED, *_OURS, *written_by_spark)
    shown = {key: value for key, value in properties.items() if not key.startswith(kept) and key != REFRESH}
    if shown.get(REWRITE) == "on":
        del shown[REWRITE]
    return shown


def recorded_settings(facts: Session) -> str:
    """Return the session settings that affect results, as JSON; a view records these settings when it is created.

    ANSI mode and time zone are always included, because their defaults may change later.
    """
    default = {ANSI: facts.defaults[ANSI]} if ANSI in facts.defaults else {}
    return json.dumps({**default, **result_settings(facts.settings), TIME_ZONE: facts.time_zone}, sort_keys=True)


def refresh_mode(view: MaterializedView) -> str:
    """Return a view's refresh mode as text, such as `on-commit`, `deferred` or `deferred, every 10 minutes`."""
    on_commit = "deferred" if view.deferred else "on-commit"
    every = view.properties.get(EVERY, "")
    return f"{on_commit}, every {every}" if period(every) else on_commit


def next_refresh(view: MaterializedView) -> str:
    """Return a text about the next refresh of a stale view: the time, or the event or statement that starts the
    refresh.

    >>> from types import SimpleNamespace as View
    >>> next_refresh(View(deferred=False, properties={EVERY: "10 minutes"}))
    'refreshed within 10 minutes, or with the next write through Viewgate'
    >>> next_refresh(View(deferred=True, properties={}, name="lake.web.daily"))
    'refreshed only by REFRESH MATERIALIZED VIEW lake.web.daily'
    """
    every = view.properties.get(EVERY, "")
    times = [f"within {every}"] if period(every) else []
    times += [] if view.deferred else ["with the next write through Viewgate"]
    return "refreshed " + (", or ".join(times) or f"only by REFRESH MATERIALIZED VIEW {view.name}")
