"""Rewritings: queries over storage tables, and UNION ALLs of such queries with queries over base tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Ordering, opaque_within, text_of, with_texts
from rewriter.block.opaque import OUTER
from rewriter.delta import Added, At, Changed, Read
from rewriter.model import Column, Table, TableName

Tree = exp.Expr


@dataclass(frozen=True)
class Rewriting:
    """A query over a view's storage table, ready to be printed.

    - `tables`: the query's further tables; a table in none of the `joins` is inner-joined to the storage table
    - `joins`: the outer, semi and anti joins
    - `group`: the GROUP BY keys; None without GROUP BY
    - `sets`: the grouping sets; None without GROUPING SETS
    - `union`: None, or a UNION ALL that is read in place of the storage table; `storage` then describes the columns of
      the UNION ALL

    All columns are qualified; the qualifier of storage columns is `v`.
    """

    storage: Table
    tables: tuple[Occurrence, ...]
    outputs: tuple[Tree, ...]
    where: tuple[Tree, ...] = ()
    group: tuple[Tree, ...] | None = None
    having: tuple[Tree, ...] = ()
    order: tuple[Ordering, ...] = ()
    limit: str | None = None
    offset: str | None = None
    joins: tuple[Join, ...] = ()
    union: UnionAll | None = None
    sets: tuple[tuple[Tree, ...], ...] | None = None
    distinct: bool = False

    @property
    def reads(self) -> frozenset[TableName]:
        """The names of the catalog tables that the rewriting reads."""
        beside = {table.name for table in self.tables if not table.text}
        return self.union.reads.union(beside) if self.union is not None else frozenset({self.storage.name, *beside})

    @property
    def ranges(self) -> frozenset[tuple[TableName, Added | Changed]]:
        """The reads of appended or changed rows, each with its table."""
        return self.union.ranges if self.union is not None else frozenset()

    @property
    def texts(self) -> frozenset[str]:
        """The SQL of all subqueries and derived tables of the query that the rewriting contains unchanged."""
        own = _texts_in((*self.outputs, *self.where, *self.having, *(item.key for item in self.order)), self.tables)
        return own | self.union.texts if self.union is not None else own

    @property
    def live(self) -> bool:
        """Whether the rewriting reads rows appended or changed since the view's last refresh."""
        union = self.union
        return union is not None and (bool(union.deltas) or any(view.live for view in union.views))

    def with_texts(self, texts: Mapping[str, str]) -> Rewriting:
        """Return the rewriting with other SQL for its subqueries and derived tables.

        `texts` maps the present SQL of a subquery or derived table to its new SQL; the others stay unchanged.
        """
        return replace(_put_into(self, texts), union=self.union and self.union.with_texts(texts))


@dataclass(frozen=True)
class Delta:
    """The rows by which the result of `block` grows through changes of its tables since a view's last refresh.

    `reads` has one entry for each table of the block, in order: read all rows at a snapshot, or only the rows appended
    or changed between two snapshots.
    """

    block: Block
    reads: tuple[Read, ...]


@dataclass(frozen=True)
class UnionAll:
    """A UNION ALL of one or more branches, each of which computes groups or rows, read in place of a storage table.

    No base row is counted in two branches. A branch is a Rewriting (read from a view), a Block (read from base tables)
    or a Delta (read from appended or changed rows). `shared` pairs each branch with its estimated share (0 to 1) of the
    query's rows; `columns` are the columns of the UNION ALL.
    """

    shared: tuple[Shared, ...]
    columns: tuple[Column, ...]

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches without their estimated shares of rows."""
        return tuple(branch for branch, _ in self.shared)

    @property
    def rest(self) -> tuple[Block, ...]:
        """The branches that read base tables."""
        return tuple(branch for branch in self.branches if isinstance(branch, Block))

    @property
    def views(self) -> tuple[Rewriting, ...]:
        """The branches that read views."""
        return tuple(branch for branch in self.branches if isinstance(branch, Rewriting))

    @property
    def deltas(self) -> tuple[Delta, ...]:
        """The branches that read rows appended or changed since the last refresh of a view."""
        return tuple(branch for branch in self.branches if isinstance(branch, Delta))

    @property
    def reads(self) -> frozenset[TableName]:
        """The names of the catalog tables that the branches read."""
        tables = (table.name for block in self._blocks for table in block.tables if not table.text)
        return frozenset(tables).union(*(view.reads for view in self.views))

    @property
    def ranges(self) -> frozenset[tuple[TableName, Added | Changed]]:
        """The reads of appended or changed rows in the branches, each with its table."""
        pairs = (pair for delta in self.deltas for pair in zip(delta.block.tables, delta.reads, strict=True))
        own = frozenset((table.name, read) for table, read in pairs if not isinstance(read, At))
        return own.union(*(view.ranges for view in self.views))

    @property
    def texts(self) -> frozenset[str]:
        """The SQL of all subqueries and derived tables of the query that the branches contain unchanged."""
        own = (_texts_in(block.expressions, block.tables) for block in self._blocks)
        return frozenset[str]().union(*own, *(view.texts for view in self.views))

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return (*self.rest, *(delta.block for delta in self.deltas))

    def with_texts(self, texts: Mapping[str, str]) -> UnionAll:
        """Return the union with other SQL for its subqueries and derived tables.

        `texts` maps the present SQL of a subquery or derived table to its new SQL; the others stay unchanged.
        """
        return replace(self, shared=tuple(Shared(_retold(branch, texts), share) for branch, share in self.shared))


Branch = Rewriting | Block | Delta
Within = TypeVar("Within", Rewriting, Block)


class Shared(NamedTuple):
    """A branch of a union, with the estimated share (0 to 1) of the query's rows that the branch reads."""

    branch: Branch
    share: float


def _retold(branch: Branch, texts: Mapping[str, str]) -> Branch:
    if isinstance(branch, Rewriting):
        return branch.with_texts(texts)
    if isinstance(branch, Delta):
        return replace(branch, block=_put_into(branch.block, texts))
    return _put_into(branch, texts)


def _put_into(within: Within, texts: Mapping[str, str]) -> Within:
    """Return a block or rewriting with other SQL for its subqueries and derived tables.

    `texts` maps the present SQL of a subquery or derived table to its new SQL; the others stay unchanged.
    """
    return replace(
        within,
        tables=tuple(replace(table, text=texts.get(table.text, table.text)) for table in within.tables),
        outputs=_put(within.outputs, texts),
        where=_put(within.where, texts),
        having=_put(within.having, texts),
        order=tuple(replace(item, key=with_texts(item.key, texts)) for item in within.order),
    )


def _texts_in(trees: Sequence[Tree], tables: Sequence[Occurrence]) -> frozenset[str]:
    subqueries = (text_of(call) for tree in trees for call in opaque_within(tree) if call.name != OUTER)
    return frozenset(subqueries) | {table.text for table in tables if table.text.startswith("(")}


@dataclass(frozen=True)
class Match:
    """The rewriting by which a view answers a query block.

    `rolled_up` is true if a group of the query combines several groups of the view.
    """

    rewriting: Rewriting
    rolled_up: bool = False


def _put(trees: tuple[Tree, ...], texts: Mapping[str, str]) -> tuple[Tree, ...]:
    return tuple(with_texts(tree, texts) for tree in trees)
