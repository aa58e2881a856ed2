"""Expands views in a statement: replaces each view's name in FROM by the view's query, as a derived table.

The text of the view's query is kept, except that table names become full names, which mean the same as the names in the
view's own session. The derived table has the view's column names, and the view's types where the query may return a
type that Iceberg cannot store. If expanding a view might change the result, the view's name is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from rewriter.model import MaterializedView, PlainView, TableName, quoted
from rewriter.sql.dialect import excerpt
from rewriter.sql.splice import Edit, splice
from rewriter.sql.statement import Statement, parse, place_of

View = PlainView | MaterializedView

DEEPEST = 20
# The type with which Iceberg stores TINYINT and SMALLINT columns of a view.
_WIDENED = "int"
_NARROW = (exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT)
_NEVER_NARROW = frozenset(
    {"sum", "count", "min", "max", "avg", "coalesce", "year", "month", "day", "hour", "minute", "second", "quarter"}
)
_KEEPING = (
    exp.Column, exp.Identifier, exp.Literal, exp.Star, exp.Alias, exp.Anonymous, exp.Binary, exp.Paren, exp.Neg,
    exp.Case, exp.If, exp.Cast, exp.DataType, exp.DataTypeParam,
)  # fmt: skip
_PLAIN_NAME = re.compile(r"\w+\Z")
_WORD = re.compile(r"\w+")


class _Refused(Exception):
    """Raised if a view cannot be expanded; the message gives the reason."""


@dataclass(frozen=True)
class Expanded:
    """A statement after the expansion of views.

    `views` are the expanded views; `refused` maps the name of each view that could not be expanded to the reason.
    """

    statement: Statement
    views: tuple[View, ...] = ()
    refused: Mapping[TableName, str] = field(default_factory=dict)


def expand(statement: Statement, views: Mapping[TableName, View]) -> Expanded:
    """Return the statement with the given views expanded, also within the queries of expanded views.

    A statement that is neither a query nor a write of a query's rows, or that cannot be parsed, is returned unchanged.

    >>> from rewriter.model import Column, Session
    >>> name = TableName(("lake", "demo", "eu"))
    >>> eu = PlainView(name, "u", 1, "SELECT id FROM sales", (Column("id", "bigint"),), "lake", ("demo",))
    >>> expand(parse("SELECT count(id) FROM eu", Session("lake", ("demo",))), {name: eu}).statement.sql
    'SELECT count(id) FROM (SELECT id FROM lake.demo.sales) AS eu'
    """
    read = statement.is_query or statement.fills
    if views.keys().isdisjoint(statement.tables) or statement.problem or not read:
        return Expanded(statement)
    expansion = _Expansion(views, statement)
    edits = list(expansion.outer_edits())
    if not edits:
        return Expanded(statement, refused=expansion.refused)
    whole = parse(splice(statement.sql, edits), statement.session)
    return Expanded(whole, tuple(expansion.used.values()), expansion.refused)


def in_place(views: Sequence[MaterializedView], plain: Sequence[PlainView]) -> tuple[MaterializedView, ...]:
    """Return the materialized views, with view names expanded in the queries that fill their storage tables.

    `views` are all materialized views, and `plain` all plain views. If a query names a view that cannot be expanded,
    the query stays as defined, and the materialized view that it fills does not count as fresh.
    """
    known = by_name(plain, views)
    names = Names(known)
    return tuple(_in_place(view, known) if names.may_stand_in(view.written) else view for view in views)


def by_name(plain: Iterable[PlainView], materialized: Iterable[MaterializedView]) -> dict[TableName, View]:
    """Return all plain and materialized views by name."""
    found: dict[TableName, View] = {view.name: view for view in plain}
    return found | {view.name: view for view in materialized}


def _in_place(view: MaterializedView, known: Mapping[TableName, View]) -> MaterializedView:
    statement = parse(view.written, view.session)
    expanded = expand(statement, known)
    above = any(used.name == view.name for used in expanded.views)
    if expanded.refused or not expanded.views or above or expanded.statement.problem:
        return replace(view, storage_query=view.written, over_views="", through=())
    through = tuple(used.state for used in expanded.views)
    return replace(view, storage_query=expanded.statement.sql, over_views=view.written, through=through)


def from_storage(
    view: MaterializedView, known: Mapping[TableName, View], stored: Mapping[TableName, MaterializedView]
) -> str:
    """Return the query that fills a view's storage table, with each view in `stored` read from its own storage table.

    `FROM daily` becomes `FROM (SELECT day, total FROM lake.demo.daily__storage) AS daily`. `known` are all views by
    name; views that are not in `stored` are expanded to their queries.
    """
    held = {name: _as_stored(other) for name, other in stored.items()}
    return expand(parse(view.written, view.session), {**known, **held}).statement.sql


def _as_stored(view: MaterializedView) -> PlainView:
    query = f"SELECT {_names(view)} FROM {view.storage.sql()}"
    return PlainView(
        view.name, view.uuid, view.version, query, view.columns, view.catalog, view.namespace, view.catalogs,
        view.lower_names,
    )  # fmt: skip


class Names:
    """A fast test whether a text may contain one of several view names; a text with such a name is never missed."""

    def __init__(self, names: Iterable[TableName]) -> None:
        last = {name.table.lower() for name in names}
        self._words = frozenset(name for name in last if _PLAIN_NAME.match(name))
        self._others = last - self._words

    def may_stand_in(self, sql: str) -> bool:
        """Return whether a text contains the last part of one of the view names as a word, ignoring case.

        >>> Names([TableName(("lake", "demo", "eu"))]).may_stand_in("SELECT 1 FROM eu_sales")
        False
        """
        lower = sql.lower()
        words = bool(self._words) and not self._words.isdisjoint(_WORD.findall(lower))
        return words or any(other.replace("`", "``") in lower for other in self._others)


class _Expansion:
    """The expansion of the views in one statement.

    `used` are the expanded views, `refused` the reasons why the other views were not expanded; both by view name.
    """

    def __init__(self, views: Mapping[TableName, View], statement: Statement) -> None:
        self.views = views
        self.statement = statement
        self.used: dict[TableName, View] = {}
        self.refused: dict[TableName, str] = {}

    def outer_edits(self) -> Iterator[Edit]:
        """Yield the edits that expand views in the statement's text; none for a view that cannot be expanded."""
        for table, name in _named(self.statement):
            if name not in self.views:
                continue
            before = dict(self.used)
            try:
                yield self._edit(table, name, (), self.statement.ctes)
            except _Refused as refusal:
                self.used = before
                self.refused[name] = str(refusal)

    def _edit(self, table: exp.Table, name: TableName, above: Sequence[TableName], ctes: frozenset[str]) -> Edit:
        """Return the edit that replaces a view's name by the view's query, as a derived table.

        `FROM eu` becomes `FROM (SELECT id FROM lake.demo.sales) AS eu`. `table` is the item of FROM, `name` the view's
        full name. `above` are the views that are being expanded around the name, the outermost first; `ctes` are the
        CTE names that may be visible at the name. Raise _Refused if the view cannot be expanded.
        """
        if any(value for arg, value in table.args.items() if arg not in ("this", "db", "catalog", "alias")):
            raise _Refused(
                f"{excerpt(table)} has more than an alias after the view's name, which is not supported: write only "
                "the name and the alias"
            )
        start, end = place_of(table)
        alias = "" if table.args.get("alias") else f" AS {quoted(table.name)}"
        return Edit(start, end, f"({self._body(self.views[name], above, ctes)}){alias}")

    def _body(self, view: View, above: Sequence[TableName], ctes: frozenset[str]) -> str:
        """Return a view's query, expanded, with the view's column names; raise _Refused if the view cannot be expanded.

        `above` are the views that are being expanded around the view, the outermost first; `ctes` are the CTE names
        that may be visible at the view's name.
        """
        if view.name in above:
            raise _Refused(f"the view {view.name} refers to itself: define {view.name} again without this reference")
        if len(above) > DEEPEST:
            raise _Refused(
                f"the view {view.name} is nested more than {DEEPEST} levels deep in other views: write the query of "
                f"{view.name} in place of its name"
            )
        inner = parse(view.query.rstrip().rstrip(";"), view.session)
        _check(inner, view)
        edits = []
        for table, name in _named(inner):
            if name in self.views:
                edits.append(self._edit(table, name, (*above, view.name), ctes | inner.ctes))
            else:
                edits.append(self._qualified(table, name, view, ctes | inner.ctes))
        self.used.setdefault(view.name, view)
        text = splice(inner.sql, edits)
        text = f"{text}\n" if "--" in text.rsplit("\n", 1)[-1] else text
        items = _items(inner, view)
        if items is None:
            return text
        return f"SELECT {items} FROM ({text}) AS {quoted(view.name.table)} ({_names(view)})"

    def _qualified(self, table: exp.Table, name: TableName, view: View, ctes: frozenset[str]) -> Edit:
        """Return the edit that replaces the name of `table`, in the query of `view`, by the full name, `name`.

        `sales` becomes `lake.demo.sales`. Raise _Refused if the full name would mean another table or a CTE in the
        statement; `ctes` are the names of CTEs that may be visible.
        """
        parts = tuple(filter(None, name.parts))
        shadowed = len(parts) == 1 and parts[0].lower() in ctes
        if shadowed or self.statement.session.resolve(parts) != name:
            there = "a CTE of the statement" if shadowed else "another table in this session"
            remedy = "rename the CTE" if shadowed else f"define {view.name} again, with full names of tables"
            raise _Refused(f"the name {name} in the query of the view {view.name} would refer to {there}: {remedy}")
        start, end = place_of(table)
        return Edit(start, end, name.sql())


def _named(statement: Statement) -> Iterator[tuple[exp.Table, TableName]]:
    """Yield the tables in FROM of all blocks of a statement, with their full names; names of CTEs are omitted."""
    for block in statement.blocks:
        for table in block.tables:
            if (name := statement.resolve(table)) is not None:
                yield table, name


def _check(inner: Statement, view: View) -> None:
    """Raise _Refused unless the view's query is supported and each table name in it can be resolved.

    `inner` is the view's query, parsed.
    """
    unread = inner.unread or ("" if inner.is_query and inner.blocks and inner.complete else "the query is not a SELECT")
    if unread:
        raise _Refused(f"the query of the view {view.name} is not supported: {unread}")
    if {name for _, name in inner.named()} != set(inner.tables):
        raise _Refused(
            f"the query of the view {view.name} contains a join in parentheses, which is not supported: define the "
            "view again, without these parentheses"
        )


def _items(inner: Statement, view: View) -> str | None:
    """Return the SELECT list that gives the outputs of the view's query the view's column names and types.

    For the view's columns a (INT) and b, this is `CAST(a AS int) AS a, b` if the query may return a as a SMALLINT.
    Return None if the query already returns these names and types. `inner` is the view's query, parsed.
    """
    first = inner.blocks[0]
    whole = first.span.start == 0 and first.span.end == len(inner.sql.rstrip()) and len(inner.blocks) == 1
    trees = first.tree.expressions if whole and first.tree is not None else []
    names = tuple(tree.alias_or_name for tree in trees)
    certain = len(names) == len(view.columns) and not any(tree.is_star for tree in trees)
    narrow = [_may_be_narrow(tree) for tree in trees] if certain else [True] * len(view.columns)
    cast = [maybe and column.type == _WIDENED for maybe, column in zip(narrow, view.columns, strict=True)]
    if names == tuple(column.name for column in view.columns) and not any(cast):
        return None
    pairs = zip(view.columns, cast, strict=True)
    return ", ".join(
        f"CAST({quoted(c.name)} AS {c.type}) AS {quoted(c.name)}" if widened else quoted(c.name) for c, widened in pairs
    )


def _may_be_narrow(tree: exp.Expr) -> bool:
    """Return whether an output may be a TINYINT or SMALLINT, which Iceberg stores as INT."""
    return any(
        (isinstance(node, exp.Cast) and node.to.this in _NARROW)
        or (isinstance(node, exp.Anonymous) and node.name.lower() not in _NEVER_NARROW)
        or not isinstance(node, _KEEPING)
        for node in tree.walk()
    )


def _names(view: View) -> str:
    return ", ".join(quoted(column.name) for column in view.columns)
