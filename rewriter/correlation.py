"""Supports correlated subqueries in WHERE or in an output: outer references are constants within the subquery.

law:    for each row of the outer query, the outer column is a constant; so a view that answers the subquery for every
        constant answers the subquery for this row
query:  … FROM part WHERE price < (SELECT avg(price) FROM items WHERE items.part = id)
gives:  … FROM part WHERE price < (SELECT <avg of sum and count> FROM view AS v WHERE v.part = `part`.`id`)
no:     an outer column whose name would mean a column of the view, or of a table joined to the view, in the rewritten
        SQL
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from rewriter.block import Block, Find, Unsupported, common_tables, full_scope
from rewriter.block.opaque import outer_column
from rewriter.block.scope import Scope
from rewriter.match import Match, Miss, Reason
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.model import quoted
from rewriter.sql import Edit, SelectBlock, Statement, every

Tree = exp.Expr


@dataclass
class Correlation:
    """The outer references of a subquery.

    `scope` has the tables of the outer block; `aliases` are the aliases of the outer tables used; `lent` maps the span
    of each outer reference in the statement's text to the type of the outer column.
    """

    scope: Scope
    aliases: set[str] = field(default_factory=set)
    lent: dict[tuple[int, int], str] = field(default_factory=dict)

    def column(self, node: exp.Column) -> Tree:
        """Record an outer column and return the constant that represents the column in the subquery's block.

        Raise Unsupported if no table of the outer SELECT has this column.
        """
        declared = self.scope.type_of(self.scope.column(node))
        source = self.scope.source_of(node)
        if declared is None or source is None:
            raise Unsupported(
                f"{node.sql('spark')} is not a column of a table in the outer SELECT, so the correlated subquery is "
                "not supported: replace it by a column of such a table"
            )
        self.aliases.add(source.alias.lower())
        place = node.parts[0].meta["start"], node.parts[-1].meta["end"] + 1
        self.lent[place] = declared.type
        return outer_column(f"{quoted(source.alias)}.{quoted(node.name)}", declared.type)

    def check(self, block: Block, *, compared: bool) -> None:
        """Raise Unsupported if the subquery has outer references, and its form does not support outer references.

        The supported forms are subqueries of EXISTS and IN and, if `compared` (the subquery is a scalar operand),
        aggregates without GROUP BY. A subquery of EXISTS or IN that computes an aggregate is not supported.
        """
        if self.lent and (problem := _problem(block, compared=compared)):
            raise Unsupported(
                f"the correlated subquery {problem}, which is not supported: write the subquery as a join"
            )

    def placed(self, match: Match) -> Match | Miss:
        """Return the match, or a Miss if its SQL cannot contain the outer references of the subquery.

        An alias of an outer table must not be the name of a column of the view, or of a table that is inner-joined to
        the view. UNION ALL, and outer, SEMI and ANTI joins, are not supported together with outer references.
        """
        rewriting = match.rewriting
        columns = [*rewriting.storage.columns, *(column for table in rewriting.tables for column in table.columns)]
        taken = {STORAGE_ALIAS, *(t.id.lower() for t in rewriting.tables), *(c.name.lower() for c in columns)}
        if self.lent and (rewriting.union is not None or rewriting.joins):
            needed = "UNION ALL" if rewriting.union is not None else f"{rewriting.joins[0].kind} JOIN"
            return Miss(
                Reason.SHAPE,
                f"the correlated subquery could be answered from the view only by a query with {needed}, which is not "
                "supported in a correlated subquery: write the subquery as a join",
            )
        if self.lent and (clash := sorted(taken & self.aliases)):
            return Miss(
                Reason.SHAPE,
                f"in the correlated subquery, the outer table's alias {clash[0]} could mean a column of the view or of "
                "a table joined to the view: give the outer table another alias",
            )
        return match

    def casts(self) -> list[Edit]:
        """Return the edits that replace each outer reference in the statement by a NULL cast to the column's type."""
        return [Edit(i, j, f"CAST(NULL AS {kind})") for (i, j), kind in self.lent.items()]


def _problem(block: Block, *, compared: bool) -> str:
    """Return the unsupported part of a correlated subquery, as text for a message; empty if there is none.

    `block` is the subquery; `compared` is false if it is the subquery of EXISTS or IN.
    """
    clauses = (
        ("HAVING", block.having),
        ("ORDER BY", block.order),
        ("LIMIT", block.limit),
        ("OFFSET", block.offset),
        ("GROUPING SETS", block.sets),
        ("DISTINCT", block.distinct),
    )
    if clause := next((name for name, value in clauses if value), ""):
        return f"has {clause}"
    if block.as_set or (compared and block.keys == ()):
        return ""
    if block.keys:
        return "has GROUP BY or DISTINCT"
    if block.keys is None:
        return "has no aggregate, and is not in EXISTS or IN" if compared else "has a window function"
    return "computes an aggregate in EXISTS or IN"


def correlation_of(statement: Statement, select: SelectBlock, find: Find) -> Correlation | None:
    """Return a Correlation, with no outer reference recorded yet, for a subquery that may have outer references.

    `find` looks up a table or view that a FROM clause names. Return None for a block that is not an operand in WHERE or
    in an aliased output, and if the outer SELECT is unsupported.
    """
    around = next(reversed(statement.around(select)), None)
    if around is None or around.tree is None or select.tree is None:
        return None
    places = [inner for inner in every(around.tree, exp.Select) if inner == select.tree]
    if not places or not all(_is_operand(place, around.tree) for place in places):
        return None
    try:
        return Correlation(full_scope(around.tree, find, common_tables(statement, find)))
    except Unsupported:
        return None


def refused_outer(statement: Statement, select: SelectBlock) -> Callable[[exp.Column], Tree] | None:
    """Return a function that raises Unsupported for each outer reference; None for a block that is not a subquery."""
    around = next(reversed(statement.around(select)), None)
    if around is None or around.tree is None or select.tree is None:
        return None
    tree = around.tree
    places = [inner for inner in every(tree, exp.Select) if inner == select.tree]
    if not any(map(_is_subquery, places)):
        return None

    def column(node: exp.Column) -> Tree:
        if all(_is_operand(place, tree) for place in places):
            raise Unsupported(
                f"{node.sql('spark')} is not a column of the subquery's FROM, and the columns of the outer SELECT's "
                "FROM are not known for certain: write the subquery as a join"
            )
        raise Unsupported(
            f"{node.sql('spark')} is not a column of the subquery's FROM, and a correlated subquery is supported only "
            "in WHERE or in an output with an alias: give the output an alias, or write the subquery as a join"
        )

    return column


def _is_subquery(select: exp.Expr) -> bool:
    """Return whether a SELECT is an operand of an expression, and not a derived table or CTE."""
    node = select.parent
    return isinstance(node, (exp.Subquery, exp.Exists, exp.In)) and not isinstance(node.parent, (exp.From, exp.Join))


def _is_operand(select: exp.Expr, around: exp.Select) -> bool:
    """Return whether a subquery is in the WHERE of the SELECT `around`, or in an output of `around` with an alias.

    Correlated subqueries are supported only in these two places. Subqueries of EXISTS and IN are operands, too;
    subqueries of ANY and ALL are not. An output without an alias is excluded because Spark's name for the output may
    contain the outer columns.
    """
    node: exp.Expr | None = select.parent
    if not isinstance(node, (exp.Subquery, exp.Exists)) or isinstance(node.parent, (exp.Any, exp.All)):
        return False
    while node is not None and not isinstance(node, (exp.Where, exp.From, exp.Join, exp.Select)):
        if node.parent is around and node.arg_key == "expressions":
            return isinstance(node, exp.Alias)
        node = node.parent
    return isinstance(node, exp.Where) and node.parent is around
