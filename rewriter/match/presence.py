"""Drops the rows that only a view's outer joins return, where the query has inner or ANTI joins in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from rewriter.block import Join, Predicates, has_aggregate, renamed
from rewriter.block.strict import columns_of, never_true, null_with
from rewriter.block.words import words
from rewriter.match.access_path import STORAGE_ALIAS, AccessPath, stored
from rewriter.match.joins import Filled, Joined, referencing
from rewriter.match.reasons import Miss, Reason

Tree = exp.Expr


def presence(
    joined: Joined, query: Predicates, path: AccessPath, mapping: Mapping[str, str], filters: Sequence[Tree]
) -> tuple[Tree, ...] | Miss:
    """Return the filters over storage columns that drop the rows which only the view's outer joins return.

    Return a Miss if the storage table has no column for such a filter. `joined` is the result of matching the joins,
    and `mapping` maps the ids of the view's tables to the query's. `path` is the access path to the view: the
    view's block with its storage table. `filters` are the other conditions on its rows, over storage columns.

    law:    a column of the joined table that is never NULL in matched rows is NULL in just the rows without a match
    view:   SELECT s.id, d.id AS dim, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    gives:  SELECT id, name FROM view WHERE dim IS NOT NULL; or WHERE NOT lone, if the view has d.id IS NULL AS lone

    law:    all columns of the joined table are NULL in a row without a match; so a filter that is not true for these
            NULLs drops the row, and so does a filter on a table whose LEFT join needs a column of this table
    view:   SELECT s.id, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id FROM sales s JOIN dim d ON s.dim_id = d.id WHERE d.name = 'a'
    gives:  SELECT id FROM view WHERE name = 'a'
    no:     coalesce(d.name, 'a') = 'a'; and dim_id > 5, though the query's join makes dim_id equal to d.id

    law:    a LEFT join of a foreign key onto the referenced key finds a row for each foreign key that is not NULL
    view:   SELECT s.dim_id, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    gives:  SELECT name FROM view WHERE dim_id IS NOT NULL
    query:  SELECT count(*) FROM sales s WHERE NOT EXISTS (SELECT * FROM dim d WHERE s.dim_id = d.id)
    gives:  SELECT count(*) FROM view WHERE dim_id IS NULL
    """
    if not (joined.present or joined.absent):
        return ()
    outputs = [renamed(output, mapping) for output in path.block.outputs]
    held = dict(zip(outputs, path.columns, strict=True))
    outer = [join.renamed(mapping) for join in path.block.joins]
    found: list[Tree] = []
    for filled in joined.present:
        absence = _absence(filled, held)
        if absence is not None:
            found.append(exp.Not(this=absence))
        elif not _dropped(_unmatched(filled, outer), outputs, path.columns, filters):
            there = _referencing(filled, query, path, held)
            if there is None:
                return _lacking(filled)
            found += (exp.Not(this=_is_null(name)) for name in there)
    for filled in joined.absent:
        absence = _absence(filled, held)
        if absence is None:
            there = _referencing(filled, query, path, held)
            if there is None or len(there) != 1:
                return _lacking(filled)
            absence = _is_null(there[0])
        found.append(absence)
    return tuple(found)


def _absence(filled: Filled, held: Mapping[Tree, str]) -> Tree | None:
    """Return the predicate over storage columns that is true in just the rows without a match; None if there is none.

    `held` are the storage columns by the view's outputs, which may be `d.id` or `d.id IS NULL`.
    """
    for column in filled.columns:
        if column in held:
            return _is_null(held[column])
        tested = exp.Is(this=column, expression=exp.Null())
        if tested in held:
            return stored(held[tested])
    return None


def _is_null(name: str) -> Tree:
    return exp.Is(this=stored(name), expression=exp.Null())


def _lacking(filled: Filled) -> Miss:
    wanted = " or ".join(dict.fromkeys(words(c) for c in filled.columns))
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW,
        f"{wanted or 'that is never NULL'}, which distinguishes the rows that the view's outer join has "
        f"matched from the rows without a match: add {wanted or 'such a column'} to the view",
    )


def _unmatched(filled: Filled, outer: Sequence[Join]) -> frozenset[str]:
    """Return the tables that are NULLs wherever the tables of `filled` are: these, and those that they would lead to.

    In `s LEFT JOIN c ON s.c_id = c.id LEFT JOIN a ON c.a_id = a.id`, a row without c has no a. `outer` are the view's
    outer, semi and anti joins.
    """
    tables = filled.tables
    for _ in outer:
        for join in outer:
            lost = join.kind == "LEFT" and any(never_true(c, columns_of(tables)) for c in join.on)
            tables |= join.tables if lost else frozenset()
    return tables


def _dropped(tables: frozenset[str], outputs: Sequence[Tree], names: Sequence[str], filters: Sequence[Tree]) -> bool:
    """Return whether one of the filters over storage columns drops each row in which `tables` are NULLs.

    Only the stored values count: under the query's equalities a filter may read another table's column, which is not
    NULL in such a row. `outputs` are the view's outputs, stored in the columns `names`.
    """
    nulls = {
        name
        for output, name in zip(outputs, names, strict=True)
        if not has_aggregate(output) and null_with(output, columns_of(tables))
    }

    def stored_null(column: Tree) -> bool:
        return isinstance(column, exp.Column) and column.table == STORAGE_ALIAS and column.name in nulls

    return bool(nulls) and any(never_true(conjunct, stored_null) for conjunct in filters)


def _referencing(filled: Filled, query: Predicates, path: AccessPath, held: Mapping[Tree, str]) -> list[str] | None:
    """Return the nullable columns of the trusted foreign key that `filled` is joined by, as storage columns.

    The join finds a row wherever these columns are not NULL. Return None if ON is not exactly such a foreign key, or if
    the storage table lacks one of the columns; `held` are its columns by the view's outputs.
    """
    block = query.block
    for columns in referencing(filled.on, filled.tables, block, path.sources):
        nullable = [column for column in columns if (d := block.type_of(column)) is None or d.nullable]
        if all(column in held for column in nullable):
            return [held[column] for column in nullable]
    return None
