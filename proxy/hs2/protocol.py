"""Versions of the protocol, and what changed with them."""

from __future__ import annotations

V1, V6, V8, V11 = 0, 5, 7, 10

SPARK_HOLDS_S = 5.0  # seconds that Spark holds a question for the status of a running statement, if not told otherwise


def clamped(version: int | None) -> int:
    """Return the version to speak with a client: the one asked for, or the latest if that is absent or unknown.

    >>> clamped(5), clamped(42247), clamped(None)
    (5, 10, 10)
    """
    return version if version is not None and V1 <= version <= V11 else V11


def columnar(version: int) -> bool:
    """Return whether rows travel as columns, binary ones among them."""
    return version >= V6


def knows_timeout(version: int) -> bool:
    """Return whether a client understands that an operation timed out; older ones wait for ever."""
    return version > V8


def status_held_s(version: int) -> float:
    """Return the seconds that a status poll is held for a client of a version, so that it need not spin.

    Hive JDBC, of V7 and later, asks one after the other and cannot cancel meanwhile. PyHive, below dbt and Superset,
    and impyla, both of V6, sleep for up to five seconds after each answer but the last: they are held for Spark's time.

    >>> status_held_s(V6), status_held_s(V8)
    (5.0, 0.03)
    """
    return 0.03 if version > V6 else SPARK_HOLDS_S
