"""Prints strings as Spark SQL string literals."""

from __future__ import annotations

from collections.abc import Mapping


def literal(text: str) -> str:
    r"""Return a string literal whose value in Spark is exactly `text`.

    The `$` of a `${` is written as a Unicode escape, because Spark replaces `${…}` before it parses the statement.

    >>> print(literal("it's \\ ${x}"))
    'it\'s \\ \u0024{x}'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"


def pairs(entries: Mapping[str, str]) -> str:
    """Return keys and values as text for the parentheses of WITH (…) and TBLPROPERTIES (…).

    >>> pairs({"a": "1", "b": "2"})
    "'a' = '1', 'b' = '2'"
    """
    return ", ".join(f"{literal(key)} = {literal(value)}" for key, value in entries.items())
