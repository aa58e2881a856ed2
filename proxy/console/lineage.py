"""Lays out the dependency graph of tables and materialized views for drawing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import fmean
from typing import TypeAlias

import networkx as nx

from proxy.hs2 import SqlError
from proxy.pipeline import relations
from rewriter.model import MaterializedView, PlainView, Session, TableName

MOST = 120  # names drawn at once; lines between more could not be followed
_LETTERS = 23
WIDTH, HEIGHT, ACROSS, DOWN, EDGE = 232, 52, 88, 20, 8

Graph: TypeAlias = "nx.DiGraph[TableName]"


def graph(views: Iterable[MaterializedView], plain: Collection[PlainView]) -> Graph:
    """Return the dependency graph of materialized views: an edge leads from a table or view to each view that reads it.

    `plain` are the plain (not materialized) views of the catalog; the graph has only the plain views that materialized
    views read. The node attribute `kind` is "view" for a plain view, and "table" for a table or a materialized view.
    """
    read: dict[TableName, tuple[str, Session]] = {view.name: (view.query, view.session) for view in plain}
    found: Graph = nx.DiGraph()
    for view in views:
        _add(found, view.name, view.written, view.session, read)
    for name in found:
        found.nodes[name]["kind"] = "view" if name in read else "table"
    return found


def _add(
    found: Graph, name: TableName, query: str, session: Session, plain: Mapping[TableName, tuple[str, Session]]
) -> None:
    """Add the view `name` to the graph `found`, with an edge from each table and view that its `query` reads.

    `session` has the catalog and namespace that complete the table names in the query. `plain` has the query and
    session of each plain view; plain views that the query reads are added in the same way. If the query cannot be
    parsed, the view is added without edges.
    """
    found.add_node(name)
    try:
        sources = relations(query, session)
    except SqlError:  # the view's own page reports that its query cannot be parsed
        return
    for source in sources:
        if source in plain and source not in found:
            _add(found, source, *plain[source], plain)
        found.add_edge(source, name)


def around(found: Graph, name: TableName) -> Graph:
    """Return the part of a graph that contains the view `name`, its dependencies and its dependents.

    Direct and indirect dependencies are included: all names that the view reads, also through other views, and all
    views that read the view, also through other views.
    """
    return found.subgraph({name, *nx.ancestors(found, name), *nx.descendants(found, name)})


def short(name: TableName) -> str:
    """Return the text for the box of a name: the last two parts of the name, cut at the left to 23 characters.

    >>> short(TableName(("lake", "demo", "agg"))), short(TableName(("lake", "demo", "a_name_that_is_rather_long")))
    ('demo.agg', '…me_that_is_rather_long')
    """
    text = ".".join(name.parts[-2:])
    return text if len(text) <= _LETTERS else f"…{text[1 - _LETTERS :]}"


@dataclass(frozen=True)
class Node:
    """The box of a table or view in a drawing: its name, and the position of its upper left corner in pixels."""

    name: TableName
    x: int
    y: int


@dataclass(frozen=True)
class Line:
    """The curve of one edge of the graph, from the right side of one box to the left side of another box.

    `path` is the value of an SVG path's attribute `d`.
    """

    source: TableName
    target: TableName
    path: str


@dataclass(frozen=True)
class Drawing:
    """The boxes and lines of a drawn graph, and the width and height of the whole drawing in pixels."""

    nodes: Sequence[Node]
    lines: Sequence[Line]
    width: int
    height: int


def drawn(found: Graph) -> Drawing:
    """Return the layout of a graph from left to right: each name is to the right of all names on which it depends.

    Names that depend on each other are in one column.

    >>> a, b, c = (TableName((name,)) for name in "abc")
    >>> [(str(node.name), node.x, node.y) for node in drawn(nx.DiGraph([(a, b), (b, c), (a, c)])).nodes]
    [('a', 8, 8), ('b', 328, 8), ('c', 648, 8)]
    """
    columns = _ordered(found)
    most = max(map(len, columns), default=0)
    nodes = {
        name: Node(name, EDGE + column * (WIDTH + ACROSS), _y(row, len(names), most))
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    lines = [Line(source, target, _curve(nodes[source], nodes[target])) for source, target in sorted(found.edges)]
    width = 2 * EDGE + len(columns) * (WIDTH + ACROSS) - ACROSS
    return Drawing([*nodes.values()], lines, max(width, 0), 2 * EDGE + most * (HEIGHT + DOWN) - DOWN)


def _ordered(found: Graph) -> list[list[TableName]]:
    """Return the columns of boxes from left to right, each as its names from top to bottom.

    The first column has the names that depend on no other name. Each other name is in the first column that is to the
    right of all names on which it depends. Within a column, the names are sorted by the mean position of their
    neighbours in the graph, so that few lines cross. Views that read each other are in one column: such views cannot
    be refreshed, but a catalog may contain them.
    """
    merged = nx.condensation(found)
    members = merged.nodes(data="members")
    columns = [sorted(chain.from_iterable(members[one] for one in ones)) for ones in nx.topological_generations(merged)]
    for _ in range(4):
        for order, ties in ((columns, found.predecessors), (columns[::-1], found.successors)):
            for names in order:
                places = {name: row / len(column) for column in columns for row, name in enumerate(column)}
                names.sort(key=partial(_middle, ties, places))
    return columns


def _middle(
    ties: Callable[[TableName], Iterable[TableName]], places: Mapping[TableName, float], name: TableName
) -> float:
    tied = [places[other] for other in ties(name)]
    return fmean(tied) if tied else places[name]


def _y(row: int, rows: int, most: int) -> int:
    """Return the vertical position, in pixels, of the box number `row` (from 0) in a column of `rows` boxes.

    The column is centred vertically: `most` is the number of boxes in the column with the most boxes.
    """
    return EDGE + row * (HEIGHT + DOWN) + (most - rows) * (HEIGHT + DOWN) // 2


def _curve(source: Node, target: Node) -> str:
    x, y, end, to = source.x + WIDTH, source.y + HEIGHT // 2, target.x, target.y + HEIGHT // 2
    middle = (x + end) // 2
    return f"M{x} {y}C{middle} {y} {middle} {to} {end} {to}"
