"""Canonical expressions: one tree for all spellings of the same meaning, as far as the meaning is certain.

A column reference consists of its table's occurrence id and a lower-case name. Parentheses are removed; where they are
needed, the printer adds them again. A comparison with a constant has the constant on the right, folded to a literal if
possible; in all other expressions, the operands keep their order (the module `meaning` compares regardless of order).
BETWEEN is two comparisons. Each function has one lower-case name, and all functions that return time buckets are
`timeseries`. A node of a type that is not in the table `_BUILDER` raises Unsupported, so that the meaning and the
printing of a block are certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from sqlglot import exp

from rewriter.block.constants import folded, text_of_hex
from rewriter.block.form import Unsupported, around
from rewriter.block.intervals import moved
from rewriter.block.meaning import MIRROR
from rewriter.block.normal_forms import joined
from rewriter.block.opaque import EXISTS, IN, SCALAR, opaque, opaque_within
from rewriter.block.scope import Scope
from rewriter.block.time_comparisons import of_time
from rewriter.block.time_windows import time_window
from rewriter.block.traits import aggregate_of, has_aggregate, is_constant, temporal_type
from rewriter.block.units import of_unit
from rewriter.block.vocabulary import CAST_TYPES, COMPARISONS, CONNECTORS, OPERATORS
from rewriter.block.windows import read_window
from rewriter.functions.patterns import refused_in
from rewriter.functions.record import Aggregate
from rewriter.functions.registry import (
    AGGREGATES,
    CLOCK,
    FUNCTIONS,
    GROUPING,
    IDEMPOTENT,
    OF_UNITS,
    READABLE,
    REPLACED,
    RESULTS,
    UNITS,
    UNSETTLED,
    meant,
)
from rewriter.functions.results import BIGINT, INT, TEXT
from rewriter.functions.trees import call_of, cast, percentile_of
from rewriter.functions.types import INTEGERS, STRING, holds_all
from rewriter.sql import every, excerpt, windows_in
from rewriter.sql.time_windows import NAME as TIME_WINDOW
from rewriter.sql.time_windows import SESSION, unread
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS, TEMPORAL, bucket_call
from rewriter.timeseries.granularity import DATE_GRANULARITIES, GRANULARITIES, grain_named, grain_remedy

Tree = exp.Expr


def canonical(node: Tree, scope: Scope) -> Tree:
    """Return the canonical tree of an expression, with names resolved in `scope`.

    `A BETWEEN 1 AND 2` gives `t_0.a >= 1 AND t_0.a <= 2` if a is a column of the table t. Raise Unsupported if the
    expression contains SQL that a block cannot represent.
    """
    found = _BUILDER.get(type(node))
    if found is None:
        raise Unsupported(f"the expression {excerpt(node)} is not supported: {around('write the expression')}")
    build, read = found
    if not node.args.keys() <= read and any(node.args[argument] for argument in node.args.keys() - read):
        option = next(name for name, value in node.args.items() if value and name not in read)
        raise Unsupported(
            f"the expression {excerpt(node)} has the option {option.rstrip('_').replace('_', ' ').upper()}, which is "
            "not supported: remove the option if the result does not depend on it"
        )
    return build(node, scope)


def _column(node: Tree, scope: Scope) -> Tree:
    assert isinstance(node, exp.Column)
    return scope.column(node)


def _constant(node: Tree, scope: Scope) -> Tree:
    if "\0" in node.name:  # printed as `\0`, where following digits would change the character
        raise Unsupported("a string literal with the character U+0000 is not supported: remove this character")
    return type(node)(**node.args)


def _paren(node: Tree, scope: Scope) -> Tree:
    return canonical(node.this, scope)


def _unary(node: Tree, scope: Scope) -> Tree:
    return type(node)(this=canonical(node.this, scope))


def _binary(node: Tree, scope: Scope) -> Tree:
    return type(node)(this=canonical(node.this, scope), expression=canonical(node.expression, scope))


def _sum(node: Tree, scope: Scope) -> Tree:
    found = moved(node, scope, lambda time: canonical(time, scope))
    return found if found is not None else _binary(node, scope)


def _comparison(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this, node.expression)
    if node.args.get("negate"):
        return exp.Not(this=_comparison(type(node)(this=node.this, expression=node.expression), scope))
    left, right = folded(canonical(node.this, scope)), folded(canonical(node.expression, scope))
    _refuse_beyond_bigint(node, (left, right), scope)
    if type(node) in MIRROR and is_constant(left) and not is_constant(right):
        return of_time(MIRROR[type(node)](this=right, expression=left), scope)
    return of_time(type(node)(this=left, expression=right), scope)


def _refuse_beyond_bigint(node: Tree, operands: Sequence[Tree], scope: Scope) -> None:
    """Raise Unsupported if a number beyond BIGINT is compared with an operand that may be an integer.

    Spark folds `n < 99999999999999999999` to TRUE or FALSE, also where n is NULL
    (`DecimalPrecisionTypeCoercion.integralAndDecimalLiteral`).
    """
    if not any(map(_is_beyond_bigint, operands)):
        return
    columns = [column for operand in operands if (column := scope.type_of(operand)) is not None]
    if not columns or any(column.type in INTEGERS for column in columns):
        raise Unsupported(
            f"{excerpt(node)} compares with a number outside the range of BIGINT, which is not supported: write a "
            "number from -9223372036854775808 to 9223372036854775807"
        )


def _is_beyond_bigint(tree: Tree) -> bool:
    if isinstance(tree, exp.Neg):
        return _is_beyond_bigint(tree.this)
    number = isinstance(tree, exp.Literal) and not tree.is_string and len(tree.name) >= len(str(_MOST_BIGINT))
    return number and _DIGITS.fullmatch(tree.name) is not None and Decimal(tree.name) > _MOST_BIGINT


# Text of a DECIMAL or integer literal, and the greatest BIGINT. The least BIGINT is one further from 0; refusing it,
# too, is safe.
_DIGITS, _MOST_BIGINT = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+"), Decimal(2**63 - 1)


def _refuse_chains(node: Tree, *operands: Tree) -> None:
    """Raise Unsupported for chains such as `a = b LIKE c`, which Spark and sqlglot associate differently."""
    if any(isinstance(operand, _PREDICATES) for operand in operands):
        raise Unsupported(
            f"{excerpt(node)} has a comparison without parentheses as an operand, which is not supported: put this "
            "operand in parentheses"
        )


def _joined_texts(node: Tree, scope: Scope) -> Tree:
    """Return the canonical form of `a || b`; raise Unsupported if an operand is a sum or difference.

    Spark and the parser disagree on whether || or + and - bind more tightly.
    """
    if any(isinstance(operand, (exp.Add, exp.Sub)) for operand in (node.this, node.expression)):
        raise Unsupported(
            f"{excerpt(node)} mixes || with + or -, which is not supported: put one operation in parentheses"
        )
    return _binary(node, scope)


def _between(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this, node.args["low"], node.args["high"])
    subject = canonical(node.this, scope)
    low, high = folded(canonical(node.args["low"], scope)), folded(canonical(node.args["high"], scope))
    for bound in (low, high):
        _refuse_beyond_bigint(node, (subject, bound), scope)
    above, below = exp.GTE(this=subject, expression=low), exp.LTE(this=subject.copy(), expression=high)
    return exp.And(this=of_time(above, scope), expression=of_time(below, scope))


def _in(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this)
    query = node.args.get("query")
    if query is not None and not node.expressions:
        return opaque(IN, scope.constant(query), canonical(node.this, scope))
    if not node.expressions:
        raise Unsupported(
            f"{excerpt(node)}: IN is supported only with a subquery or a list of values: write IN (value, …)"
        )
    if isinstance(node.this, exp.Tuple):
        return _in_tuples(node, scope)
    values = [folded(canonical(value, scope)) for value in node.expressions]
    return exp.In(this=canonical(node.this, scope), expressions=values)


def _in_tuples(node: Tree, scope: Scope) -> Tree:
    """Return `(a, b) IN ((1, 2), (3, 4))` as `a <=> 1 AND b <=> 2 OR a <=> 3 AND b <=> 4`.

    Raise Unsupported if an expression such as a and one of its values are not both integers or both strings.

    no: a string compared with a number, because Spark casts the string differently within a struct
    """
    members = [canonical(member, scope) for member in node.this.expressions]
    rows = []
    for value in node.expressions:
        values = [folded(canonical(each, scope)) for each in value.expressions] if isinstance(value, exp.Tuple) else []
        if len(values) != len(members) or not all(map(_is_alike, members, values, [scope] * len(values))):
            raise Unsupported(
                f"{excerpt(node)}: IN with several columns is supported only for integers and strings that are "
                "compared with literals of the same kind: compare the columns one by one, with AND and OR"
            )
        same = (exp.NullSafeEQ(this=m.copy(), expression=v) for m, v in zip(members, values, strict=True))
        rows.append(joined(exp.And, list(same)))
    return joined(exp.Or, rows)


def _is_alike(member: Tree, value: Tree, scope: Scope) -> bool:
    """Return whether an expression and a literal are both integers or both strings."""
    column = scope.type_of(member)
    kind = column.type if column is not None else ""
    if isinstance(member, exp.Anonymous) and (rule := RESULTS.get(member.name)) in (INT, BIGINT, TEXT):
        kind = rule([])
    if not isinstance(value, exp.Literal):
        return False
    return kind == STRING if value.is_string else kind in INTEGERS and value.name.isdigit()


def _subquery(node: Tree, scope: Scope) -> Tree:
    kind = EXISTS if isinstance(node, exp.Exists) else SCALAR
    return opaque(kind, scope.constant(node.this))


def _is(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this)
    if not isinstance(node.expression, (exp.Null, exp.Boolean)):
        raise Unsupported(
            f"{excerpt(node)}: IS is supported only with NULL, TRUE or FALSE: compare other values by <=>"
        )
    return exp.Is(this=canonical(node.this, scope), expression=node.expression.copy())


def _case(node: Tree, scope: Scope) -> Tree:
    def part(name: str) -> Tree | None:
        value = node.args.get(name)
        return canonical(value, scope) if value is not None else None

    branches = [
        exp.If(this=canonical(branch.this, scope), true=canonical(branch.args["true"], scope))
        for branch in node.args["ifs"]
    ]
    return exp.Case(this=part("this"), ifs=branches, default=part("default"))


def _cast(node: Tree, scope: Scope) -> Tree:
    assert isinstance(node, exp.Cast)
    kind = node.to
    if kind.this not in CAST_TYPES or any(not isinstance(p, exp.DataTypeParam) for p in kind.expressions):
        raise Unsupported(
            f"{excerpt(node)}: a cast to {kind.sql('spark')} is not supported: cast to a number, string, date or "
            "timestamp, if the result is the same"
        )
    return _casting(canonical(node.this, scope), kind, scope, safe=bool(node.args.get("safe")))


def _casting(inner: Tree, kind: exp.DataType, scope: Scope, *, safe: bool = False) -> Tree:
    known = scope.type_of(inner) if isinstance(inner, exp.Column) else None
    if known is not None and known.type == kind.sql("spark").lower().replace(", ", ","):
        return inner  # the column already has that type
    return exp.TryCast(this=inner, to=kind.copy(), **({"safe": True} if safe else {}))


def _interval(node: Tree, scope: Scope) -> Tree:
    if not isinstance(node.this, exp.Literal) or not isinstance(node.args.get("unit"), exp.Var):
        raise Unsupported(
            f"{excerpt(node)}: an interval is supported only with one number and one unit, such as INTERVAL 1 DAY: "
            "add several such intervals instead"
        )
    return node.copy()


def _concatenated_literal(node: Tree, scope: Scope) -> Tree:
    if not all(isinstance(part, exp.Literal) and part.is_string for part in node.expressions):
        raise Unsupported(f"{excerpt(node)}: adjacent literals must all be strings: write a single string literal")
    return _constant(exp.Literal.string("".join(part.name for part in node.expressions)), scope)


def _filter(node: Tree, scope: Scope) -> Tree:
    aggregate = canonical(node.this, scope)
    if aggregate_of(aggregate) is None or isinstance(aggregate, exp.Filter):
        raise Unsupported(
            f"{excerpt(node)}: FILTER is supported only directly after a call of an aggregate: write sum(x) FILTER "
            "(WHERE …)"
        )
    (condition,) = _arguments(node, [node.expression.this], scope)
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition))


def _call(node: Tree, scope: Scope) -> Tree:
    if not isinstance(node.this, str):
        raise Unsupported(f"{excerpt(node)}: a function name in backticks is not supported: remove the backticks")
    name = meant(node.this)
    if (text := text_of_hex(node)) is not None:
        return _constant(exp.Literal.string(text), scope)
    if name in AGGREGATES:
        return _aggregate(node, AGGREGATES[name], scope)
    if name == "count_if":
        return _count_if(node, scope)
    if not node.expressions and (name in CLOCK or name == "unix_timestamp"):
        return call_of(name) if name in CLOCK else call_of(name, call_of("current_timestamp"))
    _refuse_unsettled(name, node)
    form = FUNCTIONS[name].form
    if form == "field":
        return _part(node, scope)
    if name in OF_UNITS and len(node.expressions) == 3:
        return of_unit(name, node.expressions[0], [canonical(each, scope) for each in node.expressions[1:]], scope)
    arguments = [canonical(argument, scope) for argument in node.expressions]
    _refuse_pattern(name, arguments)
    if form == "cast" and len(arguments) == 1:
        return _casting(arguments[0], exp.DataType.build(FUNCTIONS[name].casts_to, dialect="spark"), scope)
    if form == "call":
        return _respelled(name, arguments, scope)
    if form == "bucket":
        return _bucket(name, arguments, scope)
    if form == "window":
        return time_window(name, arguments, scope)
    return exp.Anonymous(this=name, expressions=arguments)


def _respelled(name: str, arguments: list[Tree], scope: Scope) -> Tree:
    """Return a call as a call of the function to which Spark rewrites it: left(x, n) gives substring(x, 1, n).

    Other calls keep their names. Raise Unsupported for argument types with which a block cannot represent the call.
    """
    if name in ("isnull", "isnotnull") and len(arguments) == 1:
        is_null = exp.Is(this=arguments[0], expression=exp.Null())
        return is_null if name == "isnull" else exp.Not(this=is_null)
    if name == "left" and len(arguments) == 2:
        return call_of("substring", arguments[0], exp.Literal.number(1), arguments[1])
    if name == "convert_timezone" and temporal_type(arguments[-1], scope) == "timestamp":
        arguments = [*arguments[:-1], cast(arguments[-1], "timestamp_ntz")]
    if name == "named_struct" and not all(temporal_type(each, scope) for each in arguments[1::2]):
        raise Unsupported(
            "named_struct() is supported only if all its values are dates or timestamps: select the values as separate "
            "columns"
        )
    if name == "to_char" and temporal_type(arguments[0], scope) is None:
        raise Unsupported(
            f"to_char() is supported only for dates and timestamps, not for numbers: {around('call to_char()')}"
        )
    return exp.Anonymous(this="date_format" if name == "to_char" else name, expressions=arguments)


def _field(node: Tree, scope: Scope) -> Tree:
    canonical(node.this, scope)
    raise Unsupported(
        f"{excerpt(node)} is a field of a struct, which is not supported: use a column that is not nested"
    )


def _refuse_pattern(name: str, arguments: Sequence[Tree]) -> None:
    """Raise Unsupported for a call with a datetime pattern that Spark refuses when it runs the query."""
    pattern = arguments[1] if len(arguments) == 2 else None
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return
    if refused := refused_in(name, pattern.name):
        raise Unsupported(
            f"Spark refuses {refused!r} in the pattern of {name}(): write another function, such as weekday() or "
            "weekofyear()"
        )


def call_problem(tree: exp.Select) -> str:
    """Return why a SELECT is unsupported because of a function that it calls, such as rand(); empty if it may be
    supported.
    """
    for call in every(tree, exp.Anonymous):
        over = isinstance(call.parent, exp.Window)
        if over or not isinstance(call.this, str) or call.find_ancestor(exp.Query) is not tree:
            continue
        name = meant(call.this)
        if name in AGGREGATES or name in CLOCK or name in REPLACED or text_of_hex(call) is not None:
            continue
        try:
            _refuse_unsettled(name, call)
        except Unsupported as problem:
            return str(problem)
    return ""


def _refuse_unsettled(name: str, node: Tree) -> None:
    """Raise Unsupported for a function that is nondeterministic, unknown, or called without arguments.

    `grouping()` and `grouping_id()` are allowed without arguments.
    """
    if name in UNSETTLED:
        why = UNSETTLED[name]
        raise Unsupported(f"{name}() {why}: no view can answer a query that calls {name}()")
    if name in (TIME_WINDOW, SESSION):
        raise Unsupported(unread(node))
    if name not in READABLE and name not in GROUPING:
        raise Unsupported(f"the function {name}() is not supported: {around(f'call {name}()')}")
    if not node.expressions and name not in GROUPING:
        raise Unsupported(f"{name}() without arguments is not supported: {around(f'call {name}()')}")


def _part(node: Tree, scope: Scope) -> Tree:
    """Return `extract(YEAR FROM t)`, `date_part('YEAR', t)` and similar calls as `year(t)`, the function of the field.

    Raise Unsupported for unknown fields, and if t may be an interval.
    """
    unit, source = [*node.expressions, exp.Null(), exp.Null()][:2]
    function = UNITS.get(unit.name.upper()) if _is_text(unit) and len(node.expressions) == 2 else None
    if function is None:
        raise Unsupported(f"{excerpt(node)}: this field is not supported: use a field such as YEAR, MONTH, DAY or HOUR")
    if not _is_time(source):
        raise Unsupported(
            f"{excerpt(node)}: the argument could be an interval, whose fields are not supported: cast the argument to "
            "a date or timestamp"
        )
    if function == "date_part":  # has no function of its own
        return exp.Anonymous(
            this=function, expressions=[exp.Literal.string(unit.name.upper()), canonical(source, scope)]
        )
    part = exp.Anonymous(this=function, expressions=[canonical(source, scope)])
    return exp.Add(this=part, expression=exp.Literal.number(1)) if function == "weekday" else part


def _is_time(source: Tree) -> bool:
    """Return whether an expression, by its form, is certainly not an interval.

    `INTERVAL 1 DAY` is an interval, and `a - b` may be one; `a` and `a + INTERVAL 1 DAY` are none.
    """
    node = source.unnest()
    if isinstance(node, (exp.Add, exp.Sub)):
        return _is_time(node.this) and isinstance(node.expression, (exp.Interval, exp.Literal))
    return not isinstance(node, (*OPERATORS, exp.Interval, exp.Neg))


def _clock(node: Tree, scope: Scope) -> Tree:
    """Return `current_date` or `current_timestamp`, written without parentheses, as a call: `current_date()`.

    Raise Unsupported if a column or an output has this name. Within a subquery that may refer to columns of an outer
    query, always raise Unsupported, because a column of the outer query may have this name.
    """
    name = node.sql("spark").removesuffix("()").lower()
    select = node.find_ancestor(exp.Select)
    labels = {item.alias.lower() for item in select.expressions if item.alias} if select is not None else set()
    if name in labels or scope.has(name) or scope.outer is not None:
        raise Unsupported(f"{name} could be a column or a function: write {name}() for the function")
    return exp.Anonymous(this=name)


def _aggregate(node: Tree, aggregate: Aggregate, scope: Scope) -> Tree:
    if any(isinstance(argument, exp.Distinct) for argument in node.expressions):
        return _distinct_aggregate(node, aggregate, scope)
    if aggregate.size is not None:
        return _sketch(node, aggregate.name, aggregate.size, scope)
    if len(node.expressions) != aggregate.arity:
        raise Unsupported(
            f"{excerpt(node)}: the number of arguments is {len(node.expressions)}, but {aggregate.name}() is supported "
            f"only with {aggregate.arity}"
        )
    argument = node.expressions[0]
    if aggregate.name == "count" and (isinstance(argument, exp.Star) or _counts_rows(argument)):
        return exp.Anonymous(this="count", expressions=[exp.Star()])
    arguments = _arguments(node, node.expressions, scope)
    if aggregate.name in ("sum", "count"):
        arguments = [_as_wide(argument, scope) for argument in arguments]
    return exp.Anonymous(this=aggregate.name, expressions=arguments)


def _as_wide(argument: Tree, scope: Scope) -> Tree:
    """Return the argument of sum() or count() without a cast of an integer column to a wider integer type.

    For an INT column n, `CAST(n AS BIGINT)` gives n: `sum(n)` is a BIGINT, too, and equals `sum(CAST(n AS BIGINT))`.
    Return any other argument unchanged.
    """
    if not isinstance(argument, exp.Cast) or argument.args.get("safe"):
        return argument
    column, wide = scope.type_of(argument.this), CAST_TYPES.get(argument.to.this)
    within = column is not None and column.type in INTEGERS and wide in INTEGERS
    return argument.this if within and column is not None and holds_all(str(wide), column.type) else argument


def _sketch(node: Tree, name: str, size: int, scope: Scope) -> Tree:
    """Return a call of the sketch aggregate `name` with the sketch's size as the second argument.

    A call `node` without a size, such as `theta_sketch_agg(x)`, gets the default `size`. Raise Unsupported if the call
    has a size that is not a constant number.
    """
    arguments = [*node.expressions, *([] if len(node.expressions) > 1 else [exp.Literal.number(size)])]
    if len(arguments) != 2 or not (isinstance(arguments[1], exp.Literal) and arguments[1].name.isdigit()):
        raise Unsupported(
            f"{excerpt(node)}: {name}() is supported only with a value and the sketch's size: write the size, the "
            "second argument, as a number"
        )
    return exp.Anonymous(this=name, expressions=_arguments(node, arguments, scope))


def _within_group(node: Tree, scope: Scope) -> Tree:
    call = percentile_of(node)
    if call is None:
        raise Unsupported(
            f"{excerpt(node)}: WITHIN GROUP is supported only for percentile_cont(p) with an ascending order: write "
            "percentile_cont(1 - p) with an ascending order, if the result is the same"
        )
    return exp.Anonymous(this=call.name, expressions=_arguments(node, call.expressions, scope))


def _distinct_aggregate(node: Tree, aggregate: Aggregate, scope: Scope) -> Tree:
    values, name = node.expressions[0].expressions, aggregate.name
    if len(node.expressions) != 1 or not values or (len(values) > 1 and name != "count") or aggregate.arity > 1:
        raise Unsupported(
            f"{excerpt(node)}: DISTINCT is supported only in count(), and in other aggregates with one argument: "
            "call the aggregate without DISTINCT, over a derived table with SELECT DISTINCT"
        )
    arguments = _arguments(node, values, scope)
    distinct = arguments if name in IDEMPOTENT else [exp.Distinct(expressions=arguments)]
    return exp.Anonymous(this=name, expressions=distinct)


def _arguments(node: Tree, arguments: Sequence[Tree], scope: Scope) -> list[Tree]:
    found = [canonical(argument, scope) for argument in arguments]
    for argument in found:
        _refuse_nesting(argument, node)
    return found


def _count_if(node: Tree, scope: Scope) -> Tree:
    """Return `count_if(p)` as `count(*) FILTER (WHERE p)`; raise Unsupported for DISTINCT or several arguments."""
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Distinct):
        raise Unsupported(
            f"{excerpt(node)}: count_if() is supported only with one argument and without DISTINCT: write "
            "count_if(condition)"
        )
    (condition,) = _arguments(node, node.expressions, scope)
    rows = exp.Anonymous(this="count", expressions=[exp.Star()])
    return exp.Filter(this=rows, expression=exp.Where(this=condition))


def _counts_rows(argument: Tree) -> bool:
    return isinstance(argument, (exp.Literal, exp.Boolean))


def _refuse_nesting(inner: Tree, node: Tree) -> None:
    if has_aggregate(inner) or windows_in(inner) or any(opaque_within(inner)):
        what = "an aggregate" if has_aggregate(inner) else "a window function" if windows_in(inner) else "a subquery"
        raise Unsupported(
            f"{excerpt(node)} contains {what} in its arguments, which is not supported: compute the argument in a "
            "derived table"
        )


def _window(node: Tree, scope: Scope) -> Tree:
    assert isinstance(node, exp.Window)
    window = read_window(node, lambda part: canonical(part, scope))
    if any(True for _ in opaque_within(window)):
        raise Unsupported(
            f"{excerpt(node)}: a subquery in a window function is not supported: compute the subquery in a derived "
            "table"
        )
    return window


def _bucket(name: str, arguments: list[Tree], scope: Scope) -> Tree:
    """Return a call of timeseries(), date_trunc() or trunc() as a time bucket, `timeseries(source, grain, type)`.

    `date_trunc('HOUR', ts)` gives `timeseries(ts, 'hour', 'timestamp')`. If the type of the source or the grain is
    unknown or not supported, calls of date_trunc() and trunc() are returned unchanged, and a call of timeseries()
    raises Unsupported.
    """
    first, second = [*arguments, exp.Null(), exp.Null()][:2]
    if name == "date_trunc":
        unit, source = first, second
        grain = DATE_TRUNC_UNITS.get(unit.name.upper()) if _is_text(unit) else None
        kind = temporal_type(source, scope)
        if len(arguments) == 2 and grain and kind in ("timestamp", "timestamp_ntz"):
            return bucket_call(
                source if kind == "timestamp" else _casting(source, _TIMESTAMP, scope), grain, "timestamp"
            )
        return exp.Anonymous(this=name, expressions=arguments)
    source, unit = first, second
    kind = temporal_type(source, scope)
    if name == "trunc":
        grain = DATE_TRUNC_UNITS.get(unit.name.upper()) if _is_text(unit) else None
        if len(arguments) == 2 and kind is not None and grain in DATE_GRANULARITIES - {"day"}:
            return bucket_call(source if kind == "date" else _casting(source, _DATE, scope), str(grain), "date")
        return exp.Anonymous(this=name, expressions=arguments)
    if len(arguments) == 3 and arguments[2].name in TEMPORAL:
        return exp.Anonymous(this=name, expressions=arguments)
    now = isinstance(source, exp.Anonymous) and source.name == "current_timestamp"
    if now and _is_text(unit) and (named := grain_named(unit.name)) in _CLOCK_UNITS:
        return exp.Anonymous(this="date_trunc", expressions=[exp.Literal.string(named), source])
    return bucket_call(source, checked_grain(unit if len(arguments) == 2 else None, kind), str(kind))


def checked_grain(unit: Tree | None, kind: str | None) -> str:
    """Return the grain that the second argument of timeseries(time, grain) names.

    `unit` is the second argument, and `kind` the type of the first. Raise Unsupported if `unit` is None or not the name
    of a grain, if `kind` is None (unknown), or if a DATE has no buckets of this grain.
    """
    grain = grain_named(unit.name) if unit is not None and _is_text(unit) else None
    if grain is None:
        given = f", not {unit.sql('spark')}; {grain_remedy(unit.name)}" if unit is not None else ""
        raise Unsupported(
            f"timeseries() takes a column and a granularity, which is one of {', '.join(GRANULARITIES)}{given}"
        )
    if kind is None:
        raise Unsupported(
            "the first argument of timeseries() is not certainly a TIMESTAMP, TIMESTAMP_NTZ or DATE: write a column of "
            "one of these types, or a CAST to one of these types"
        )
    if kind == "date" and grain not in DATE_GRANULARITIES:
        raise Unsupported(
            f"timeseries() of a DATE takes the granularity day, week, month, quarter or year, not {grain}"
        )
    return grain


def _is_text(node: Tree) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


_DATE = exp.DataType.build("date")
_TIMESTAMP = exp.DataType.build("timestamp", dialect="spark")
_CLOCK_UNITS = frozenset(DATE_TRUNC_UNITS.values())
_PREDICATES = (*COMPARISONS, exp.Between, exp.In, exp.Is, exp.Not)
_ONE, _TWO = frozenset({"this"}), frozenset({"this", "expression"})
_Builder = Callable[[Tree, Scope], Tree]
# For each kind of node: the function that builds its canonical tree, and the node's arguments that the function reads.
# A node with any other argument is refused.
_BUILDERS: tuple[tuple[tuple[type[Tree], ...], _Builder, frozenset[str]], ...] = (
    ((exp.Column,), _column, frozenset({"this", "table", "db", "catalog"})),
    ((exp.Literal, exp.Null, exp.Boolean), _constant, frozenset({"this", "is_string"})),
    ((exp.Paren,), _paren, _ONE),
    ((exp.Dot,), _field, _TWO),
    ((exp.Not, exp.Neg), _unary, _ONE),
    (CONNECTORS, _binary, _TWO),
    (COMPARISONS, _comparison, _TWO | {"negate"}),
    ((exp.DPipe,), _joined_texts, _TWO | {"safe"}),
    ((exp.Add, exp.Sub), _sum, _TWO | {"typed", "safe"}),
    (OPERATORS, _binary, _TWO | {"typed", "safe"}),
    ((exp.Between,), _between, frozenset({"this", "low", "high"})),
    ((exp.In,), _in, frozenset({"this", "expressions", "query"})),
    ((exp.Subquery, exp.Exists), _subquery, _ONE),
    ((exp.Is,), _is, _TWO),
    ((exp.Case,), _case, frozenset({"this", "ifs", "default"})),
    ((exp.Cast, exp.TryCast), _cast, frozenset({"this", "to", "safe"})),
    ((exp.Interval,), _interval, frozenset({"this", "unit"})),
    ((exp.Filter,), _filter, _TWO),
    ((exp.WithinGroup,), _within_group, _TWO),
    ((exp.Window,), _window, frozenset({"this", "partition_by", "order", "spec", "over"})),
    ((exp.Concat,), _concatenated_literal, frozenset({"expressions", "safe", "coalesce"})),
    ((exp.CurrentDate, exp.CurrentTimestamp), _clock, frozenset()),
    ((exp.Anonymous,), _call, frozenset({"this", "expressions"})),
)
# If several entries name one kind of node, the first counts.
_BUILDER = {kind: (build, read) for kinds, build, read in reversed(_BUILDERS) for kind in kinds}
