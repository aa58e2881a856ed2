"""Finds out whether the duplicate rows of a SELECT matter, by the EXISTS, IN or set operation that reads the rows."""

from __future__ import annotations

import re
from enum import Enum

from sqlglot import exp

from rewriter.sql.search import every
from rewriter.sql.statement import SelectBlock, Statement

# Matches the end of the text before a subquery's parentheses if the subquery may belong to EXISTS or IN.
_ASKING = re.compile(r"(?:.*\W)?(?:EXISTS|IN)", re.IGNORECASE | re.DOTALL)


class Membership(Enum):
    """The use of a SELECT in which duplicate rows do not matter.

    The SELECT is the subquery of EXISTS or IN, or MERGED: an operand of UNION, INTERSECT or EXCEPT without ALL.
    """

    EXISTS = "EXISTS"
    IN = "IN"
    MERGED = "MERGED"


def membership_of(statement: Statement, select: SelectBlock) -> Membership | None:
    """Return the use of a block in which its duplicate rows do not matter; None if duplicate rows may matter.

    Also return None if the same SELECT text is used in different ways in the enclosing block.

    >>> from rewriter.model import Session
    >>> from rewriter.sql import parse
    >>> asked = parse("SELECT 1 FROM a WHERE x NOT IN (SELECT y FROM b)", Session("lake", ("demo",)))
    >>> membership_of(asked, asked.blocks[1])
    <Membership.IN: 'IN'>
    >>> asked = parse("SELECT x FROM a UNION SELECT y FROM b", Session("lake", ("demo",)))
    >>> membership_of(asked, asked.blocks[1])
    <Membership.MERGED: 'MERGED'>
    """
    if select.span in statement.merged:
        return Membership.MERGED
    around = next(reversed(statement.around(select)), None)
    if around is None or around.tree is None or select.tree is None:
        return None
    if not _may_be_asked(statement.sql[around.span.start : select.span.start].rstrip("( \t\r\n")):
        return None
    asked = {_asked_at(place) for place in every(around.tree, exp.Select) if place == select.tree}
    return asked.pop() if len(asked) == 1 else None


def _may_be_asked(before: str) -> bool:
    """Return whether the text before a subquery's parentheses ends with EXISTS, IN or a comment.

    A comment may follow EXISTS or IN, so that the result is True after any comment.
    """
    comment = before.endswith("*/") or "--" in before[before.rfind("\n") + 1 :]
    return comment or _ASKING.fullmatch(before[-len(" EXISTS") :]) is not None


def _asked_at(select: exp.Expr) -> Membership | None:
    """Return the predicate to which a SELECT node belongs as a subquery, also within further parentheses.

    Return None for other nodes.
    """
    node, parent = select, select.parent
    while isinstance(parent, exp.Subquery) and not parent.alias:
        node, parent = parent, parent.parent
    if isinstance(parent, exp.Exists):
        return Membership.EXISTS
    return Membership.IN if isinstance(parent, exp.In) and node.arg_key == "query" else None
