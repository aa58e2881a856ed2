"""Translates the `timeseries(…)` calls in a SQL text to Spark functions; the rest of the text stays unchanged.

`timeseries(time, 'hour')` is Viewgate's own function: the start of the hour that contains the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.block.expressions import checked_grain
from rewriter.block.form import Unsupported
from rewriter.block.from_clause import Find
from rewriter.model import Session, quoted
from rewriter.spelling.calls import Call, blanked, calls
from rewriter.spelling.timestamps import as_meant, statement_as_meant
from rewriter.spelling.types import Level, levels, type_at
from rewriter.sql import Edit, ParseError, SelectBlock, Statement, parse_select, splice, tokenize
from rewriter.sql.blocks import CLOSING, OPENING
from rewriter.timeseries import translate_bucket
from rewriter.timeseries.bucket import TEMPORAL

__all__ = ["blanked", "spell_out", "spelled_text"]

KindOf = Callable[[exp.Expr], str | None]


def spell_out(statement: Statement, find: Find) -> tuple[Edit, ...]:
    """Return the edits that translate the `timeseries` calls of a statement to Spark functions.

    For a TIMESTAMP t, `timeseries(t, 'hour')` becomes `date_trunc('HOUR', t)`. An output that contains a call and has
    no alias gets the text that the user typed as its alias. Return no edits if there are no calls. Raise Unsupported if
    a call is malformed, or if the type of the first argument is not known or not temporal. `find` looks up tables.
    """
    if not statement.uses_timeseries:
        return ()
    statement = statement_as_meant(statement)
    tokens = statement.tokens
    edits: list[Edit] = []
    for call in calls(statement.sql, tokens):
        # a third argument, the type, occurs only in queries that Viewgate writes
        if len(call.arguments) != 2 or not all(call.arguments):
            raise Unsupported("timeseries() takes a column and a granularity: write timeseries(order_time, 'hour')")
        kind_of = partial(_kind_of, statement.session, list(levels(statement, tokens, call, find)))
        try:
            text = _translated(call, kind_of)
        except ParseError as problem:
            raise Unsupported(f"{statement.sql[call.start : call.end]} cannot be parsed: {problem}") from problem
        edits.append(Edit(call.start, call.end, text))
    named = [edit for block in statement.blocks for edit in _names(statement.sql, tokens, block, edits)]
    return (*edits, *named)


def spelled_text(sql: str) -> str:
    """Return a text with its three-argument `timeseries` calls translated to Spark functions.

    Only Viewgate writes calls with a third argument, which is the type of the first argument.

    >>> spelled_text("SELECT timeseries(t0.ts, 'hour', 'timestamp') AS h FROM t AS t0")
    "SELECT date_trunc('HOUR', t0.ts) AS h FROM t AS t0"
    """
    return splice(sql, [Edit(c.start, c.end, _translated(c, lambda source: None)) for c in _calls_in(sql)])


def _kind_of(session: Session, around: Sequence[Level], source: exp.Expr) -> str | None:
    """Return the type of the first argument of a call in a session; None if the type is not certain.

    `around` are the visible names of the SELECTs that enclose the call, innermost first.
    """
    return type_at(as_meant(source, session), around)


def _translated(call: Call, kind_of: KindOf) -> str:
    """Return a call, and the calls within its first argument, as Spark SQL.

    For a TIMESTAMP t, `timeseries(t, 'hour')` gives `date_trunc('HOUR', t)`. `kind_of` returns the type of the first
    argument, None if unknown; `kind_of` is not used for a three-argument call. Raise Unsupported if the type is unknown
    or not temporal, or if the grain is unknown.
    """
    source, *rest = (parse_select(f"SELECT {argument}").expressions[0] for argument in call.arguments)
    within = [Edit(c.start, c.end, _translated(c, kind_of)) for c in _calls_in(call.arguments[0])]
    text = splice(call.arguments[0], within)
    if len(rest) == 2:
        return translate_bucket(text, rest[0].name.lower(), rest[1].name)
    kind = kind_of(source)
    if kind not in TEMPORAL:
        found = f"is {kind.upper()}" if kind else "is not known for certain"
        raise Unsupported(
            f"the type of {text} {found}, and timeseries() takes a TIMESTAMP, TIMESTAMP_NTZ or DATE: cast the argument "
            "to one of these types"
        )
    return translate_bucket(text, checked_grain(rest[0], kind), kind)


def _calls_in(text: str) -> Iterator[Call]:
    return calls(text, tokenize(text))


def _names(sql: str, tokens: Sequence[Token], block: SelectBlock, calls: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits that add an alias to each output with a `timeseries` call that has no alias, in one block.

    The alias is the output's text: ``AS `timeseries(t, 'hour')` ``. `calls` are the edits that replace the calls.
    `tokens` are the tokens of the text `sql`.
    """
    if block.tree is None or not any(block.span.start <= call.start < block.span.end for call in calls):
        return
    spans = list(_item_spans(tokens, block))
    if len(spans) != len(block.tree.expressions):
        return
    for (start, end), item in zip(spans, block.tree.expressions, strict=True):
        if any(start <= call.start < end for call in calls) and not isinstance(item, exp.Alias):
            yield Edit(end, end, f" AS {quoted(sql[start:end])}")


def _item_spans(tokens: Sequence[Token], block: SelectBlock) -> Iterator[tuple[int, int]]:
    """Yield the start and end offsets of each output of a block in the statement's text, whose tokens are `tokens`."""
    inside = [t for t in tokens if block.span.start <= t.start and t.end < block.span.end]
    depth, start, last = 0, None, inside[0]
    for token in inside[1:]:
        kind = token.token_type
        ends = depth == 0 and kind in (TokenType.COMMA, TokenType.FROM)
        if ends and start is not None:
            yield start, last.end + 1
            start = None
        if ends and kind is TokenType.FROM:
            return
        if not ends and start is None and kind not in (TokenType.DISTINCT, TokenType.ALL):
            start = token.start
        depth += (kind in OPENING) - (kind in CLOSING)
        last = token
    if start is not None:
        yield start, last.end + 1
