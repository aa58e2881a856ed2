"""Data types of matching: access paths (Candidate), reasons why a view cannot answer a query (Miss), and rewritings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, TypeVar

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Ordering, opaque_within, text_of, with_texts
from rewriter.block.opaque import OUTER
from rewriter.delta import Read
from rewriter.model import Change, Column, MaterializedView, Table, TableName

Tree = exp.Expr
STORAGE_ALIAS = "v"


class Reason(StrEnum):
    """The reason why a view cannot answer a query."""

    TABLES_DIFFER = "TABLES_DIFFER"
    VIEW_FILTERS_MORE = "VIEW_FILTERS_MORE"
    JOIN_DIFFERS = "JOIN_DIFFERS"
    COLUMN_NOT_IN_VIEW = "COLUMN_NOT_IN_VIEW"
    AGGREGATE_NOT_IN_VIEW = "AGGREGATE_NOT_IN_VIEW"
    AGGREGATE_DOES_NOT_ROLL_UP = "AGGREGATE_DOES_NOT_ROLL_UP"
    GROUPING_TOO_COARSE = "GROUPING_TOO_COARSE"
    FLOAT_SUM_DECIDES_ROWS = "FLOAT_SUM_DECIDES_ROWS"
    FLOAT_COMPARED = "FLOAT_COMPARED"
    ZONE_NOT_PROVED = "ZONE_NOT_PROVED"
    BOUNDS_UNKNOWN = "BOUNDS_UNKNOWN"
    SHAPE = "SHAPE"
    HOLDS_A_PART = "HOLDS_A_PART"
    SETTINGS_DIFFER = "SETTINGS_DIFFER"
    STALE = "STALE"
    NEVER_REFRESHED = "NEVER_REFRESHED"
    REWRITE_OFF = "REWRITE_OFF"
    UNKNOWN_STATE = "UNKNOWN_STATE"
    UNSUPPORTED = "UNSUPPORTED"
    VIEW_UNSUPPORTED = "VIEW_UNSUPPORTED"
    NOT_PINNED = "NOT_PINNED"
    NOT_CHOSEN = "NOT_CHOSEN"
    DEARER = "DEARER"
    PLAN_REFUTED = "PLAN_REFUTED"

    def told(self, detail: str) -> str:
        """Return the reason as a sentence about "the view", completed by `detail`.

        >>> Reason.COLUMN_NOT_IN_VIEW.told("price")
        'the view has no column price'
        """
        return _TOLD[self].format(detail) if detail else _TOLD[self].removesuffix(": {}").removesuffix(" {}")


_TOLD: Mapping[Reason, str] = {
    Reason.TABLES_DIFFER: "{}",
    Reason.VIEW_FILTERS_MORE: "the view holds only the rows with {}",
    Reason.JOIN_DIFFERS: "{}",
    Reason.COLUMN_NOT_IN_VIEW: "the view has no column {}",
    Reason.AGGREGATE_NOT_IN_VIEW: "the view does not store {}",
    Reason.AGGREGATE_DOES_NOT_ROLL_UP: "the view's groups cannot be rolled up to {}",
    Reason.GROUPING_TOO_COARSE: "the view's groups are too coarse: {}",
    Reason.FLOAT_SUM_DECIDES_ROWS: "the last bits of a floating-point sum would decide the rows: {}",
    Reason.FLOAT_COMPARED: "whether {} keeps -0.0, 0.0 and NaN depends on the files that hold the rows",
    Reason.ZONE_NOT_PROVED: "{}",
    Reason.BOUNDS_UNKNOWN: "the bounds of {} are not known, and quotients of large numbers are rounded",
    Reason.SHAPE: "the view has another form: {}",
    Reason.HOLDS_A_PART: "the view stores only the rows where {}",
    Reason.SETTINGS_DIFFER: "the session has other settings: {}",
    Reason.STALE: "the view is stale: {}",
    Reason.NEVER_REFRESHED: "the view was never refreshed: {}",
    Reason.REWRITE_OFF: "{}",
    Reason.UNKNOWN_STATE: "the view's state is not known: {}",
    Reason.UNSUPPORTED: "{}",
    Reason.VIEW_UNSUPPORTED: "the view answers only its own query: {}",
    Reason.NOT_PINNED: "{}",
    Reason.NOT_CHOSEN: "{}",
    Reason.DEARER: "{}",
    Reason.PLAN_REFUTED: "a plan that reads the view would give other rows: {}",
}


@dataclass(frozen=True)
class Miss:
    """The reason why a view cannot answer a query block.

    - `detail`: completes the sentence of the reason: `price` completes "the view has no column …"
    - `apart`: true if the Miss of any other rule says more about the view. The rule of this Miss is not meant for the
      query at all, as branch_by_branch for a single SELECT, or is only tried in addition, as union_remainder
    """

    reason: Reason
    detail: str
    apart: bool = False

    @property
    def closeness(self) -> int:
        """How close the view is to a match, from 0 to 2; if all rules fail, the Miss with the highest number is
        reported.

        - 0: `apart` is true: the Miss of any other rule says more
        - 1: the reason is SHAPE: the view's query is built differently, for example without GROUP BY
        - 2: any other reason, such as a missing column
        """
        return 0 if self.apart else 1 if self.reason is Reason.SHAPE else 2


@dataclass(frozen=True)
class Candidate:
    """An access path: a view's query block with the current state of its storage table.

    - `columns`: the names of the storage columns, one for each output of `block`
    - `sources`: the tables that the view reads
    - `scattered`: true if a group of the view may have several storage rows
    - `only`: conditions on storage columns that select the rows of the access path, such as the rows of one grouping
      set of the view
    - `own`: None if all rows of the view may be read. If only some may be read, as after a refresh with WHERE, `block`
      has the condition for these rows among its conjuncts, and `own` are the conjuncts of the view's definition alone
    - `grown`: the changes of tables to which rows were appended, or from which rows were deleted, after the last
      refresh; the storage table lacks these changes
    - `past`: true if the query reads its tables as of the view's last refresh
    """

    view: MaterializedView
    block: Block
    storage: Table
    columns: tuple[str, ...]
    sources: tuple[Table, ...] = ()
    scattered: bool = False
    only: tuple[Tree, ...] = ()
    grown: tuple[Change, ...] = ()
    past: bool = False
    own: tuple[Tree, ...] | None = None

    @property
    def before_changes(self) -> Candidate:
        """The access path to the stored rows alone, for a query that reads its tables as of the last refresh."""
        return replace(self, grown=(), past=True)


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


def stored(name: str) -> exp.Column:
    """Return the reference `v.name` to the storage column `name`, where v is the alias of the storage table.

    The reference is not cast: its type may differ from the type of the view's output, because Iceberg stores a TINYINT
    as INT.
    """
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(STORAGE_ALIAS))
