"""Moves the grouping of a PIVOT into a derived table, so that a view can supply the groups.

Spark evaluates `PIVOT (f(x) FOR p IN (…))` in two steps: it groups by p and by every column that PIVOT does not name,
then puts the result for each listed value of p into a column, or NULL if there is no such group. So absent counts are
NULL, not 0 as with CASE inside the aggregates.

law:    if each group of a PIVOT has one row, max() in PIVOT returns the value of this row
query:  SELECT * FROM sales PIVOT (sum(price) FOR quarter IN (1, 2))
gives:  SELECT * FROM (SELECT region, quarter, sum(price) AS x FROM sales GROUP BY region, quarter) AS sales PIVOT
        (max(x) FOR quarter IN (1, 2))
no:     PIVOT with an aggregate whose type is not numeric, unless all aggregates are min() or max(): Spark then puts
        CASE into the aggregates, so that absent counts are 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokens import Token, TokenType

from rewriter.block import Find, Unsupported
from rewriter.derived import texts_of
from rewriter.engine.questions import block_of, finder
from rewriter.freshness import Relations
from rewriter.functions.types import Uncertain, is_numeric
from rewriter.index import Definitions
from rewriter.model import quoted
from rewriter.schema import name_of, output_types
from rewriter.sql import Edit, SelectBlock, Statement, excerpt, parse, parse_select, splice, tokenize

Tree = exp.Expr
_VALUE = "viewgate_pivot_"
_EXTREMES = ("min", "max")


class _Aggregate(NamedTuple):
    """An aggregate of PIVOT: its text and tree without the alias, and the alias (empty if there is none)."""

    text: str
    tree: Tree
    alias: str

    @property
    def name(self) -> str:
        return self.alias or name_of(self.tree)


class _Clause(NamedTuple):
    """A table with PIVOT in FROM: its span in the SELECT's text, and the texts of its parts.

    `source` is the text of the table, `aggregates` are the texts of the aggregates, `values` is the text of the value
    list.
    """

    start: int
    end: int
    source: str
    aggregates: tuple[str, ...]
    values: str


def grouped_before(statement: Statement, definitions: Definitions, relations: Relations) -> Statement | None:
    """Return the statement with the grouping of each PIVOT moved into a derived table.

    Return None for a statement without PIVOT, and if the move might change the result.
    """
    if not statement.pivots or statement.problem:
        return None
    find = finder(statement, definitions, relations)
    edits = [edit for block in statement.blocks for edit in _edits(block, statement, find)]
    if not edits or any(a is not b and a.start < b.end and b.start < a.end for a in edits for b in edits):
        return None
    made = parse(splice(statement.sql, edits), statement.session)
    return made if _finds_the_same(made, finder(made, definitions, relations)) else None


def _edits(block: SelectBlock, statement: Statement, find: Find) -> Iterator[Edit]:
    """Yield the edit that moves the grouping of a PIVOT into a derived table; nothing if the PIVOT is not supported.

    `block` is the SELECT with the PIVOT. `find` looks up a table or view that a FROM clause names.
    """
    source = block.tree.args["from_"].this if block.tree is not None and block.tree.args.get("from_") else None
    pivots: list[Tree] = source.args.get("pivots") or [] if source is not None else []
    if source is None or len(pivots) != 1:
        return
    try:
        yield from _edit(block, source, pivots[0], statement, find)
    except (Unsupported, Uncertain, ParseError):
        return


def _edit(block: SelectBlock, source: Tree, pivot: Tree, statement: Statement, find: Find) -> Iterator[Edit]:
    clause = _clause(block.text, tokenize(block.text))
    fields: list[Tree] = pivot.args.get("fields") or []
    if clause is None or pivot.args.get("unpivot") or len(fields) != 1 or not _is_plain(source):
        return
    by = tuple(column.name for column in (fields[0].this.expressions or [fields[0].this]))
    aggregates = tuple(map(_aggregate, clause.aggregates))
    used = {name.lower() for name in by} | {n for each in aggregates for n in _columns(each.tree, source.alias_or_name)}
    names = _names(source, block, statement, find)
    if not used <= {name.lower() for name in names} or any(name.lower().startswith(_VALUE) for name in names):
        return
    keys = tuple(name for name in names if name.lower() not in used)
    text = _over_groups(clause, source.alias_or_name, keys, by, aggregates)
    yield Edit(block.span.start + clause.start, block.span.start + clause.end, text)


def _is_plain(source: Tree) -> bool:
    """Return whether a FROM item is a table or derived table with nothing but an alias and PIVOT."""
    more = (value for arg, value in source.args.items() if arg not in ("this", "db", "catalog", "alias", "pivots"))
    return isinstance(source, (exp.Table, exp.Subquery)) and not source.alias_column_names and not any(more)


def _over_groups(
    clause: _Clause, alias: str, keys: Sequence[str], by: Sequence[str], aggregates: Sequence[_Aggregate]
) -> str:
    """Return the SQL of the pivoted table, with its rows grouped before PIVOT.

    `clause` is the pivoted table, `alias` its alias (empty if there is none), `keys` are the columns that PIVOT does
    not name, `by` the columns after FOR. `aggregates` are the aggregates of PIVOT.
    """
    grouped, pivoted = ", ".join(map(quoted, (*keys, *by))), ", ".join(map(quoted, by))
    values = ", ".join(f"{each.text} AS {_VALUE}{i}" for i, each in enumerate(aggregates))
    groups = f"SELECT {grouped}, {values} FROM {clause.source} GROUP BY {grouped}"
    called = f" AS {quoted(alias)}" if alias else ""
    # With a single aggregate, the columns are named by the values alone.
    names = [f" AS {quoted(each.name)}" for each in aggregates] if len(aggregates) > 1 else [""]
    found = ", ".join(f"max({_VALUE}{i}){name}" for i, name in enumerate(names))
    of = f"({pivoted})" if len(by) > 1 else pivoted
    return f"({groups}){called} PIVOT ({found} FOR {of} IN {clause.values})"


def _is(token: Token, kind: TokenType) -> bool:
    return token.token_type is kind


def _clause(text: str, tokens: Sequence[Token]) -> _Clause | None:
    """Return the table with PIVOT in a SELECT's own FROM; None without PIVOT, or if the PIVOT clause is incomplete.

    `text` is the text of the SELECT, `tokens` are the tokens of this text.
    """
    depth, deep = 0, list[int]()
    for token in tokens:
        depth -= _is(token, TokenType.R_PAREN)
        deep.append(depth)
        depth += _is(token, TokenType.L_PAREN)

    def first(kind: TokenType, level: int, behind: int = 0) -> int | None:
        return next((i for i in range(behind, len(deep)) if deep[i] == level and _is(tokens[i], kind)), None)

    def between(before: int, behind: int) -> str:
        return text[tokens[before + 1].start : tokens[behind - 1].end + 1]

    origin, pivot = first(TokenType.FROM, 0), first(TokenType.PIVOT, 0)
    by = first(TokenType.FOR, 1, pivot) if pivot is not None else None
    listed = first(TokenType.IN, 1, by) if by is not None else None
    if origin is None or pivot is None or by is None or listed is None:
        return None
    last = next(i for i in range(listed, len(deep)) if deep[i] == 0)
    commas = (i for i in range(pivot, by) if deep[i] == 1 and _is(tokens[i], TokenType.COMMA))
    items = tuple(starmap(between, pairwise((pivot + 1, *commas, by))))
    return _Clause(tokens[origin + 1].start, tokens[last].end + 1, between(origin, pivot), items, between(listed, last))


def _aggregate(text: str) -> _Aggregate:
    """Return an aggregate of PIVOT; raise Unsupported if it has a subquery, a window or a star other than count(*)."""
    (item,) = parse_select(f"SELECT {text}").expressions
    nodes = (node for node in item.walk() if isinstance(node, (exp.Query, exp.Window, exp.Star)) and not _counts(node))
    if (other := next(nodes, None)) is not None:
        named: dict[type[object], str] = {exp.Window: "a window function", exp.Star: "*"}
        part = named.get(type(other), "a subquery")
        raise Unsupported(
            f"{excerpt(text)} contains {part}, which is not supported in an aggregate of PIVOT: compute its value in "
            "the subquery to which PIVOT is applied"
        )
    if not isinstance(item, exp.Alias):
        return _Aggregate(text, item, "")
    tokens = tokenize(text)
    behind = tokens[-2] if _is(tokens[-2], TokenType.ALIAS) else tokens[-1]
    return _Aggregate(text[: behind.start].rstrip(), item.this, str(item.alias))


def _counts(node: Tree) -> bool:
    return isinstance(node, exp.Star) and isinstance(node.parent, exp.Anonymous) and node.parent.name.lower() == "count"


def _columns(tree: Tree, alias: str) -> Iterator[str]:
    """Yield the column names in an aggregate, in lower case; raise Unsupported for columns of other tables.

    `alias` is the alias of the pivoted table.
    """
    for column in tree.find_all(exp.Column):
        if column.table.lower() not in ("", alias.lower()) or column.args.get("db"):
            raise Unsupported(
                f"{excerpt(column)}: an aggregate of PIVOT can use only columns of the pivoted table: remove the "
                "qualifier"
            )
        yield column.name.lower()


def _names(source: Tree, block: SelectBlock, statement: Statement, find: Find) -> tuple[str, ...]:
    """Return the column names of the table or subquery to which PIVOT is applied.

    Raise Unsupported if the names are unknown or not unique. `source` is this table or subquery; `find` looks up a
    table or view that a FROM clause names.
    """
    found = find(source) if isinstance(source, exp.Table) else None
    if found is None:
        bare = source.copy()
        bare.set("pivots", None)
        derive = texts_of(block, statement, find).derive
        if derive is None:
            raise Unsupported(
                "the columns of the table to which PIVOT is applied are not known: apply PIVOT to a subquery that "
                "names the columns"
            )
        columns = derive(bare).columns
    else:
        columns = found.columns
    names = tuple(column.name for column in columns)
    lower = [name.lower() for name in names]
    if twice := next((name for name in lower if lower.count(name) > 1), None):
        raise Unsupported(f"the table to which PIVOT is applied has two columns named {twice}: rename one of them")
    return names


def _finds_the_same(made: Statement, find: Find) -> bool:
    """Return whether each PIVOT over grouped rows has the same result as the user's PIVOT over the rows themselves.

    The result is the same if Spark evaluates the user's PIVOT in two steps (grouping, then one column for each listed
    value), or if all aggregates are min and max. `made` is the statement with the grouping moved into derived tables.
    `find` looks up a table or view that a FROM clause names.
    """
    grouped = [b for b in made.blocks if b.tree and any(o.alias.startswith(_VALUE) for o in b.tree.expressions)]
    try:
        return all(_in_two_steps(block, made, find) for block in grouped)
    except Unsupported:
        return False


def _in_two_steps(select: SelectBlock, made: Statement, find: Find) -> bool:
    assert select.tree is not None
    block, _ = block_of(select, select.tree, made, find)
    places = [i for i, name in enumerate(block.names) if name is not None and name.startswith(_VALUE)]
    types, calls = output_types(block), [block.outputs[i] for i in places]
    if all(isinstance(call, exp.Anonymous) and call.name in _EXTREMES for call in calls):
        return True
    return all(is_numeric(types[i]) or types[i] == "boolean" for i in places)
