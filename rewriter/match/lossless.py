"""Adds a view's joins to a query that lacks them, if declared keys guarantee that no row is dropped or repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Predicates, predicates_of
from rewriter.block.equivalence import key_of
from rewriter.block.predicates import equated
from rewriter.match.access_path import AccessPath
from rewriter.match.joins import inner_in_view, referencing
from rewriter.match.reasons import Miss, Reason
from rewriter.model import Table
from rewriter.sql import columns_in

Tree = exp.Expr


def widened(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str]
) -> tuple[Predicates, Mapping[str, str]] | Miss:
    """Return the query with the view's joins of further tables added, and the table mapping extended by these tables.

    `mapping` maps the ids of the view's tables to those of the query's tables. Return a Miss if one of the joins could
    drop or repeat rows. `path` is the access path to the view: the view's block with its storage table.

    law:    an inner join of a NOT NULL foreign key onto the referenced key finds exactly one row for each row; a LEFT
            join onto a key finds at most one row, and otherwise fills the columns with NULLs
    view:   SELECT s.amount, s.dim_id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    query:  SELECT amount FROM sales
    gives:  SELECT amount FROM sales s JOIN dim d ON s.dim_id = d.id
    no:     a view that filters by d.name, or a nullable s.dim_id, because the view then lacks rows of sales
    """
    query = _with_referenced(_with_members(query, path, mapping), path, mapping)
    spare = [table for table in path.block.tables if table.id not in mapping]
    while spare:
        found = next((step for table in spare if (step := _joined(query, path, mapping, table)) is not None), None)
        if found is None:
            return _spare(query, path, mapping, spare)
        query, mapping, table = found
        spare.remove(table)
    return query, mapping


def _spare(query: Predicates, path: AccessPath, mapping: Mapping[str, str], spare: Sequence[Occurrence]) -> Miss:
    """Return the reason why joins of the view could drop or repeat rows of the query.

    `spare` are the joined tables, which the query lacks. `path` is the access path to the view, `mapping` maps the
    ids of its other tables to those of the query's tables.
    """
    others = [table for table in path.block.tables if table.id in mapping]
    if (differs := inner_in_view(query.block, path.block, mapping)) is not None:
        return differs
    for table in spare:
        for source, columns, _ in _followed(query, path, others, table):
            here = [exp.column(column.name, mapping[source.id]) for column in columns]
            if filled := [column.name for column in here if not _never_null(query, [column])]:
                return Miss(
                    Reason.JOIN_DIFFERS,
                    f"the view's inner join of {table.name.table} drops the rows in which {' or '.join(filled)} is "
                    f"NULL: create a view with a LEFT JOIN of {table.name.table}",
                )
        for other in others:
            if any(_followed(query, path, [table], other)):
                return Miss(
                    Reason.JOIN_DIFFERS,
                    f"the view also joins {table.name.table}, which can have several rows or none for a row of "
                    f"{other.name.table}: create a view without {table.name.table}",
                )
    return Miss(
        Reason.JOIN_DIFFERS,
        f"the view also joins {', '.join(table.name.table for table in spare)}, and no declared key guarantees that "
        "this join keeps each row exactly once: declare the keys of the joined tables",
    )


def _with_members(query: Predicates, path: AccessPath, mapping: Mapping[str, str]) -> Predicates:
    """Return the query with each SEMI join turned into an inner join, if keys guarantee at most one match for each row.

    `path` is the access path to the view: the view's block with its storage table. `mapping` maps the ids of the
    view's tables to those of the query's tables.

    law:    a SEMI join on a whole primary key finds at most one row, as an inner join does
    view:   SELECT s.amount, s.dim_id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    query:  SELECT amount FROM sales WHERE dim_id IN (SELECT id FROM dim WHERE name = 'a')
    gives:  SELECT amount FROM sales s JOIN dim d ON s.dim_id = d.id WHERE d.name = 'a'
    no:     `dim_id IN (SELECT group_id FROM dim)`, because an inner join could repeat rows
    """
    asked = [join for join in query.block.joins if join.kind == "SEMI"]
    if not asked:
        return query
    inner = _inner_joined_in(path, mapping)
    members = [join for join in asked if join.tables & inner and _single(join, query, path)]
    if not members:
        return query
    where = (*query.block.where, *(conjunct for join in members for conjunct in join.on))
    joins = tuple(join for join in query.block.joins if join not in members)
    return Predicates(replace(query.block, where=where, joins=joins), where, query.zone)


def _inner_joined_in(path: AccessPath, mapping: Mapping[str, str]) -> set[str]:
    """Return the ids of the query's tables that the view reads without an outer, semi or anti join of them.

    `mapping` maps the ids of the view's tables to those of the query's tables. `path` is the access path to the
    view: the view's block with its storage table.
    """
    apart = frozenset[str]().union(*(join.tables for join in path.block.joins))
    return {mapping[table.id] for table in path.block.tables if table.id in mapping and table.id not in apart}


def _single(join: Join, query: Predicates, path: AccessPath) -> bool:
    """Return whether primary keys guarantee that each row finds at most one match in the tables of the SEMI join
    `join`.

    `path` is the access path to a view; its sources have the declared primary keys.
    """
    keys = {source.name: source.primary_key for source in path.sources}
    pairs = [pair for conjunct in join.on if (pair := equated(conjunct, query.block)) is not None]
    sides = [(key_of(mine), key_of(other)) for pair in pairs for mine, other in (pair, pair[::-1])]
    rest = {table.id: keys.get(table.name, ()) for table in query.block.tables if table.id in join.tables}
    while rest:
        held = {(of, name) for (of, name), (other, _) in sides if other not in rest}
        found = [t for t, key in rest.items() if key and all((t, column.lower()) in held for column in key)]
        if not found:
            return False
        rest = {table: key for table, key in rest.items() if table not in found}
    return True


def _with_referenced(query: Predicates, path: AccessPath, mapping: Mapping[str, str]) -> Predicates:
    """Return the query with each LEFT join turned into an inner join, if a foreign key guarantees a match.

    `path` is the access path to the view: the view's block with its storage table. `mapping` maps the ids of the
    view's tables to those of the query's tables.

    law:    a LEFT join of a NOT NULL foreign key onto the referenced key always finds a row, as an inner join does
    view:   SELECT s.amount, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    query:  SELECT d.name, sum(s.amount) FROM sales s LEFT JOIN dim d ON s.dim_id = d.id GROUP BY d.name
    gives:  SELECT d.name, sum(s.amount) FROM sales s JOIN dim d ON s.dim_id = d.id GROUP BY d.name
    no:     `ON s.dim_id = d.id AND d.name <> 'a'`, because the LEFT join returns NULLs for the name 'a'
    """
    inner = _inner_joined_in(path, mapping)
    for join in query.block.joins:
        if join.kind == "LEFT" and join.tables <= inner and _finds_all(join, query, path):
            declared = {source.name: source.columns for source in path.sources}
            tables = (
                replace(table, columns=declared[table.name]) if table.id in join.tables else table
                for table in query.block.tables
            )
            rest = tuple(other for other in query.block.joins if other is not join)
            block = replace(query.block, tables=tuple(tables), where=(*query.block.where, *join.on), joins=rest)
            return _with_referenced(Predicates(block, block.where, query.zone), path, mapping)
    return query


def _finds_all(join: Join, query: Predicates, path: AccessPath) -> bool:
    """Return whether the ON condition of a join is only that a NOT NULL foreign key equals the joined table's primary
    key.

    `path` is the access path to a view; its sources have the declared keys.
    """
    keys = referencing(join.on, join.tables, query.block, path.sources)
    return any(_never_null(query, columns) for columns in keys)


def _joined(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str], table: Occurrence
) -> tuple[Predicates, Mapping[str, str], Occurrence] | None:
    """Return the query with the table `table` of the view joined, the table mapping with this table added, and `table`.

    `table` is the table's occurrence in the view, and `mapping` maps the ids of the view's tables to the query's.
    Return None if the join could drop or repeat rows. `path` is the access path to the view: the view's block with
    its storage table.
    """
    known = next((source for source in path.sources if source.name == table.name), None)
    if known is None or not known.primary_key:
        return None
    taken = any(other.id == table.id for other in query.block.tables)
    added = replace(table, id=f"x{len(query.block.tables)}") if taken else table
    wider = {**mapping, table.id: added.id}
    join = next((j for j in path.block.joins if table.id in j.tables), None)
    if join is not None:
        block = _left_joined(query.block, path, join, known, added, wider)
    else:
        block = _inner_joined(query, path, mapping, table, added)
    return None if block is None else (Predicates(block, block.where, query.zone), wider, table)


def _left_joined(
    block: Block, path: AccessPath, join: Join, known: Table, added: Occurrence, wider: Mapping[str, str]
) -> Block | None:
    """Return the block with a LEFT join of the view added, if ON equates the joined table's whole primary key.

    `known` is the joined table in the catalog, `added` its new occurrence in the query, and `wider` maps the ids of the
    view's tables to the query's. Further conditions in ON only reduce the matches, and a LEFT join keeps rows without a
    match. Return None for other joins. `path` is the access path to the view: the view's block with its storage
    table.
    """
    (table,) = join.tables if len(join.tables) == 1 else ("",)
    columns = {node.table for conjunct in join.on for node in columns_in(conjunct)}
    if join.kind != "LEFT" or not table or not columns <= wider.keys():
        return None
    equal = [pair for conjunct in join.on if (pair := equated(conjunct, path.block)) is not None]
    sides = [(key_of(mine), key_of(other)) for pair in equal for mine, other in (pair, pair[::-1])]
    held = {name for (of, name), (other, _) in sides if of == table != other}
    if not {key.lower() for key in known.primary_key} <= held:
        return None
    filled = replace(added, columns=tuple(column._replace(nullable=True) for column in added.columns))
    return replace(block, tables=(*block.tables, filled), joins=(*block.joins, join.renamed(wider)))


def _inner_joined(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str], table: Occurrence, added: Occurrence
) -> Block | None:
    """Return the query's block with an inner join that follows a foreign key to the primary key of `table`.

    `table` is the table's occurrence in the FROM of the view, and `added` is the occurrence that is added to the FROM
    of the query. `mapping` maps the ids of the view's tables to the query's. Return None if the view does not join the
    table by a foreign key, or if the query's foreign key may be NULL. `path` is the access path to the view: the
    view's block with its storage table.
    """
    others = [source for source in path.block.tables if source.id in mapping]
    for source, columns, referenced in _followed(query, path, others, table):
        here = [exp.column(column.name, mapping[source.id]) for column in columns]
        if _never_null(query, here):
            there = [exp.column(column.name, added.id) for column in referenced]
            where = [exp.EQ(this=pair[0], expression=pair[1]) for pair in zip(here, there, strict=True)]
            block = query.block
            return replace(block, tables=(*block.tables, added), where=(*block.where, *where))
    return None


def _followed(
    query: Predicates, path: AccessPath, owners: Sequence[Occurrence], table: Occurrence
) -> Iterator[tuple[Occurrence, list[exp.Column], list[exp.Column]]]:
    """Yield each foreign key onto `table` that the view's inner joins follow: its table, its columns, and the columns
    that it references.

    `owners` are the tables of the view whose foreign keys are tried. `path` is the access path to the view.
    """
    view = predicates_of(path.block, query.zone)
    sources = {source.name: source for source in path.sources}
    if table.name not in sources:
        return
    for owner in owners:
        known = sources.get(owner.name)
        for columns in known.references(sources[table.name]) if known is not None else ():
            pairs = [(exp.column(mine, owner.id), exp.column(theirs, table.id)) for mine, theirs in columns]
            if all(view.equivalence.same(*pair) for pair in pairs):
                yield owner, [mine for mine, _ in pairs], [theirs for _, theirs in pairs]


def _never_null(query: Predicates, columns: Sequence[Tree]) -> bool:
    return all(not query.values(query.equivalence.normalize(column)).null for column in columns)
