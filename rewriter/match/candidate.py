"""What goes into a rule and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Ordering
from rewriter.model import MaterializedView, Table

Tree = exp.Expr


class Reason(StrEnum):
    """Why a view does not answer a block."""

    TABLES_DIFFER = "TABLES_DIFFER"
    VIEW_FILTERS_MORE = "VIEW_FILTERS_MORE"
    JOIN_DIFFERS = "JOIN_DIFFERS"
    COLUMN_NOT_IN_VIEW = "COLUMN_NOT_IN_VIEW"
    AGGREGATE_NOT_IN_VIEW = "AGGREGATE_NOT_IN_VIEW"
    AGGREGATE_DOES_NOT_ROLL_UP = "AGGREGATE_DOES_NOT_ROLL_UP"
    GROUPING_TOO_COARSE = "GROUPING_TOO_COARSE"
    FLOAT_SUM_DECIDES_ROWS = "FLOAT_SUM_DECIDES_ROWS"
    FLOAT_COMPARED_WITH_ZERO = "FLOAT_COMPARED_WITH_ZERO"
    ZONE_NOT_PROVED = "ZONE_NOT_PROVED"
    SHAPE = "SHAPE"
    SETTINGS_DIFFER = "SETTINGS_DIFFER"
    STALE = "STALE"
    NEVER_REFRESHED = "NEVER_REFRESHED"
    REWRITE_OFF = "REWRITE_OFF"
    UNKNOWN_STATE = "UNKNOWN_STATE"
    NOT_READ = "NOT_READ"
    NOT_PINNED = "NOT_PINNED"
    NOT_CHOSEN = "NOT_CHOSEN"


@dataclass(frozen=True)
class Miss:
    """The view cannot answer the block, and what stands in the way."""

    reason: Reason
    detail: str


@dataclass(frozen=True)
class Candidate:
    """A view with its block and its storage as they are now.

    `columns` names the storage column of each output of `block`; `sources` are the tables that it reads.
    """

    view: MaterializedView
    block: Block
    storage: Table
    columns: tuple[str, ...]
    sources: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Rewriting:
    """A block over a view's storage: what to print.

    `tables` are the query's own tables that are joined to the storage, by `joins` or else inner; all columns
    are qualified, those of the storage by `v`. `group` is None where nothing is grouped.
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


@dataclass(frozen=True)
class Match:
    """The view answers the block by this rewriting."""

    rewriting: Rewriting
    rolled_up: bool = False


STORAGE_ALIAS = "v"
