"""`timeseries(…)` calls in a text put into Spark's own functions, in place; all else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.block.expressions import canonical, checked_grain
from rewriter.block.form import Unsupported
from rewriter.block.from_clause import Find
from rewriter.block.resolve import common_tables, scope_of
from rewriter.block.scope import Scope
from rewriter.functions.registry import CLOCK, RESULTS, meant
from rewriter.model import quoted
from rewriter.schema import Uncertain, type_of
from rewriter.sql import Edit, SelectBlock, Statement, parse_select, splice, tokenize
from rewriter.sql.blocks import CLOSING, OPENING
from rewriter.timeseries import translate_bucket
from rewriter.timeseries.bucket import TEMPORAL

NAME = "timeseries"


class _Call(NamedTuple):
    """A call in a text: its place and the texts of its arguments."""

    start: int
    end: int
    arguments: tuple[str, ...]


def spell_out(statement: Statement, find: Find) -> tuple[Edit, ...]:
    """The edits that turn a statement into one that Spark can run; raises Unsupported where a type cannot be seen.

    An output that is not named otherwise keeps the text that was typed as its name.
    """
    if not statement.uses_timeseries:
        return ()
    tokens = tokenize(statement.sql)
    edits: list[Edit] = []
    for call in _calls(statement.sql, tokens):
        if len(call.arguments) != 2:  # the third is for queries that Viewgate writes
            raise Unsupported("timeseries() takes a column and a granularity: timeseries(order_time, 'hour')")
        block = _innermost(statement.blocks, call)
        scope = Scope(())
        if block is not None and block.tree is not None:
            scope = scope_of(block.tree, find, common_tables(statement, block, find))
        edits.append(Edit(call.start, call.end, _translated(call, scope)))
    for block in statement.blocks:
        edits += _names(statement.sql, tokens, block)
    return tuple(edits)


def spelled_text(sql: str) -> str:
    """A text whose calls name the type as their third argument, as Viewgate writes them, in Spark's functions.

    >>> spelled_text("SELECT timeseries(t0.ts, 'hour', 'timestamp') AS h FROM t AS t0")
    "SELECT date_trunc('HOUR', t0.ts) AS h FROM t AS t0"
    """
    edits = [Edit(c.start, c.end, _translated(c, Scope(()))) for c in _calls(sql, tokenize(sql))]
    return splice(sql, edits)


def blanked(sql: str) -> str:
    """The text with each call's source in the place of the call: what else Spark finds wrong with it, it finds there.

    >>> blanked("SELECT timeseries(x, 'day') FROM nowhere")
    'SELECT           (x       ) FROM nowhere'
    """
    edits = []
    for call in _calls(sql, tokenize(sql)):
        text = sql[call.start : call.end]
        opening = text.index("(")
        end = text.index(call.arguments[0], opening) + len(call.arguments[0])
        edits.append(Edit(call.start, call.end, f"{' ' * opening}{text[opening:end]}{' ' * (len(text) - end - 1)})"))
    return splice(sql, edits)


def _calls(sql: str, tokens: Sequence[Token]) -> Iterator[_Call]:
    """Calls in the order of the text; one inside another's arguments is part of the outer one's text."""
    i = 0
    while i + 1 < len(tokens):
        token = tokens[i]
        if token.text.lower() != NAME or tokens[i + 1].token_type is not TokenType.L_PAREN:
            i += 1
            continue
        arguments, last = _arguments(sql, tokens, i + 1)
        yield _Call(token.start, tokens[last].end + 1, arguments)
        i = last + 1


def _arguments(sql: str, tokens: Sequence[Token], opening: int) -> tuple[tuple[str, ...], int]:
    depth, start, found = 0, tokens[opening].end + 1, []
    for i in range(opening, len(tokens)):
        kind = tokens[i].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth == 0 or (depth == 1 and kind is TokenType.COMMA):
            found.append(sql[start : tokens[i].start].strip())
            start = tokens[i].end + 1
        if depth == 0:
            return tuple(found), i
    raise Unsupported("timeseries( is not closed")


def _translated(call: _Call, scope: Scope) -> str:
    source = spelled_text(call.arguments[0]) if len(call.arguments) == 3 else call.arguments[0]
    tree = parse_select("SELECT " + ", ".join(call.arguments))
    unit = tree.expressions[1]
    if len(call.arguments) == 3:
        return translate_bucket(source, unit.name.lower(), tree.expressions[2].name)
    kind = _type(tree.expressions[0], scope)
    if kind not in TEMPORAL:
        found = f"is {kind.upper()}" if kind else "is not certain: CAST it to one"
        raise Unsupported(f"timeseries() takes a TIMESTAMP, TIMESTAMP_NTZ or DATE, and the type of {source} {found}")
    return translate_bucket(source, checked_grain(unit, kind), kind)


def _type(source: exp.Expr, scope: Scope) -> str | None:
    """The type of a call's source: a CAST tells it whatever it casts; None where it is not certain."""
    if isinstance(source, exp.Cast):
        source = exp.TryCast(this=exp.Null(), to=source.to, safe=source.args.get("safe"))

    def declared(column: exp.Column) -> str | None:
        known = scope.type_of(column)
        return known.type if known else None

    try:
        return type_of(canonical(source.transform(_moment), scope), declared)
    except (Uncertain, Unsupported):
        return None


def _moment(node: exp.Expr) -> exp.Expr:
    """A function that tells the time, as something of its type: what it tells does not matter here."""
    called = meant(node.name) if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if isinstance(node, exp.CurrentDate | exp.CurrentTimestamp) and not node.this:
        called = node.sql("spark").removesuffix("()").lower()
    if called not in CLOCK:
        return node
    return exp.TryCast(this=exp.Null(), to=exp.DataType.build(RESULTS[called](()), dialect="spark"))


def _innermost(blocks: Sequence[SelectBlock], call: _Call) -> SelectBlock | None:
    around = [b for b in blocks if b.span.start <= call.start and call.end <= b.span.end]
    return min(around, key=lambda b: b.span.end - b.span.start, default=None)


def _names(sql: str, tokens: Sequence[Token], block: SelectBlock) -> Iterator[Edit]:
    """Aliases for the outputs of a block that have none and contain a call."""
    if block.tree is None or NAME not in block.text.lower():
        return
    spans = list(_item_spans(tokens, block))
    if len(spans) != len(block.tree.expressions):
        return
    for (start, end), item in zip(spans, block.tree.expressions, strict=True):
        text = sql[start:end]
        if NAME in text.lower() and not isinstance(item, exp.Alias) and item.find(exp.Anonymous):
            yield Edit(end, end, f" AS {quoted(text)}")


def _item_spans(tokens: Sequence[Token], block: SelectBlock) -> Iterator[tuple[int, int]]:
    """Where the outputs of a block stand in the text."""
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
