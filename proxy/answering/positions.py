"""Converts Spark's errors about a text that Viewgate has changed to errors about the user's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.hs2 import SqlError
from proxy.hs2.status import first_message, reported, without_plan
from rewriter import Edit

_PLACE = re.compile(r"\bline (?P<line>\d+)(?P<pos>,? pos )(?P<column>\d+)")
_SHOWN = "== SQL ==\n"  # precedes the text in an error of Spark's parser
# An error at run time shows the lines of an expression, each above a line of marks.
_CONTEXT = re.compile(
    r"^== SQL(?P<of>[^\n(]*+)\(line (?P<line>\d+), position (?P<column>\d+)\) ==\n"
    r"(?P<shown>(?:[^\n]*+\n *+\^++(?:\n|\Z))++)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Changed:
    """The user's statement `sql`, the statement `sent` to Spark instead, and the edits that turn `sql` into `sent`.

    Without edits, `sent` is `sql` with some characters replaced by spaces, so that each offset is the same in both
    texts.
    """

    sql: str
    sent: str
    edits: Sequence[Edit] = ()

    def reworded(self, error: SqlError) -> SqlError:
        """Return an error about the text `sent` as an error about `sql`. Spark's plan is left out, because it shows the
        edits.
        """
        message = self._placed(without_plan(first_message(error.message)))
        for edit in self.edits:
            message = message.replace(edit.text, self.sql[edit.start : edit.end])
        return reported(message, error.sql_state, error.error_code)

    def _placed(self, message: str) -> str:
        """Return Spark's message about the text `sent` with positions in the user's text `sql`, and with this text.

        An error of Spark's parser shows the whole statement, with `^^^` below the position of the error.
        """
        head, shown, _ = message.partition(_SHOWN)
        placed = _PLACE.search(head)
        if not shown or placed is None:
            return _CONTEXT.sub(self._context, _PLACE.sub(self._place, message)).replace(self.sent, self.sql)
        line, column = self._moved(int(placed["line"]), int(placed["column"]))
        lines = self.sql.split("\n")
        lines.insert(line, "-" * column + "^^^")
        return _PLACE.sub(self._place, head) + shown + "\n".join(lines)

    def _place(self, at: re.Match[str]) -> str:
        line, column = self._moved(int(at["line"]), int(at["column"]))
        return _written(at, line, column)

    def _context(self, at: re.Match[str]) -> str:
        marks = [line.count("^") for line in at["shown"].split("\n")[1::2]]
        start = self._offset(int(at["line"]), int(at["column"]) - 1)
        end = max(self._before(start + sum(marks) + len(marks) - 1), self._before(start) + 1)
        line, column = self._moved(int(at["line"]), int(at["column"]) - 1)
        shown, begin = "", self._before(start) - column
        for text in self.sql[begin:].split("\n"):
            if begin >= end:
                break
            first = max(self._before(start) - begin, 0)
            shown += f"{text}\n{' ' * first}{'^' * (min(end - begin, len(text)) - first)}\n"
            begin += len(text) + 1
        return f"== SQL{at['of']}(line {line}, position {column + 1}) ==\n{shown}"

    def _moved(self, line: int, column: int) -> tuple[int, int]:
        """Return the position in the user's text, as line (from 1) and column (from 0), of a position in the text
        `sent`.
        """
        at = self._before(self._offset(line, column))
        return self.sql.count("\n", 0, at) + 1, at - (self.sql.rfind("\n", 0, at) + 1)

    def _offset(self, line: int, column: int) -> int:
        return sum(len(text) + 1 for text in self.sent.split("\n")[: line - 1]) + column

    def _before(self, offset: int) -> int:
        """Return the offset in the user's text `sql` that corresponds to an offset in the text `sent` to Spark.

        Within an edit, return the start of the edit.
        """
        longer = 0
        for edit in sorted(self.edits):
            start = edit.start + longer
            if offset < start:
                break
            if offset < start + len(edit.text):
                return edit.start
            longer += len(edit.text) - (edit.end - edit.start)
        return offset - longer


def behind(ours: str, error: SqlError) -> SqlError:
    r"""Convert an error about a statement with a first line `ours` to an error about the user's statement without that
    line.

    >>> print(behind("DESCRIBE QUERY\n", SqlError("[X] (line 2, pos 7)\n\n== SQL ==\nDESCRIBE QUERY\nSELECT a b c")))
    [X] (line 1, pos 7)
    <BLANKLINE>
    == SQL ==
    SELECT a b c
    """
    moved = _PLACE.sub(lambda at: _written(at, max(int(at["line"]) - 1, 1), at["column"]), error.message)
    return reported(moved.replace(ours, ""), error.sql_state, error.error_code)


def _written(at: re.Match[str], line: int, column: int | str) -> str:
    """Return the position in Spark's message that `at` has matched, with another line and column.

    For example, `line 2, pos 7` becomes `line 1, pos 7`.
    """
    return f"line {line}{at['pos']}{column}"
