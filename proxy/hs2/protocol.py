"""Versions of the protocol, and what changed with them."""

from __future__ import annotations

V1, V6, V8, V11 = 0, 5, 7, 10


def clamped(version: int | None) -> int:
    """The version to speak with a client that asks for one; the latest to one that asks for none or an unknown one.

    >>> clamped(5), clamped(42247), clamped(None)
    (5, 10, 10)
    """
    return version if version is not None and V1 <= version <= V11 else V11


def columnar(version: int) -> bool:
    """Whether rows travel as columns, binary ones among them."""
    return version >= V6


def knows_timeout(version: int) -> bool:
    """Whether a client understands that an operation timed out; older ones wait for ever."""
    return version > V8
