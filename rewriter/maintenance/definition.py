"""Turns the query of CREATE MATERIALIZED VIEW into the query that fills the view's storage table.

The storage table has the view's outputs and, after them, hidden columns with which the view can answer more queries: a
count of rows; group keys and ORDER BY expressions that are not outputs; the components of averages and of expressions
over aggregates; and, if deleted rows can be subtracted from a sum, the count of summed values. A component is an
aggregate from which an expression is computed, such as sum(x) and count(x) for avg(x).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sqlglot import exp

from rewriter.block import (
    Block,
    Find,
    Unsupported,
    aggregate_of,
    build_block,
    common_tables,
    find_among,
    opaque_within,
    set_bits,
)
from rewriter.delta import count_of, count_output, signed_problem
from rewriter.derived import common_of, texts_of
from rewriter.functions.registry import CLOCK, SETTLED, UNSETTLED, meant
from rewriter.functions.trees import ROWS
from rewriter.layers import outermost_aggregates
from rewriter.maintenance.moments import changing_moment
from rewriter.match.printing import print_block
from rewriter.model import MaterializedView, Relation, Session, Table, TableName, ViewState, table_columns
from rewriter.model.settings import unreadable_setting
from rewriter.schema import UNKNOWN, components_of, expression_type, output_types
from rewriter.spelling import spell_out
from rewriter.sql import Statement, View, excerpt, expand, parse, splice

Tree = exp.Expr
HIDDEN = "viewgate_"
_CHANGING = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentUser, exp.SessionUser)


@dataclass(frozen=True)
class Definition:
    """A view's query in Spark's SQL, the query that fills the view's storage table, and the tables that both read.

    `hidden` are the names of the hidden columns: columns of the storage table that are not outputs of the view. `names`
    are the output names that the query determines, with None for an output that Spark must name; empty if no name is
    known. `storage_query` keeps `timeseries` calls; `pin` translates them to Spark's functions.
    """

    query: str
    storage_query: str
    hidden: tuple[str, ...]
    sources: tuple[TableName, ...]
    names: tuple[str | None, ...]


def define(
    query: str,
    session: Session,
    tables: Mapping[TableName, Relation | None],
    columns: Sequence[str] | None = None,
    views: Mapping[TableName, View] = MappingProxyType({}),
    *,
    hidden: bool = True,
) -> Definition:
    """Return the definition of a view over this query; raise Unsupported, with the remedy, for an unsuitable query.

    A query is unsuitable if, for example, it is not deterministic, reads the current time, or reads something other
    than Iceberg tables. Names in the query are resolved in `session`. `columns` name the outputs; None keeps the
    query's names. Without `hidden`, the storage table has only the view's outputs, as in a table that another tool
    made. `views` are the views that the query may name; `tables` are all tables that the query reads, also through
    views, with None for a missing table.
    """
    statement = parse(query, session)
    sources = _sources(statement, tables, views)
    find = find_among(statement, table_columns(tables) | {name: view.columns for name, view in views.items()})
    spelled = splice(query, spell_out(statement, find))
    try:
        block = _single_block(statement, find)
    except Unsupported:
        block = None
    if block is None:
        return _over_groups(spelled, session, find, sources, columns, hidden=hidden)
    names = tuple(columns) if columns is not None else block.names
    if len(names) != len(block.outputs):
        raise Unsupported(
            f"the column list of the view has {len(names)} columns, but the query has {len(block.outputs)}: name all "
            "columns, or none"
        )
    if not replace(block, sets=None).plain or (block.sets is not None and (block.limit or block.offset)):
        return Definition(spelled, spelled, (), sources, ())
    visible = replace(block, order=(), limit=None, offset=None)
    if block.limit is not None or block.offset is not None:
        return Definition(spelled, spelled, (), sources, names)
    # An output that only Spark can name gets a placeholder name in storage, and is read by its position.
    labels = [name or f"{HIDDEN}output_{i}" for i, name in enumerate(names)]
    stored, added = _with_hidden(visible, labels, tuple(_ordering(block))) if hidden else (visible, ())
    text = print_block(stored, [*labels, *added])
    return Definition(spelled, text, added, sources, names)


def _over_groups(
    query: str,
    session: Session,
    find: Find,
    sources: tuple[TableName, ...],
    columns: Sequence[str] | None,
    *,
    hidden: bool,
) -> Definition:
    """Return the definition of a query that is not a single block; `find` looks up a table or view named in FROM.

    Hidden columns are columns of the storage table that are not outputs of the view, such as a row count. They are
    added to the outermost SELECT if `hidden` is true, and if this SELECT groups the rows of grouped derived tables.
    Otherwise, the storage table has only the view's outputs. A WITH clause before the SELECT stays as typed. `sources`
    are the tables that the query reads, and `columns` name the outputs (None keeps the query's names).
    """
    plain = Definition(query, query, (), sources, ())
    statement = parse(query, session)
    main = statement.main
    if main is None or main.tree is None or not hidden:
        return plain
    try:
        common, texts = common_of(statement, find), texts_of(main, statement, find)
        block = build_block(main.tree, find, common, texts=texts)
    except Unsupported:
        return plain
    names = tuple(columns) if columns is not None else block.names
    kept = [name for name in names if name is not None]
    made_of = [table.inner for table in block.tables if table.text]
    subqueries = any(True for tree in block.expressions for _ in opaque_within(tree))
    if not made_of or None in made_of or subqueries or len(kept) != len(block.outputs):
        return plain
    if not block.keys or not block.plain or block.limit or block.offset:
        return plain
    stored, added = _with_hidden(replace(block, order=()), kept, tuple(_ordering(block)))
    text = query[: main.span.start] + print_block(stored, [*kept, *added])
    return Definition(query, text, added, sources, names)


def _sources(
    statement: Statement, tables: Mapping[TableName, Relation | None], views: Mapping[TableName, View]
) -> tuple[TableName, ...]:
    """Return the tables that a query reads, also through views; raise Unsupported if the query cannot define a view.

    `tables` are the tables by name, `views` the views that the query may name.
    """
    expanded = expand(statement, views)
    for why in expanded.refused.values():
        raise Unsupported(
            f"the query reads a view that cannot be expanded: {why}; the query can name the base tables of that view "
            "instead"
        )
    # A view's own column names count when the type of a column is looked up.
    seen = {view.name: Table(view.name, view.uuid, view.columns, ()) for view in expanded.views}
    # The query of a materialized view was checked when that view was made.
    checked = {v.name for v in expanded.views if isinstance(v, MaterializedView) and v.settings is not None}
    unchecked = {name: view for name, view in views.items() if name not in checked}
    _refuse(expand(statement, unchecked).statement, {**tables, **seen})
    _refuse_tables(expanded.statement, tables)
    return expanded.statement.tables


def _refuse(statement: Statement, tables: Mapping[TableName, Relation | None]) -> None:
    """Raise Unsupported if a view over the query `statement` could not be refreshed, or would not be deterministic.

    Examples are time travel, rand() and current_date(). `tables` are the tables and views that the query names.
    """
    setting = unreadable_setting(statement.session.settings)
    if setting is not None:
        raise Unsupported(f"a materialized view cannot be defined while the session has {setting}: RESET this setting")
    if not statement.is_query or statement.problem:
        raise Unsupported(statement.problem or "a materialized view is defined by a query (SELECT …)")
    if not statement.complete:
        raise Unsupported("a query that starts with FROM or TABLE is not supported; write SELECT … FROM table")
    for block in statement.blocks:
        if block.tree is None:
            raise Unsupported(
                f"{excerpt(block.text)} is not supported in the query of a materialized view: {block.problem}"
            )
        for table in block.tree.find_all(exp.Table):
            _refuse_table(table, statement, tables)
        for call in block.tree.find_all(exp.Func):
            _refuse_call(call)
        moment = changing_moment(block.tree, tables)
        if moment is not None:
            text = excerpt(moment)
            hint = "write a constant date"
            raise Unsupported(
                f"{text} can mean another day at each refresh; {hint}, or use {text} in the queries over the view"
            )
    if not statement.tables:
        raise Unsupported("the query reads no table: a materialized view is defined by SELECT … FROM table")


def _refuse_tables(statement: Statement, tables: Mapping[TableName, Relation | None]) -> None:
    for table, _ in statement.named():
        _refuse_table(table, statement, tables)


def _refuse_table(table: exp.Table, statement: Statement, tables: Mapping[TableName, Relation | None]) -> None:
    text = table.sql("spark")
    if any(table.args.get(arg) for arg in ("version", "when", "sample")):
        clause = "TABLESAMPLE" if table.args.get("sample") else "time travel"
        raise Unsupported(
            f"{text} has {clause}, which is not supported in a materialized view; name the table without {clause}"
        )
    name = statement.resolve(table)
    if name is None:
        if table.name.lower() in statement.ctes and len(table.parts) == 1:
            return
        kind = "a temporary view" if isinstance(table.this, exp.Identifier) else "a function"
        raise Unsupported(
            f"{text} is {kind}, which a materialized view cannot read; name a table or view of the catalog instead"
        )
    if isinstance(tables.get(name), ViewState):
        raise Unsupported(f"{text} is a view whose query is not supported; name the view's base tables instead")
    if not isinstance(tables.get(name), Table):
        raise Unsupported(
            f"{text} is not an Iceberg table, and a materialized view can read only Iceberg tables; name an Iceberg "
            "table instead"
        )


def _refuse_call(call: exp.Func) -> None:
    name = call.name.lower() if isinstance(call, exp.Anonymous) else ""
    if name in UNSETTLED:
        raise Unsupported(f"{name}() {UNSETTLED[name]}; remove {name}() from the view's query")
    if meant(name) in CLOCK or isinstance(call, _CHANGING):
        text = f"{name}()" if name else call.sql("spark")
        cause = "user" if isinstance(call, (exp.CurrentUser, exp.SessionUser)) else "time"
        raise Unsupported(
            f"{text} depends on the {cause}; remove {text} from the view's query, and use {text} in "
            "the queries over the view"
        )
    if name == "unix_timestamp" and not call.expressions:
        raise Unsupported(
            f"{name}() depends on the current time; pass a time, or use {name}() in the queries over the view"
        )
    if isinstance(call, exp.Anonymous) and meant(name) not in SETTLED:
        raise Unsupported(
            f"{name}() is not known to return the same value at each call, so a refresh could change the view's "
            f"rows; remove {name}() from the view's query"
        )


def _single_block(statement: Statement, find: Find) -> Block:
    """Return the query as one block, with derived tables and CTEs merged; raise Unsupported if that is not possible.

    `find` looks up a table or view that a FROM clause names.
    """
    main = statement.main
    if main is None or main.tree is None:
        raise Unsupported("the query is not a single SELECT; rewrite the query without set operators such as UNION")
    return build_block(main.tree, find, common_tables(statement, find))


def _ordering(block: Block) -> Iterator[Tree]:
    """Yield the ORDER BY expressions that read a column and have a known type; other expressions are not stored."""
    for item in block.order:
        if item.key.find(exp.Column, exp.Star) and expression_type(item.key, block) != UNKNOWN:
            yield item.key


def _with_hidden(block: Block, names: Sequence[str], ordering: tuple[Tree, ...]) -> tuple[Block, tuple[str, ...]]:
    """Return the block with the required hidden columns appended to its outputs, and the names of these columns.

    Hidden columns are columns of the storage table that are not outputs of the view, such as a row count. `names` are
    the names of the block's own outputs, `ordering` the ORDER BY expressions to store.
    """
    taken = {name.lower() for name in names}
    added: dict[str, Tree] = {}
    present = set(block.outputs)
    wanted = [*_wanted(block, ordering)]
    for label, tree in (*wanted, *_counts(block, [tree for _, tree in wanted])):
        if tree not in present:
            present.add(tree)
            name = next(n for i in range(len(taken) + 2) if (n := f"{HIDDEN}{label}_{len(added) + i}") not in taken)
            added[name] = tree
    outputs = (*block.outputs, *added.values())
    return replace(block, outputs=outputs, names=(*names, *added)), tuple(added)


def _wanted(block: Block, ordering: tuple[Tree, ...]) -> Iterator[tuple[str, Tree]]:
    """Yield the expressions of a view's hidden columns, each with a label for the column's name, in a fixed order.

    Hidden columns are columns of the storage table that are not outputs of the view. A grouped view needs the keys, the
    row count, the components of aggregates and the aggregates of HAVING. Any view needs the ORDER BY expressions in
    `ordering`.
    """
    if block.keys is None:
        yield from (("order", key) for key in ordering)
        return
    for key in block.keys:
        yield "key", key
    yield "rows", ROWS
    if block.sets is not None:
        yield "set", set_bits(block.keys)
    yield from (("order", key) for key in ordering)
    for output in (*block.outputs, *ordering):
        for node in output.walk():
            call = aggregate_of(node) if isinstance(node, exp.Anonymous) else None
            if call is None:
                continue
            if node is not output and not isinstance(node.parent, exp.Filter):
                yield call.name, call.copy()
            yield from ((component.label, component.call.copy()) for component in components_of(call, block).values())
    # A query may select further among the groups that HAVING keeps, by the same aggregates.
    yield from (("having", call) for tree in block.having for call in outermost_aggregates(tree))


def _counts(block: Block, wanted: Sequence[Tree]) -> Iterator[tuple[str, Tree]]:
    """Yield a count of values, with the label "count", for each sum whose values are not counted yet.

    A count distinguishes an empty sum (NULL) from 0. `wanted` are the expressions of all other hidden columns: the row
    count, keys, and components of aggregates. Yield nothing if deleted rows cannot be subtracted from every output.
    A query over the stale view subtracts them; a refresh does so only if the view reads one table.
    """
    if block.keys is None or block.having or block.sets is not None:
        return
    held = replace(block, outputs=tuple(dict.fromkeys((*block.outputs, *wanted))))
    sums = (c for output in block.outputs if (c := aggregate_of(output)) is not None and c.name == "sum")
    values = [call.expressions[0] for call in sums if not isinstance(call.expressions[0], exp.Distinct)]
    counts = [count_of(value) for value in values if count_output(value, held) is None]
    whole = replace(held, outputs=tuple(dict.fromkeys((*held.outputs, *counts))))
    if not signed_problem(whole, dict(zip(whole.outputs, output_types(whole), strict=True)), recomputed=True):
        yield from (("count", count) for count in counts)
