"""Classes of columns that a block's equalities make equal."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
from sqlglot import exp

Tree = exp.Expr
Key = tuple[str, str]


def key_of(column: Tree) -> Key:
    """A canonical column as a pair of occurrence and name."""
    assert isinstance(column, exp.Column)
    return column.table, column.name


class Equivalence:
    """The equivalence that pairs of canonical columns generate.

    >>> a, b, c = (exp.column(n, "t0") for n in "abc")
    >>> Equivalence([(a, b), (b, c)]).same(a, c), Equivalence([(a, b)]).same(a, c)
    (True, False)
    """

    def __init__(self, pairs: Iterable[tuple[Tree, Tree]]) -> None:
        graph: nx.Graph[Key] = nx.Graph()
        graph.add_edges_from((key_of(left), key_of(right)) for left, right in pairs)
        self.classes = tuple(frozenset(group) for group in nx.connected_components(graph))
        self._class = {key: group for group in self.classes for key in group}
        self._representative = {key: min(group) for key, group in self._class.items()}

    def members(self, column: Tree) -> frozenset[Key]:
        """The class of a column, itself included."""
        key = key_of(column)
        return self._class.get(key, frozenset({key}))

    def same(self, left: Tree, right: Tree) -> bool:
        """Whether two columns are in one class."""
        return key_of(right) in self.members(left)

    def normalize(self, tree: Tree) -> Tree:
        """The expression with each column replaced by the representative of its class."""
        if not any(key_of(c) in self._representative for c in tree.find_all(exp.Column)):
            return tree
        return tree.transform(self._swap)

    def _swap(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            table, name = self._representative.get(key_of(node), key_of(node))
            return exp.column(name, table)
        return node
