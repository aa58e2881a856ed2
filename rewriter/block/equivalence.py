"""Equivalence classes of columns that a block's predicates equate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from sqlglot import exp

from rewriter.sql import columns_in

Tree = exp.Expr
Key = tuple[str, str]
_Member = TypeVar("_Member", bound=Hashable)


def key_of(column: Tree) -> Key:
    """Return a canonical column reference as a pair: the id of the table in FROM, and the name of the column."""
    assert isinstance(column, exp.Column)
    return column.table, column.name


def equate(classes: dict[_Member, frozenset[_Member]], pairs: Iterable[tuple[_Member, _Member]]) -> None:
    """Merge the equivalence classes of the two members of each pair in `pairs`.

    `classes`, which maps each member to its class, is changed in place. A member that is not in `classes` starts as a
    class of its own.
    """
    for left, right in pairs:
        both = classes.get(left, frozenset({left})) | classes.get(right, frozenset({right}))
        classes |= dict.fromkeys(both, both)


class Equivalence:
    """The equivalence classes of canonical columns that follow from pairs of equal columns.

    The representative of a class is its least member by table id and name; a column in no pair is a class of its own.

    >>> a, b, c = (exp.column(n, "t0") for n in "abc")
    >>> Equivalence([(a, b), (b, c)]).same(a, c), Equivalence([(a, b)]).same(a, c)
    (True, False)
    """

    def __init__(self, pairs: Iterable[tuple[Tree, Tree]]) -> None:
        self._class: dict[Key, frozenset[Key]] = {}
        equate(self._class, ((key_of(left), key_of(right)) for left, right in pairs))
        classes = dict.fromkeys(self._class.values())
        self._representative = {key: least for group in classes for least in (min(group),) for key in group}
        self._normalized: dict[Tree, Tree] = {}

    def members(self, column: Tree) -> frozenset[Key]:
        """Return the columns that are equal to a column, with the column itself, as pairs of table id and name."""
        key = key_of(column)
        return self._class.get(key, frozenset({key}))

    def same(self, left: Tree, right: Tree) -> bool:
        """Return whether two columns are in the same equivalence class."""
        return key_of(right) in self.members(left)

    def normalize(self, tree: Tree) -> Tree:
        """Return the expression with each column replaced by the representative of its equivalence class."""
        if not self._representative:
            return tree
        known = self._normalized.get(tree)
        if known is None:
            named = any(key_of(c) in self._representative for c in columns_in(tree))
            known = self._normalized[tree] = tree.transform(self._swap) if named else tree
        return known

    def _swap(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            table, name = self._representative.get(key_of(node), key_of(node))
            return exp.column(name, table)
        return node
