"""A suggestion for a query that no view answers: refresh a view, add outputs to it, or create another view."""

from __future__ import annotations

from dataclasses import dataclass

from rewriter.model import TableName, quoted
from rewriter.sizes import Size


@dataclass(frozen=True)
class Suggestion:
    """A change to the view `view` by which the view answers a query; `sql` is the changed query of the view.

    - `add`: the outputs to add, as SQL expressions; `names`: the names of these outputs
    - `columns`: the column list of the changed view; empty if the view's definition has no column list
    - `left`: the number of the statement's SELECTs that no view would answer even after the change
    - `new`: a free name for another view, if `view` itself should not change or does not exist; else None
    - `refresh`: true if the view only has to be refreshed
    - `outputs`: the added outputs as text to append to the SELECT list of the view; empty if `new` is not None
      because appending does not suffice
    - `size`: the estimated number of rows of the changed view; None if `add` has no grouping keys or without statistics
    - `alone`: true if the new view has only the added outputs, and no other output of `view`; without added outputs,
      the new view is the query itself
    - `verbatim`: true if the new view has the text of the query, and so answers few other queries
    - `hinted`: true if the query has a hint that names another view than the new view
    """

    view: TableName
    add: tuple[str, ...]
    sql: str
    names: tuple[str, ...]
    columns: tuple[str, ...] = ()
    left: int = 0
    new: TableName | None = None
    refresh: bool = False
    outputs: str = ""
    size: Size | None = None
    alone: bool = False
    verbatim: bool = False
    hinted: bool = False

    @property
    def made(self) -> TableName:
        """The name of the view that would answer the query: the new view, or else the changed view."""
        return self.new or self.view

    @property
    def part(self) -> str:
        """The number of SELECTs that would still read base tables after the change, as text; empty if none would.

        >>> Suggestion(TableName(("v",)), ("a",), "", ("a",), left=2).part
        '2 SELECTs would still read tables'
        """
        still = "1 SELECT" if self.left == 1 else f"{self.left} SELECTs"
        return f"{still} would still read tables" if self.left else ""

    @property
    def statement(self) -> str:
        """The SQL statement that makes the change."""
        if self.refresh:
            return f"REFRESH MATERIALIZED VIEW {self.view.sql()}"
        if self.new is None:  # CREATE OR REPLACE would drop the view's partitions and properties
            return f"ALTER MATERIALIZED VIEW {self.view.sql()} ADD COLUMNS ({self.outputs})"
        columns = f" ({', '.join(map(quoted, self.columns))})" if self.columns else ""
        return f"CREATE MATERIALIZED VIEW {self.new.sql()}{columns} AS {self.sql}"

    @property
    def told(self) -> str:
        """A sentence for the user about the change and its effect, which ends in a colon before the statement."""
        answered = f"a part of the query ({self.part})" if self.left else "the query"
        answered += " if its hint named the new view" if self.hinted else ""
        if self.refresh:
            return f"{self.view} would answer {answered} once it is refreshed:"
        if self.verbatim:
            return f"a new view {self.new} with the text of the query would answer the query, but few other queries:"
        size = f" ({self.size})" if self.size is not None else ""
        if self.alone and not self.add:
            return (
                f"a new view {self.new} of the query itself, with its filters{size}, would answer {answered}, but few "
                "other queries:"
            )
        if self.alone:
            return f"a new view {self.new} of {', '.join(self.add)}{size} would answer {answered}:"
        added = f" with {', '.join(self.add)} added{size}" if self.add else size
        if self.new is None:
            return f"{self.view} would answer {answered}{added}:"
        return f"a new view {self.new}, like {self.view}{added}, would answer {answered}:"

    def __str__(self) -> str:
        return f"{self.told}\n{self.statement};"
