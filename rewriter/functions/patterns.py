"""The letters of datetime patterns that Spark refuses, for date_format() and the functions that parse texts."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"'[^']*'")
# Spark 3 refuses week-based fields, and fields of which only java.time knows the meaning.
_REFUSED = frozenset("YWwuecABnNp")
# The functions by which Spark writes and reads a text with a pattern, their second argument.
_WRITING = ("date_format", "from_unixtime", "to_char")
_READING = ("to_date", "to_timestamp", "to_unix_timestamp", "try_to_timestamp", "unix_timestamp")
_REFUSED_IN_READING = _REFUSED | frozenset("EFqQ")
# Five of these letters ask for a name of one letter.
_NARROW = ("GGGGG", "MMMMM", "LLLLL", "EEEEE", "QQQQQ", "qqqqq", "yyyyyyy")


def refused_in(name: str, pattern: str) -> str:
    """Return the first part of a datetime pattern that Spark refuses in the function `name`; empty if there is none.

    >>> [refused_in("date_format", text) for text in ("u", "yyyy-MM-dd 'week'", "MMMMM")]
    ['u', '', 'MMMMM']
    """
    if name not in (*_WRITING, *_READING):
        return ""
    plain = _QUOTED.sub("", pattern)
    refused = _REFUSED_IN_READING if name in _READING else _REFUSED
    letter = next((letter for letter in plain if letter in refused), "")
    return letter or next((narrow for narrow in _NARROW if narrow in plain), "")
