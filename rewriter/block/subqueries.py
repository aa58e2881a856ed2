"""Converts WHERE and its subqueries: EXISTS and IN become SEMI and ANTI joins.

| WHERE …                          | is a join of the subquery's tables                                      |
|----------------------------------|-------------------------------------------------------------------------|
| EXISTS (SELECT … WHERE p)        | SEMI, ON p                                                              |
| x IN (SELECT y … WHERE p)        | SEMI, ON x = y AND p                                                    |
| NOT EXISTS (SELECT … WHERE p)    | ANTI, ON p                                                              |
| x NOT IN (SELECT y … WHERE p)    | ANTI, ON x = y AND p, if neither x nor y is ever NULL                   |

If a y is NULL, or if x is NULL and the subquery has a row, NOT IN is unknown and drops the row of x; an ANTI join would
keep this row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.expressions import canonical
from rewriter.block.form import Join, Occurrence, Unsupported
from rewriter.block.from_clause import FromClause, rejected
from rewriter.block.opaque import shown
from rewriter.block.scope import Scope
from rewriter.block.traits import has_aggregate, temporal_type
from rewriter.block.words import words
from rewriter.functions.types import INTEGERS
from rewriter.sql import columns_in, windows_in

Tree = exp.Expr
# Reads the FROM clause of a SELECT; its tables get ids that are not among the given ones.
ReadFrom = Callable[[exp.Select, frozenset[str]], FromClause]

_CLAUSES = frozenset({"expressions", "from_", "joins", "where", "distinct"})


class Filter(NamedTuple):
    """The content of a WHERE clause: its conjuncts, and the tables and joins that replace its subqueries."""

    conjuncts: tuple[Tree, ...] = ()
    tables: tuple[Occurrence, ...] = ()
    joins: tuple[Join, ...] = ()

    def on(self, clause: FromClause) -> FromClause:
        """Return the FROM clause with this filter's tables and joins appended."""
        return clause._replace(tables=(*clause.tables, *self.tables), joins=(*clause.joins, *self.joins))


class _Membership(NamedTuple):
    """A predicate EXISTS (SELECT …) or, with an `operand`, IN (SELECT …); `kind` is the join, SEMI or ANTI."""

    kind: str
    select: exp.Select
    operand: Tree | None


def read_where(clause: Tree | None, source: FromClause, read: ReadFrom, taken: frozenset[str] = frozenset()) -> Filter:
    """Return the content of a WHERE clause; return an empty Filter if `clause` is None.

    Raise Unsupported for SQL that a block cannot represent. `source` is the FROM clause of the same SELECT, `read`
    converts the FROM clause of a subquery. The ids of the subqueries' tables are none of those in `taken`.
    """
    parts = list(conjuncts_of(clause.this)) if clause is not None else []
    found = [(part, _membership(part)) for part in parts]
    plain = (part for part, membership in found if membership is None)
    conjuncts = [inner for part in plain for inner in conjuncts_of(canonical(part, source.scope))]
    tables: list[Occurrence] = []
    joins: list[Join] = []
    for part, membership in found:
        if membership is None:
            continue
        around = source._replace(where=(*source.where, *conjuncts))
        try:
            more, join = _joined(membership, around, read, taken.union(t.id for t in (*source.tables, *tables)))
        except Unsupported as problem:
            conjuncts.append(_constant(part, source.scope, problem))
            continue
        tables += more
        joins.append(join)
    return Filter(tuple(conjuncts), tuple(tables), tuple(joins))


def _constant(part: Tree, scope: Scope, problem: Unsupported) -> Tree:
    """Return the canonical form of a predicate that contains an uncorrelated subquery.

    Converting the subquery to a join has failed with the error `problem`. Raise this error again if the subquery is
    correlated or not supported.
    """
    try:
        return canonical(part, scope)
    except Unsupported:
        raise problem from None


def _membership(conjunct: Tree) -> _Membership | None:
    negated = isinstance(conjunct, exp.Not)
    asked = conjunct.this.unnest() if negated else conjunct
    select = asked.this if isinstance(asked, exp.Exists) else asked.args.get("query")
    select = select.unnest() if isinstance(select, exp.Expr) else None
    if not isinstance(asked, (exp.Exists, exp.In)) or not isinstance(select, exp.Select):
        return None
    return _Membership("ANTI" if negated else "SEMI", select, asked.this if isinstance(asked, exp.In) else None)


def _joined(
    asked: _Membership, around: FromClause, read: ReadFrom, taken: frozenset[str]
) -> tuple[Sequence[Occurrence], Join]:
    """Return the tables of an EXISTS or IN subquery, and the join that replaces the predicate `asked`.

    `around` is the FROM clause of the outer query, `read` converts the subquery's FROM clause, and the ids of the
    tables are none of those in `taken`. Raise Unsupported if the subquery cannot become a join, for example because it
    groups rows, has outer joins or is uncorrelated.
    """
    select, outer = asked.select, around.scope
    unread = next((name for name, value in select.args.items() if value and name not in _CLAUSES), None)
    if unread is not None:
        clause = f"{unread.rstrip('_').upper()}{' BY' if unread in ('group', 'order') else ''}"
        raise Unsupported(
            f"{shown(select)} has the clause {clause}, which is not supported in IN and EXISTS: remove this clause, "
            "if the subquery's rows do not depend on it"
        )
    source = read(select, taken)
    scope = replace(source.scope, tables=(*outer.tables, *source.tables), outer=replace(outer, outer=None).column)
    within = read_where(select.args.get("where"), source._replace(scope=scope), read, taken)
    refused = next((j.kind for j in (*source.joins, *within.joins) if j in source.joins or j.kind != "SEMI"), None)
    if refused is not None:
        raise Unsupported(
            f"{shown(select)} has a{'n' if refused == 'ANTI' else ''} {refused} join, which is not supported in IN "
            "and EXISTS: write an inner join, if the result is the same"
        )
    outputs = [canonical(o.unalias(), source.scope) for o in select.expressions if not o.is_star]
    for output in outputs:
        if has_aggregate(output) or windows_in(output):
            what = "an aggregate" if has_aggregate(output) else "a window function"
            raise Unsupported(
                f"{shown(select)} computes {what}, {words(output)}, which is not supported in IN and EXISTS: write the "
                "subquery as a join with a derived table"
            )
    # Nested SEMI joins become inner: only whether a match exists matters, not how many there are.
    on = (*source.where, *within.conjuncts, *(conjunct for join in within.joins for conjunct in join.on))
    tables = (*source.tables, *within.tables)
    if asked.operand is not None:
        operand = canonical(asked.operand, outer)
        if len(outputs) != 1 or len(select.expressions) != 1:
            raise Unsupported(f"{shown(select)} in IN must have exactly one output: name one column")
        if not _compares_alike(operand, outputs[0], scope):
            raise Unsupported(
                f"{shown(select)}: IN is supported only if {words(operand)} and {words(outputs[0])} have the same "
                "type, which must be known: cast both to one type"
            )
        if asked.kind == "ANTI":
            _refuse_null(operand, _whole(around), around.where)
            _refuse_null(outputs[0], tables, on)
        on = (exp.EQ(this=operand, expression=outputs[0]), *on)
    ids = frozenset(table.id for table in tables)
    if all(column.table in ids for conjunct in on for column in columns_in(conjunct)):
        raise Unsupported(
            f"IN or EXISTS over {shown(select)} refers to no column of the outer query, which is not supported: "
            "compare a column of the subquery with a column of the outer query; or, if the condition does not depend "
            "on the outer row, read the other tables in a derived table, which a view can answer, and write the "
            "condition only in the SELECT around the derived table"
        )
    return tables, Join(asked.kind, ids, on, subquery=True)


def _compares_alike(left: Tree, right: Tree, scope: Scope) -> bool:
    """Return whether IN compares two expressions as `=` does.

    The comparisons are the same if both expressions have the same type, or if both are integers. IN may cast
    expressions of other types differently from `=`.
    """
    sides = (left, right)
    types = [c.type if (c := scope.type_of(side)) else temporal_type(side, scope) for side in sides]
    types = [kind for kind in types if kind is not None]
    return len(types) == 2 and (len(set(types)) == 1 or set(types) <= set(INTEGERS))


def _refuse_null(operand: Tree, tables: Sequence[Occurrence], conjuncts: Sequence[Tree]) -> None:
    """Raise Unsupported if an operand of NOT IN may be NULL.

    An operand is never NULL if it is a NOT NULL column of `tables`, or if one of the `conjuncts` rejects NULL.
    """
    column = Scope(tuple(tables)).type_of(operand)
    if column is not None and not column.nullable:
        return
    if not any(operand in rejected(conjunct) for conjunct in conjuncts):
        raise Unsupported(
            "NOT IN is supported only if neither side can be NULL: if NULLs do not matter, exclude NULLs of "
            f"{operand.name or 'both sides'} by IS NOT NULL in WHERE"
        )


def _whole(source: FromClause) -> list[Occurrence]:
    """Return the tables of a FROM clause whose rows no outer join can replace by NULLs."""
    filled = frozenset[str]().union(*(join.tables for join in source.joins if join.kind in ("LEFT", "FULL")))
    return [table for table in source.tables if table.id not in filled]
