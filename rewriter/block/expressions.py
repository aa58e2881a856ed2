"""Canonical expressions: one tree for all spellings of a meaning that we are sure of.

Columns are occurrence and lower-case name; parentheses are gone (the printer puts them where they
are needed); comparisons have their literal on the right; BETWEEN is two comparisons; functions are
in lower case under one name; bucket functions are `timeseries`. A node that is not known here is
refused, so nothing gets into a block whose meaning or printing is in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from rewriter.block.form import Unsupported
from rewriter.block.opaque import EXISTS, IN, OPAQUE, SCALAR, opaque, opaque_within
from rewriter.block.scope import Scope
from rewriter.block.vocabulary import (
    AGGREGATES,
    ARGUMENTS,
    CAST_TYPES,
    COMPARISONS,
    CONNECTORS,
    FUNCTIONS,
    GROUPING,
    IDEMPOTENT,
    OPERATORS,
    PLAIN_FUNCTIONS,
    RANKS,
    SKETCH_DEFAULT,
    SKETCHES,
    SUCCESSIONS,
    SYNONYMS,
    UNSETTLED,
)
from rewriter.block.windows import read_window
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS, TEMPORAL, Bucket, as_bucket, bucket_call, label_source
from rewriter.timeseries.granularity import DATE_GRANULARITIES, GRANULARITIES

Tree = exp.Expr

_ZONELESS = PLAIN_FUNCTIONS | AGGREGATES | GROUPING | RANKS | SUCCESSIONS | OPAQUE
_MIRROR: dict[type[Tree], type[Tree]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
    exp.NullSafeEQ: exp.NullSafeEQ,
}


def canonical(node: Tree, scope: Scope) -> Tree:
    """The canonical tree of an expression in a scope; raises Unsupported for what is not known to be safe."""
    found = _BUILDER.get(type(node))
    if found is None:
        raise Unsupported(f"{_text(node)} is not read ({type(node).__name__.lower()})")
    build, read = found
    if any(value and argument not in read for argument, value in node.args.items()):
        raise Unsupported(f"{_text(node)} is not read as a whole")
    return build(node, scope)


def _text(node: Tree) -> str:
    return str(node.sql("spark"))[:80]


def _column(node: Tree, scope: Scope) -> Tree:
    assert isinstance(node, exp.Column)
    return scope.column(node)


def _constant(node: Tree, scope: Scope) -> Tree:
    if "\0" in node.name:  # it is printed as `\0`, and digits behind it would make another character of it
        raise Unsupported("a text holds the character of code 0")
    return type(node)(**node.args)


def _paren(node: Tree, scope: Scope) -> Tree:
    return canonical(node.this, scope)


def _unary(node: Tree, scope: Scope) -> Tree:
    return type(node)(this=canonical(node.this, scope))


def _binary(node: Tree, scope: Scope) -> Tree:
    return type(node)(this=canonical(node.this, scope), expression=canonical(node.expression, scope))


def _comparison(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this, node.expression)
    if node.args.get("negate"):
        return exp.Not(this=_comparison(type(node)(this=node.this, expression=node.expression), scope))
    left, right = canonical(node.this, scope), canonical(node.expression, scope)
    if is_literal(left) and not is_literal(right) and type(node) in _MIRROR:
        return _MIRROR[type(node)](this=right, expression=left)
    return type(node)(this=left, expression=right)


def _refuse_chains(node: Tree, *operands: Tree) -> None:
    """Without parentheses, `a = b LIKE c` and its kind are read from the left by Spark, and otherwise here."""
    if any(isinstance(operand, _PREDICATES) for operand in operands):
        raise Unsupported(f"{_text(node)} compares what a comparison gives; put it in parentheses")


def _joined_texts(node: Tree, scope: Scope) -> Tree:
    """`||` binds as + and - do in Spark, and looser here."""
    if any(isinstance(operand, exp.Add | exp.Sub) for operand in (node.this, node.expression)):
        raise Unsupported(f"{_text(node)} mixes || with + or -; put one of them in parentheses")
    return _binary(node, scope)


def _between(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this, node.args["low"], node.args["high"])
    subject = canonical(node.this, scope)
    low, high = canonical(node.args["low"], scope), canonical(node.args["high"], scope)
    return exp.And(this=exp.GTE(this=subject, expression=low), expression=exp.LTE(this=subject.copy(), expression=high))


def _in(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this)
    query = node.args.get("query")
    if query is not None and not node.expressions:
        return opaque(IN, scope.constant(query), canonical(node.this, scope))
    if not node.expressions:
        raise Unsupported(f"{_text(node)} is not a list of values")
    values = [canonical(value, scope) for value in node.expressions]
    return exp.In(this=canonical(node.this, scope), expressions=values)


def _subquery(node: Tree, scope: Scope) -> Tree:
    kind = EXISTS if isinstance(node, exp.Exists) else SCALAR
    return opaque(kind, scope.constant(node.this))


def _is(node: Tree, scope: Scope) -> Tree:
    _refuse_chains(node, node.this)
    if not isinstance(node.expression, exp.Null | exp.Boolean):
        raise Unsupported(f"{_text(node)} compares with something other than NULL, TRUE or FALSE")
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
        raise Unsupported(f"{_text(node)} casts to a type that is not read")
    inner = canonical(node.this, scope)
    known = scope.type_of(inner) if isinstance(inner, exp.Column) else None
    if known is not None and known.type == kind.sql("spark").lower().replace(", ", ","):
        return inner  # the column has that type already
    safe = bool(node.args.get("safe"))
    return exp.TryCast(this=inner, to=kind.copy(), **({"safe": True} if safe else {}))


def _interval(node: Tree, scope: Scope) -> Tree:
    if not isinstance(node.this, exp.Literal) or not isinstance(node.args.get("unit"), exp.Var):
        raise Unsupported(f"{_text(node)} is not a plain interval")
    return node.copy()


def _concatenated_literal(node: Tree, scope: Scope) -> Tree:
    if not all(isinstance(part, exp.Literal) and part.is_string for part in node.expressions):
        raise Unsupported(f"{_text(node)} is not read")
    return _constant(exp.Literal.string("".join(part.name for part in node.expressions)), scope)


def _filter(node: Tree, scope: Scope) -> Tree:
    aggregate = canonical(node.this, scope)
    if aggregate_of(aggregate) is None or isinstance(aggregate, exp.Filter):
        raise Unsupported(f"{_text(node)} filters something other than an aggregate")
    (condition,) = _arguments(node, [node.expression.this], scope)
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition))


def _call(node: Tree, scope: Scope) -> Tree:
    if not isinstance(node.this, str):
        raise Unsupported(f"{_text(node)} is a quoted function name")
    name = SYNONYMS.get(node.this.lower(), node.this.lower())
    if name in AGGREGATES:
        return _aggregate(node, name, scope)
    if name == "count_if":
        return _count_if(node, scope)
    if name in UNSETTLED:
        raise Unsupported(f"{name}() {UNSETTLED[name]}")
    if name not in FUNCTIONS | GROUPING:
        raise Unsupported(f"the function {name} is not read")
    arguments = [canonical(argument, scope) for argument in node.expressions]
    if name in ("timeseries", "date_trunc", "trunc"):
        return _bucket(name, arguments, scope)
    return exp.Anonymous(this=name, expressions=arguments)


def _aggregate(node: Tree, name: str, scope: Scope) -> Tree:
    if any(isinstance(argument, exp.Distinct) for argument in node.expressions):
        return _distinct_aggregate(node, name, scope)
    if name in SKETCHES:
        return _sketch(node, name, scope)
    if len(node.expressions) != ARGUMENTS.get(name, 1):
        raise Unsupported(f"{_text(node)} has not as many arguments as are read")
    argument = node.expressions[0]
    if name == "count" and (isinstance(argument, exp.Star) or _counts_rows(argument)):
        return exp.Anonymous(this="count", expressions=[exp.Star()])
    return exp.Anonymous(this=name, expressions=_arguments(node, node.expressions, scope))


def _sketch(node: Tree, name: str, scope: Scope) -> Tree:
    """A sketch with its size, which is a constant."""
    arguments = [*node.expressions, *([] if len(node.expressions) > 1 else [exp.Literal.number(SKETCH_DEFAULT)])]
    if len(arguments) != 2 or not (isinstance(arguments[1], exp.Literal) and arguments[1].name.isdigit()):
        raise Unsupported(f"{_text(node)} is not of a value and a constant size")
    return exp.Anonymous(this=name, expressions=_arguments(node, arguments, scope))


def _distinct_aggregate(node: Tree, name: str, scope: Scope) -> Tree:
    values = node.expressions[0].expressions
    if len(node.expressions) != 1 or (len(values) != 1 and name != "count") or name in ARGUMENTS or name in SKETCHES:
        raise Unsupported(f"{_text(node)}: DISTINCT of several arguments is not read")
    arguments = _arguments(node, values, scope)
    distinct = arguments if name in IDEMPOTENT else [exp.Distinct(expressions=arguments)]
    return exp.Anonymous(this=name, expressions=distinct)


def _arguments(node: Tree, arguments: Sequence[Tree], scope: Scope) -> list[Tree]:
    found = [canonical(argument, scope) for argument in arguments]
    for argument in found:
        _refuse_nesting(argument, node)
    return found


def _count_if(node: Tree, scope: Scope) -> Tree:
    """count_if(p) counts the rows of which p is true."""
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Distinct):
        raise Unsupported(f"{_text(node)} is not read")
    (condition,) = _arguments(node, node.expressions, scope)
    rows = exp.Anonymous(this="count", expressions=[exp.Star()])
    return exp.Filter(this=rows, expression=exp.Where(this=condition))


def _counts_rows(argument: Tree) -> bool:
    return isinstance(argument, exp.Literal | exp.Boolean)


def _refuse_nesting(inner: Tree, node: Tree) -> None:
    if has_aggregate(inner) or inner.find(exp.Window) or any(opaque_within(inner)):
        raise Unsupported(f"{_text(node)} nests aggregates or subqueries")


def _window(node: Tree, scope: Scope) -> Tree:
    assert isinstance(node, exp.Window)
    window = read_window(node, lambda part: canonical(part, scope))
    if any(True for _ in opaque_within(window)):
        raise Unsupported(f"{_text(node)} has a subquery in a window function")
    return window


def _bucket(name: str, arguments: list[Tree], scope: Scope) -> Tree:
    """Bring the spellings of a bucket to `timeseries(source, grain, type)`, where they mean the same."""
    first, second = [*arguments, exp.Null(), exp.Null()][:2]
    if name == "date_trunc":
        unit, source = first, second
        grain = DATE_TRUNC_UNITS.get(unit.name.upper()) if _is_text(unit) else None
        if len(arguments) == 2 and grain and temporal_type(source, scope) == "timestamp":
            return bucket_call(source, grain, "timestamp")
        return exp.Anonymous(this=name, expressions=arguments)
    source, unit = first, second
    kind = temporal_type(source, scope)
    if name == "trunc":
        grain = DATE_TRUNC_UNITS.get(unit.name.upper()) if _is_text(unit) else None
        if len(arguments) == 2 and kind == "date" and grain in DATE_GRANULARITIES - {"day"}:
            return bucket_call(source, str(grain), "date")
        return exp.Anonymous(this=name, expressions=arguments)
    if len(arguments) == 3 and arguments[2].name in TEMPORAL:
        return exp.Anonymous(this=name, expressions=arguments)
    return bucket_call(source, checked_grain(unit if len(arguments) == 2 else None, kind), str(kind))


def checked_grain(unit: Tree | None, kind: str | None) -> str:
    """The grain that `timeseries` was given, if it may be asked of a column of that type; raises Unsupported."""
    if unit is None or not _is_text(unit) or unit.name.lower() not in GRANULARITIES:
        raise Unsupported(f"timeseries() takes a column and one of {', '.join(GRANULARITIES)}")
    if kind is None:
        raise Unsupported(
            "timeseries() takes a TIMESTAMP, TIMESTAMP_NTZ or DATE: a column of a table, or a CAST to one"
        )
    grain: str = unit.name.lower()
    if kind == "date" and grain not in DATE_GRANULARITIES:
        raise Unsupported(f"timeseries() of a DATE takes day, week, month, quarter or year, not {grain}")
    return grain


def temporal_type(node: Tree, scope: Scope) -> str | None:
    """Which temporal type an expression has, where that is plain to see."""
    column = scope.type_of(node)
    if column is not None:
        return column.type if column.type in TEMPORAL else None
    if isinstance(node, exp.Cast) and not node.args.get("safe"):
        kind = CAST_TYPES.get(node.to.this)
        return kind if kind in TEMPORAL else None
    bucket = as_bucket(node)
    return bucket.type if bucket else None


def _is_text(node: Tree) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def is_literal(node: Tree) -> bool:
    """Whether a canonical tree is a constant: a literal, one with a sign, or one with a type."""
    if isinstance(node, exp.Neg | exp.Cast):
        return is_literal(node.this)
    return isinstance(node, exp.Literal | exp.Null | exp.Boolean)


def aggregate_of(node: Tree) -> exp.Anonymous | None:
    """The aggregate call that a canonical node is, itself or under FILTER; None for others, as those with OVER."""
    if isinstance(node.parent, exp.Window) and node.arg_key == "this":
        return None
    call = node.this if isinstance(node, exp.Filter) else node
    return call if isinstance(call, exp.Anonymous) and call.name in AGGREGATES else None


def has_aggregate(node: Tree) -> bool:
    """Whether an aggregate stands anywhere in the expression."""
    return any(aggregate_of(call) is not None for call in node.find_all(exp.Anonymous))


def depends_on_zone(node: Tree, scope: Scope) -> bool:
    """Whether the session's time zone could change the value; True wherever that is not plain."""
    for inner in node.walk():
        column = scope.type_of(inner)
        if column is not None and column.type == "timestamp":
            return True
        if isinstance(inner, exp.Cast) and CAST_TYPES.get(inner.to.this) in (*TEMPORAL, "string"):
            return True
        if isinstance(inner, exp.Anonymous) and inner.name not in _ZONELESS:
            labelled = label_source(inner)
            source = as_bucket(inner) or (labelled and temporal_type(labelled[0], scope) in ("timestamp_ntz", "date"))
            if not source or (isinstance(source, Bucket) and source.type == "timestamp"):
                return True
    return False


_PREDICATES = (*COMPARISONS, exp.Between, exp.In, exp.Is, exp.Not)
_ONE, _TWO = frozenset({"this"}), frozenset({"this", "expression"})
_Builder = Callable[[Tree, Scope], Tree]
# What builds the canonical tree of a kind of nodes, and the arguments that it reads: one beside them is refused.
_BUILDERS: tuple[tuple[tuple[type[Tree], ...], _Builder, frozenset[str]], ...] = (
    ((exp.Column,), _column, frozenset({"this", "table", "db", "catalog"})),
    ((exp.Literal, exp.Null, exp.Boolean), _constant, frozenset({"this", "is_string"})),
    ((exp.Paren,), _paren, _ONE),
    ((exp.Not, exp.Neg), _unary, _ONE),
    (CONNECTORS, _binary, _TWO),
    (COMPARISONS, _comparison, _TWO | {"negate"}),
    ((exp.DPipe,), _joined_texts, _TWO | {"safe"}),
    (OPERATORS, _binary, _TWO | {"typed", "safe"}),
    ((exp.Between,), _between, frozenset({"this", "low", "high"})),
    ((exp.In,), _in, frozenset({"this", "expressions", "query"})),
    ((exp.Subquery, exp.Exists), _subquery, _ONE),
    ((exp.Is,), _is, _TWO),
    ((exp.Case,), _case, frozenset({"this", "ifs", "default"})),
    ((exp.Cast, exp.TryCast), _cast, frozenset({"this", "to", "safe"})),
    ((exp.Interval,), _interval, frozenset({"this", "unit"})),
    ((exp.Filter,), _filter, _TWO),
    ((exp.Window,), _window, frozenset({"this", "partition_by", "order", "spec", "over"})),
    ((exp.Concat,), _concatenated_literal, frozenset({"expressions", "safe", "coalesce"})),
    ((exp.Anonymous,), _call, frozenset({"this", "expressions"})),
)
# The first that is named for a kind counts.
_BUILDER = {kind: (build, read) for kinds, build, read in reversed(_BUILDERS) for kind in kinds}
