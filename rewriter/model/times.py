"""Prints points in time as SQL literals."""

from __future__ import annotations

from datetime import datetime, timedelta


def timestamp_text(micros: int) -> str:
    """Return microseconds since 1970 as a TIMESTAMP_LTZ literal in UTC: the same time in every session time zone.

    >>> timestamp_text(0)
    "TIMESTAMP_LTZ '1970-01-01 00:00:00.000000Z'"
    """
    wall = datetime(1970, 1, 1) + timedelta(microseconds=micros)
    return f"TIMESTAMP_LTZ '{wall.isoformat(' ', 'microseconds')}Z'"
