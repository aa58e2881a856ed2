"""Which views could answer a statement: a shortlist, never a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from rewriter.model import MaterializedView, Session, TableName
from rewriter.sql import Statement, parse
from rewriter.verbatim import Text, texts_of


@dataclass(frozen=True)
class Definitions:
    """The views and what they read; changes with DDL only.

    >>> Definitions(()).shortlist([TableName(("lake", "demo", "sales"))])
    ()
    """

    views: tuple[MaterializedView, ...]

    @cached_property
    def by_name(self) -> dict[TableName, MaterializedView]:
        """The views by their names."""
        return {view.name: view for view in self.views}

    @cached_property
    def sources(self) -> dict[TableName, tuple[TableName, ...]]:
        """The tables that each view's storage is computed from, by the view's name."""
        return {view.name: statement_of(view).tables for view in self.views}

    @cached_property
    def verbatim(self) -> dict[Text, tuple[MaterializedView, bool]]:
        """The views that are no block by the texts that they answer, and whether with the text's own limit."""
        whole = (view for view in self.views if view.storage_query == view.query)
        return {text: (view, limited) for view in whole for text, limited in texts_of(statement_of(view))}

    @cached_property
    def graph(self) -> nx.DiGraph[TableName]:
        """Edges from each table to the views over it."""
        graph: nx.DiGraph[TableName] = nx.DiGraph()
        graph.add_edges_from((table, view) for view, tables in self.sources.items() for table in tables)
        return graph

    def shortlist(self, tables: Iterable[TableName]) -> tuple[MaterializedView, ...]:
        """The views over any of these tables, and those that are named themselves; in the order of names.

        A view may join more tables than a query: keys can prove that this changes nothing.
        """
        named = frozenset(tables)
        over = {view for table in named if table in self.graph for view in self.graph.successors(table)}
        possible = over | (named & self.by_name.keys())
        return tuple(self.by_name[name] for name in sorted(possible))

    def closure(self, statement: Statement) -> frozenset[TableName]:
        """Everything that has to be looked up to decide about a statement."""
        names = set(statement.tables)
        for view in self.shortlist(statement.tables):
            names |= {view.name, view.storage, *self.sources[view.name]}
        return frozenset(names)


def statement_of(view: MaterializedView) -> Statement:
    """The query that fills a view's storage, its names resolved where the view was defined."""
    return parse(view.storage_query, Session(view.catalog, view.namespace, catalogs=frozenset({view.name.catalog})))
