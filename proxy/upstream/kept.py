"""The session effects to replay on another upstream session, in order."""

from __future__ import annotations

import re

from rewriter.model import split_name, ticked

MOST_KEPT = 64  # statements; to repeat more is no longer reasonable
_READS = re.compile(r"\s*SET(\s+-v|\s+[^\s=;]+)?\s*;?\s*", re.IGNORECASE)
_MOVES = re.compile(r"\s*(USE|SET\s+CATALOG)\b", re.IGNORECASE)
_SETS = re.compile(r"\s*(SET|RESET)\b", re.IGNORECASE)
_BEARS_ON_MOVES = re.compile("catalog|case", re.IGNORECASE)
_SUBSTITUTES = "${"
_ELSEWHERE = "spark_catalog"  # a catalog whose namespace is none of its own is to be entered from another


class Kept:
    """SET, RESET and USE, as they were sent.

    >>> kept = Kept()
    >>> for sql in ("SET a = 1", "USE lake", "USE demo", "SET a", "SET a = 1"):
    ...     kept.add(sql)
    >>> kept.texts, kept.moves
    (('USE lake', 'USE demo', 'SET a = 1'), 2)
    >>> kept.settle(kept.texts, "lake", "demo"), kept.texts
    (True, ('SET a = 1', 'USE `lake`.`demo`'))
    """

    __slots__ = ("texts",)

    def __init__(self) -> None:
        self.texts: tuple[str, ...] = ()

    @property
    def moves(self) -> int:
        """The number of statements that lead to another namespace."""
        return sum(_MOVES.match(text) is not None for text in self.texts)

    def add(self, sql: str) -> None:
        """Take note of one more; the same text before it is dropped where nothing in between depends on it."""
        if _READS.fullmatch(sql):
            return
        at = max((number for number, text in enumerate(self.texts) if text == sql), default=None)
        if at is not None and not any(_depends(text, sql) for text in (*self.texts[at + 1 :], sql)):
            self.texts = (*self.texts[:at], *self.texts[at + 1 :])
        self.texts = (*self.texts, sql)

    def settle(self, before: tuple[str, ...], catalog: str, namespace: str) -> bool:
        """Have the one way to a namespace, written as Spark does, in place of all that led there `before`.

        False where that has changed since.
        """
        if self.texts[: len(before)] != before:
            return False
        enter = f"USE {ticked(catalog)}"
        names = ".".join(ticked(name) for name in split_name(namespace))
        there = (f"{enter}.{names}",) if namespace else (f"USE {_ELSEWHERE}", enter)
        stays = (text for text in before if not _MOVES.match(text))
        self.texts = (*stays, *there, *self.texts[len(before) :])
        return True


def _depends(text: str, before: str) -> bool:
    """Return whether what a statement does may depend on one before it, which is not the same.

    >>> _depends("USE b", "USE a"), _depends("USE b", "SET x = 1"), _depends("SET y = ${x}", "SET x = 1")
    (True, False, True)
    """
    if _SUBSTITUTES in text:
        return True
    if text == before or (_SETS.match(text) and not _MOVES.match(text)):
        return False
    return not _SETS.match(before) or _BEARS_ON_MOVES.search(before) is not None
