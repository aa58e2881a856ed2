"""Trace contexts in the form of W3C's `traceparent`, and where a statement can carry one.

The spec: https://www.w3.org/TR/trace-context/#traceparent-header; the comment is sqlcommenter's.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

TRACEPARENT = "traceparent"
# Version 00 has four fields; later ones may have more behind them.
_FORM = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
_PAIR = re.compile(rf"\b{TRACEPARENT}\s*=\s*'([^']*)'")
_SAMPLED = 1  # of the flags in the last field


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace by its id, the client's span in it, empty where the trace begins here, and whether it is recorded."""

    id: str
    parent: str = ""
    sampled: bool = True

    @classmethod
    def new(cls) -> Trace:
        """Return a trace that begins here."""
        return cls(f"{random.getrandbits(128) or 1:032x}")  # an id, and no secret


def read(traceparent: str) -> Trace | None:
    """Return the trace context in the value of a `traceparent`; None if the value is not valid.

    >>> read("00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01")
    Trace(id='5bd66ef5095369c7b0d1f8f4bd33716a', parent='c532cb4098ac3dd2', sampled=True)
    >>> read("00-00000000000000000000000000000000-c532cb4098ac3dd2-01"), read("")
    (None, None)
    """
    found = _FORM.fullmatch(traceparent.strip()) if traceparent else None
    if found is None or (found[1] == "00" and found[5]):
        return None
    return Trace(found[2], found[3], bool(int(found[4], 16) & _SAMPLED))


def in_comment(sql: str) -> Trace | None:
    """Return the trace context that a comment in a statement carries, the last one of several.

    >>> in_comment("SELECT 1 /*route='x',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-00'*/")
    Trace(id='5bd66ef5095369c7b0d1f8f4bd33716a', parent='c532cb4098ac3dd2', sampled=False)
    >>> in_comment("SELECT traceparent FROM requests")
    """
    if TRACEPARENT not in sql:
        return None
    values = [value for comment in _COMMENT.findall(sql) for value in _PAIR.findall(comment)]
    return next((trace for trace in map(read, reversed(values)) if trace is not None), None)
