"""Finds the type of the first argument (the source) of a `timeseries(…)` call, from the names visible at the call."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from sqlglot import exp
from sqlglot.tokens import Token

from rewriter.block.expressions import canonical
from rewriter.block.form import Unsupported
from rewriter.block.from_clause import Find
from rewriter.block.scope import Scope
from rewriter.functions.registry import CLOCK, RESULTS, meant
from rewriter.schema import Uncertain, type_of
from rewriter.spelling.calls import NAME, Call
from rewriter.spelling.names import Names
from rewriter.sql import Statement, offering
from rewriter.sql.blocks import depth_at

Tree = exp.Expr


class Level(NamedTuple):
    """The names visible in one SELECT that encloses a call.

    - `scope`: the columns
    - `outputs`: the output aliases
    - `whole`: true if the columns of all items of FROM are known, so that any other name belongs to an outer SELECT
    - `bound`: the parameters of lambda functions
    - `behind`: true if HAVING or ORDER BY has a `timeseries` call: an output alias may take precedence over a column
      there
    """

    scope: Scope
    outputs: Mapping[str, Tree]
    whole: bool
    bound: frozenset[str]
    behind: bool

    def knows(self, column: exp.Column) -> bool:
        """Return whether a column reference is resolved in this SELECT; an ambiguous name counts as resolved."""
        if column.name.lower() in self.bound or column.name.lower() in self.outputs:
            return True
        try:
            self.scope.column(column)
        except Unsupported:  # the name may be ambiguous, or a field of a struct
            first = column.parts[0].name.lower()
            return self.scope.has(first) or any(source.alias.lower() == first for source in self.scope.sources)
        return True


def levels(statement: Statement, tokens: Sequence[Token], call: Call, find: Find) -> Iterator[Level]:
    """Yield the visible names of each SELECT that encloses a `timeseries` call, innermost first.

    `tokens` are the statement's tokens, and `find` looks up tables. Stop before a SELECT that cannot be parsed.
    """
    around = [b for b in statement.blocks if b.span.start <= call.start and call.end <= b.span.end]
    around.sort(key=lambda block: block.span.end - block.span.start)
    if statement.outside is not None and statement.outside.span.start <= call.start:
        around.append(statement.outside)
    for block in around:
        if block.tree is None:
            return
        # A query that begins with FROM is parsed as a SELECT without FROM; within parentheses it is unclear which FROM
        # is its own.
        inner = block is not statement.outside and depth_at(tokens, block.span.start) > 0
        inner &= not _is_lateral(tokens, block.span.start)
        yield _level(block.tree, Names(statement, find).scope(block.tree), inner)


def _is_lateral(tokens: Sequence[Token], start: int) -> bool:
    """Return whether `LATERAL (` directly precedes the SELECT that starts at the offset `start`.

    Elsewhere, a SELECT in parentheses may be a part of `(FROM t SELECT x)`, so that its FROM is not certain; after
    `LATERAL (` it is the whole query.
    """
    at = bisect_left(tokens, start, key=attrgetter("start"))
    return [token.text.upper() for token in tokens[max(at - 2, 0) : at]] == ["LATERAL", "("]


def _level(tree: exp.Select, scope: Scope, inner: bool) -> Level:
    items = list(offering(tree))
    whole = len(scope.sources) == len(items) and not tree.args.get("laterals") and not (inner and not items)
    bound = (parameter.name.lower() for found in tree.find_all(exp.Lambda) for parameter in found.expressions)
    clauses = (clause for name in ("having", "order") if (clause := tree.args.get(name)) is not None)
    behind = any(node.name.lower() == NAME for clause in clauses for node in clause.find_all(exp.Anonymous))
    outputs = {item.alias.lower(): item.this for item in tree.expressions if isinstance(item, exp.Alias)}
    return Level(scope, outputs, whole, frozenset(bound), behind)


def type_at(source: Tree, around: Iterable[Level]) -> str | None:
    """Return the type of `source`, the first argument of a `timeseries` call; None if the type is not certain.

    `around` are the visible names of the SELECTs that enclose the call, innermost first.
    """
    if isinstance(source, exp.Cast):
        source = exp.TryCast(this=exp.Null(), to=source.to, safe=source.args.get("safe"))
    columns = list(source.find_all(exp.Column))
    if not columns:
        return _type(source, Scope(()))
    for level in around:
        known = [level.knows(column) for column in columns]
        if any(known):
            return _type_in(source, columns, level)
        if not level.whole:
            break
    return None


def _type_in(source: Tree, columns: Sequence[exp.Column], level: Level) -> str | None:
    names = {column.name.lower() for column in columns}
    if names & level.bound:
        return None
    kind = _type(source, level.scope)
    if kind is not None and not (level.behind and names & level.outputs.keys()):
        return kind

    def output(name: str) -> Tree | None:
        tree = level.outputs.get(name.lower())
        return canonical(tree.transform(_moment), level.scope) if tree is not None else None

    named = _type(source, replace(level.scope, alias=output))
    return named if kind is None or kind == named else None


def _type(source: Tree, scope: Scope) -> str | None:
    def declared(column: exp.Column) -> str | None:
        known = scope.type_of(column)
        return known.type if known else None

    try:
        return type_of(canonical(source.transform(_moment), scope), declared)
    except (Uncertain, Unsupported):
        return None


def _moment(node: Tree) -> Tree:
    """Replace a function of the current time, such as current_date(), by a constant of the same type.

    The constant for current_date() is `CAST(NULL AS DATE)`, because only the type is needed. Return other nodes
    unchanged.
    """
    called = meant(node.name) if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if isinstance(node, (exp.CurrentDate, exp.CurrentTimestamp)) and not node.this:
        called = node.sql("spark").removesuffix("()").lower()
    if called not in CLOCK:
        return node
    return exp.TryCast(this=exp.Null(), to=exp.DataType.build(RESULTS[called](()), dialect="spark"))
