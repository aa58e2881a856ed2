"""Builds access paths: a view's query as a block, together with the view's storage table in its current state.

A block is one SELECT in normal form. Access paths are the input of rewrite rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Occurrence, Scope, Unsupported, depends_on_zone, remembered
from rewriter.block.elsewhere import read_in, same_zone
from rewriter.block.since import known_since
from rewriter.engine.set_paths import paths_of_sets
from rewriter.freshness import Relations, fresh_storage
from rewriter.index import Definitions
from rewriter.layers import Obstacle, all_groups, over_groups
from rewriter.maintenance import narrowed
from rewriter.maintenance.stored import known_block
from rewriter.match import AccessPath, Miss, Reason
from rewriter.match.counted_keys import with_counted_keys
from rewriter.model import Column, MaterializedView, Session, Table, TableName
from rewriter.model.settings import LEFT_OUT, differing_setting
from rewriter.sql import holds, nodes_of

_OBSTACLES = {
    Obstacle.WINDOW: "the outer query uses a window function of the derived table",
    Obstacle.COMPUTED: "the outer query has an outer join that may put NULL in a computed column of the derived table",
    Obstacle.FULL_JOIN: "the outer query has a FULL join",
    Obstacle.GROUPING_SETS: "the derived table has GROUPING SETS",
}


def readable_storage(
    view: MaterializedView,
    session: Session,
    definitions: Definitions,
    relations: Relations,
    refuted: Mapping[TableName, Miss],
    *,
    partial: bool = False,
) -> Table | Miss:
    """Return a view's storage table if it is fresh and the statement may use the view, else a Miss with the reason.

    The statement may not use the view if a hint in the statement names another view, or if the view is in `refuted`: a
    plan over the view must not be used, for the reason of the Miss. With `partial`, a storage table with only a part of
    the view's rows is returned, too; without `partial`, a storage table of this kind gives a Miss.
    """
    if view.name in refuted:
        return refuted[view.name]
    if session.leaves_out(view.name):
        return Miss(Reason.NOT_CHOSEN, LEFT_OUT)
    return fresh_storage(view, definitions.sources[view.name], relations, partial=partial)


def access_path_of(
    view: MaterializedView, query: Block, storage: Table, definitions: Definitions, relations: Relations, zone: str
) -> AccessPath | Miss:
    """Return the access path to a view: a block, and the storage table that has the block's rows.

    `query` is the block that the view should answer. The path's block is the view's query, or a SELECT of the view's
    columns if `query` names the view in FROM. `zone` is the session's time zone. Return a Miss with the reason if rules
    cannot use the view, for example because the view's query has a LIMIT.
    """
    named = {table.name for table in query.tables}
    if view.name in named:
        return _path_by_name(view, storage)
    if not named.isdisjoint(state.name for state in view.through):
        view, names = replace(view, storage_query=view.over_views), definitions.over_views[view.name].tables
    else:
        names = definitions.sources[view.name]
    sources = tuple(relations.get(name) for name in names)
    try:
        block = _block(_held(view, storage, names, definitions, relations), names, definitions, relations)
    except Unsupported as problem:
        return Miss(Reason.UNSUPPORTED, str(problem))
    if isinstance(block, str):
        return Miss(Reason.VIEW_UNSUPPORTED, block)
    if (limited := _limited(block)) is not None:
        return limited
    stored = _stored_names(block, storage.columns)
    if stored is None:
        return Miss(
            Reason.UNKNOWN_STATE,
            "the storage table has other columns than the view's query: recreate the view with CREATE OR REPLACE "
            "MATERIALIZED VIEW",
        )
    read = read_in(zone, view, block) if _is_by_definition(view, query) else block
    if read is None:
        return _other_zone(zone, view)
    known = known_since(read, stored, storage.least, storage.ranges)
    whole = all_groups((over_groups(known) or known) if known.having else known)
    if isinstance(whole, Obstacle):
        return Miss(
            Reason.SHAPE,
            "HAVING of a derived table in the view's query cannot be moved to the outer query, because "
            f"{_OBSTACLES[whole]}: remove HAVING from the derived table",
        )
    known_sources = tuple(t for t in sources if isinstance(t, Table))
    if _counts_distinct(whole):
        whole = _with_counted_keys(whole, tuple((t.name, t.columns, t.primary_key) for t in known_sources))
    path = AccessPath(
        view,
        whole,
        storage,
        stored,
        known_sources,
        own=_own_filter(view, names, definitions, relations) if storage.only else None,
    )
    if block.sets is not None and not paths_of_sets(path):
        return Miss(
            Reason.SHAPE,
            "the view does not store which grouping set each row belongs to: add grouping_id() to the view's query",
        )
    return path


def _path_by_name(view: MaterializedView, storage: Table) -> AccessPath | Miss:
    """Return the access path to a view that a query names in FROM: a SELECT of the view's columns.

    Return a Miss if the storage table has only a part of the view's rows.
    """
    if storage.only:
        return Miss(Reason.HOLDS_A_PART, storage.only)
    table = Occurrence("t0", view.name, view.name.table, view.columns)
    outputs = tuple(exp.column(column.name.lower(), "t0") for column in view.columns)
    names = tuple(column.name for column in view.columns)
    return AccessPath(view, Block((table,), (), outputs, names), storage, names)


def _limited(block: Block) -> Miss | None:
    """Return a Miss if a clause of a view's block, such as LIMIT, drops rows or groups that a query may need."""
    if not (block.limit or block.offset or (block.having and block.sets is not None)):
        return None
    clause = "LIMIT" if block.limit else "OFFSET" if block.offset else "HAVING"
    with_sets = " with GROUPING SETS" if clause == "HAVING" else ""
    return Miss(
        Reason.SHAPE,
        f"the view's query has {clause}{with_sets}, so the view lacks rows that the query may need: remove {clause} "
        "from the view's query",
    )


def _is_by_definition(view: MaterializedView, query: Block) -> bool:
    """Return whether a query names neither the view nor a view that the view reads.

    The query is then compared with the view's query over base tables.
    """
    return {view.name, *(state.name for state in view.through)}.isdisjoint(table.name for table in query.tables)


def _other_zone(zone: str, view: MaterializedView) -> Miss:
    return Miss(
        Reason.SETTINGS_DIFFER,
        f"the session's time zone is {zone}, but the view was computed in {view.zone}: create a view in this "
        f"session, or run SET TIME ZONE '{view.zone}', which can change the query's result",
    )


def _held(
    view: MaterializedView, storage: Table, names: Sequence[TableName], definitions: Definitions, relations: Relations
) -> MaterializedView:
    """Return the view with the condition `storage.only` added to the view's query, for a partial storage table.

    A partial storage table has only the view's rows that satisfy this condition. Return the view unchanged if the
    storage table has all rows; raise Unsupported if the condition cannot be added. `names` are the view's base tables.
    """
    if not storage.only:
        return view
    return narrowed(view, storage.only, {name: columns_of(name, definitions, relations) for name in names})


def _block(
    view: MaterializedView, names: Sequence[TableName], definitions: Definitions, relations: Relations
) -> Block | str:
    """Return the block of a view's storage query, which reads the tables `names`.

    If rules cannot match the query, for example because it has window functions, return the reason as text.
    """
    block = known_block(view, tuple((name, columns_of(name, definitions, relations)) for name in dict.fromkeys(names)))
    if isinstance(block, str) or _of_rows_or_groups(block):
        return block
    return "the query has window functions, or DISTINCT over groups"


def _own_filter(
    view: MaterializedView, names: Sequence[TableName], definitions: Definitions, relations: Relations
) -> tuple[exp.Expr, ...]:
    """Return the WHERE conditions of the view's own query, without the condition of a partial storage table.

    `names` are the view's base tables. Return an empty tuple if rules cannot match the view's query.
    """
    block = _block(view, names, definitions, relations)
    return block.where if isinstance(block, Block) else ()


@remembered
def _of_rows_or_groups(block: Block) -> bool:
    """Return whether rules can match a view's block: it has no window functions and no DISTINCT over groups.

    GROUPING SETS are supported, because each set becomes an access path of its own. The result is cached.
    """
    return replace(block, sets=None).plain


def columns_of(name: TableName, definitions: Definitions, relations: Relations) -> tuple[Column, ...]:
    """Return the columns of a table or view; an empty tuple if the name is unknown."""
    table = relations.get(name)
    if isinstance(table, Table):
        return table.columns
    view = definitions.by_name.get(name) or definitions.plain_by_name.get(name)
    return view.columns if view is not None else ()


@remembered
def _counts_distinct(block: Block) -> bool:
    return any(holds(output, exp.Distinct) for output in block.outputs)


@remembered
def _with_counted_keys(
    block: Block, sources: tuple[tuple[TableName, tuple[Column, ...], tuple[str, ...]], ...]
) -> Block:
    """Return a view's block with `count(k)` for each `count(DISTINCT k)` of a primary key k whose values occur once.

    `sources` are the view's base tables: their names, columns and trusted primary keys. The result is cached.
    """
    contents = {name: Table(name, "", columns, (), primary_key=key) for name, columns, key in sources}
    tables = tuple(replace(table, contents=contents.get(table.name)) for table in block.tables)
    return replace(with_counted_keys(replace(block, tables=tables)), tables=block.tables)


@remembered
def _stored_names(block: Block, columns: tuple[Column, ...]) -> tuple[str, ...] | None:
    """Return the storage column of each output of a view's block. The result is cached.

    `columns` are the columns of the storage table. An output is stored in the column with the output's name, or else in
    the column at the output's position. Return None if there are more or fewer columns than outputs, or if two outputs
    would have the same column.
    """
    if len(block.outputs) != len(columns):
        return None
    known = {column.name.lower() for column in columns}
    pairs = zip(block.names, columns, strict=True)
    names = tuple(name if name and name.lower() in known else column.name for name, column in pairs)
    return names if len(set(names)) == len(names) else None


def settings_problem(
    path: AccessPath, query: Block, session: Session, definitions: Definitions, relations: Relations
) -> Miss | None:
    """Return a Miss if a session setting differs from the view's and could change the answer; None otherwise.

    `path` is the access path to the view, `query` the block to answer. There are two special cases:

    - A view that records no settings gives a Miss, unless its outputs are plain columns and no expression depends on
      the time zone.
    - For a view that records its settings, the time zone is compared only if the query names the view, or a view that
      the view reads. For any other query, the view's block has been adapted to the session's zone (see
      rewriter.block.elsewhere).
    """
    view = definitions.by_name[path.view.name]

    def zoned() -> bool:
        if view.settings is not None and _is_by_definition(view, query):
            return False
        block = _block(view, definitions.sources[view.name], definitions, relations)
        return any(map(zone_matters, (query, path.block))) or isinstance(block, str) or zone_matters(block)

    if view.settings is None:
        block = _block(view, definitions.sources[view.name], definitions, relations)
        plain = (exp.Column, exp.Identifier, exp.Literal, exp.Star, exp.Anonymous)
        computes = isinstance(block, str) or any(
            not isinstance(node, plain) for tree in block.outputs for node in nodes_of(tree)
        )
        if not computes and not zoned():
            return None
    return recorded_problem(view, session, zoned)


def recorded_problem(view: MaterializedView, session: Session, zoned: Callable[[], bool]) -> Miss | None:
    """Return a Miss if a session setting differs from the value recorded at CREATE of the view; None otherwise.

    `zoned` returns whether the time zone could change the answer; otherwise the zone is not compared. A view without
    recorded settings always gives a Miss.
    """
    if view.settings is None:
        return Miss(
            Reason.SETTINGS_DIFFER,
            "the view records no session settings, on which the query may depend: recreate the view with "
            "CREATE OR REPLACE MATERIALIZED VIEW",
        )
    differing = differing_setting(session.settings, view.settings, session.defaults)
    if differing is not None:
        key, here, there = differing
        return Miss(
            Reason.SETTINGS_DIFFER,
            f"{key} is {here or 'not set'} in this session, but {there or 'not set'} in the view's settings: create "
            f"a view in this session, or change {key} in the session, which can change the query's result",
        )
    if not same_zone(view.zone, session.time_zone) and zoned():
        return _other_zone(session.time_zone, view)
    return None


@remembered
def zone_matters(block: Block) -> bool:
    """Return whether a block's rows may depend on the session's time zone. The result is cached."""
    blocks = (block, *block.derived)
    return any(depends_on_zone(tree, Scope(each.tables)) for each in blocks for tree in each.expressions)
