"""What is read off the text of a statement is the same each time, and clients send the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

_TEXTS = 1024
_LENGTH = 8192  # of a text that is kept


def remembered(read: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, which reads a text that it has read lately no second time; for values that never change.

    >>> calls = []
    >>> length = remembered(lambda sql: calls.append(sql) or len(sql))
    >>> length("SELECT 1"), length("SELECT 1"), calls
    (8, 8, ['SELECT 1'])
    """
    kept = lru_cache(_TEXTS)(read)

    @wraps(read)
    def reading(sql: str) -> T:
        return kept(sql) if len(sql) <= _LENGTH else read(sql)

    return reading
