"""Access paths: a view's query block with the current state of the view's storage table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block
from rewriter.model import Change, MaterializedView, Table

Tree = exp.Expr
# The alias of the storage table in plans.
STORAGE_ALIAS = "v"


@dataclass(frozen=True)
class AccessPath:
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
    def before_changes(self) -> AccessPath:
        """The access path to the stored rows alone, for a query that reads its tables as of the last refresh."""
        return replace(self, grown=(), past=True)


def stored(name: str) -> exp.Column:
    """Return the reference `v.name` to the storage column `name`, where v is the alias of the storage table.

    The reference is not cast: its type may differ from the type of the view's output, because Iceberg stores a TINYINT
    as INT.
    """
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(STORAGE_ALIAS))
