"""Collects the requirements of a SELECT on its tables by column names alone, without a catalog or name resolution.

The view index compares the requirements of a query with the columns and predicates of a view's query. To leave out no
view that could answer, a requirement is recorded only if nothing but the column itself could satisfy it, and
unsupported expressions require nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import RangeSet
from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.points import number_of
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.registry import AGGREGATES, FAMILIES, READABLE, meant
from rewriter.functions.trees import percentile_of
from rewriter.sql import every, holds
from rewriter.timeseries import read_moment

Tree = exp.Expr

# The argument positions whose values matter to an aggregate. Of the others only NULL matters, so that a column that is
# never NULL is not required.
_VALUES = {name: record.values for name, record in AGGREGATES.items() if record.values is not None}
_READ = frozenset({"expressions", "from_", "joins", "where", "group"})
_NULL_TESTS = frozenset({"isnull", "isnotnull"})
_LATE = ("group", "having", "qualify", "order", "windows", "cluster", "distribute", "sort")
_MICROS_A_DAY = 86_400_000_000
# Strings that Spark may cast to another type, in which different strings can be the same value.
_CAST_BY_VALUE = re.compile(r"[\s\d.+-]|(t|f|y|n|true|false|yes|no|inf|infinity|nan)\s*\Z|\Z", re.IGNORECASE)


class Reference(NamedTuple):
    """A column reference in lower case: its qualifier (empty without one) and its name."""

    qualifier: str
    name: str


class Aggregate(NamedTuple):
    """An aggregate call with the columns of its arguments.

    `function` is the aggregate's name; empty if Viewgate does not know which other aggregates can give this aggregate,
    as sum and count give avg. `within` has the columns of the arguments and of the FILTER. With `shadowed`, a name in
    the arguments or in the FILTER is also the name of an output alias.
    """

    function: str
    columns: frozenset[Reference]
    within: frozenset[Reference]
    shadowed: bool = False


class Values(NamedTuple):
    """The set of values that a predicate allows a column to have.

    `kind` is the kind of the predicate's constants (number, time or text); only sets of the same kind can be compared.
    """

    kind: str
    set: RangeSet

    @property
    def divides(self) -> bool:
        """Whether the set has all values on one side of a single bound, such as `< 5`."""
        ends = [bound.value is None for interval in self.set.intervals for bound in interval]
        return sorted(ends) == [False, True]


@dataclass
class Requirements:
    """The requirements of one SELECT, not including nested queries.

    - `rows`: the columns used outside aggregates
    - `filters`: the columns that FROM and WHERE use
    - `aggregates`: the aggregate calls
    - `deciding`: further aggregates that may be computed from the calls if the SELECT is a view's: a sum of ones from
      count(CASE WHEN a > 1 THEN 1 END); `conditions`: the columns in the conditions of such calls, here a
    - `joins`: the pairs of columns that FROM and WHERE equate; `equated`: the names of these columns, pair by pair
    - `limits`: the columns that are compared with constants, with the values that the comparisons allow
    - `loose`: the columns in all other predicates, such as a and b in `a < b`
    - `aliases`: each output alias with the column names in the alias's expression, or with None if these column names
      do not determine the meaning of the alias
    - `stars`: the qualifier of each `*`, with the columns that the star excludes, as in `* EXCEPT (a)`
    - `grouped`: true for a SELECT with groups, aggregates or DISTINCT; `keys`: the number of grouping keys
    - `inner`: true if all joins are inner
    - `asks`: true for a SELECT with a SEMI or ANTI join, or with an outer join and IS NULL, which may mean an ANTI join
    - `simple`: false if the index does not support the SELECT as a view's query, for example because of LIMIT, USING,
      GROUPING SETS or a derived table
    """

    rows: set[Reference] = field(default_factory=set)
    filters: set[Reference] = field(default_factory=set)
    aggregates: list[Aggregate] = field(default_factory=list)
    deciding: list[Aggregate] = field(default_factory=list)
    conditions: set[Reference] = field(default_factory=set)
    joins: list[tuple[Reference, Reference]] = field(default_factory=list)
    equated: list[tuple[str, str]] = field(default_factory=list)
    limits: dict[Reference, list[Values]] = field(default_factory=dict)
    loose: set[Reference] = field(default_factory=set)
    aliases: list[tuple[str, frozenset[str] | None]] = field(default_factory=list)
    stars: dict[str, frozenset[str]] = field(default_factory=dict)
    grouped: bool = False
    keys: int = 0
    inner: bool = True
    asks: bool = False
    simple: bool = True

    @property
    def constrained(self) -> set[str]:
        """The names of all columns in predicates."""
        return {r.name for r in (*self.loose, *self.limits, *chain.from_iterable(self.joins))}


def requirements_of(tree: exp.Select, without: Set[str] = frozenset()) -> Requirements:
    """Return the requirements of a SELECT.

    `without` has the aliases of tables in FROM that a plan may leave out: the ON of an outer join that adds only such
    tables requires nothing.

    >>> from rewriter.sql import parse_select
    >>> required = requirements_of(parse_select("SELECT region, sum(price) FROM sales WHERE n > 7 GROUP BY 1"))
    >>> [{column.name for column in some} for some in (required.rows, required.filters, required.aggregates[0].columns)]
    [{'region'}, {'n'}, {'price'}]
    """
    reader = _Reader(without)
    reader.select(tree)
    return reader.required


class _Reader:
    """A collector of the requirements of one SELECT, in `required`.

    The ON of an outer join that adds only tables with aliases in `without` is ignored. Methods with a parameter `into`
    add the columns of an expression to the set `into`.
    """

    def __init__(self, without: Set[str]) -> None:
        self.required = Requirements()
        self._without = without
        # Names that may be output aliases of this SELECT.
        self._own: set[str] = set()

    def select(self, tree: exp.Select) -> None:
        required = self.required
        required.simple = all(clause in _READ for clause, value in tree.args.items() if value)
        required.grouped = bool(tree.args.get("group") or tree.args.get("distinct"))
        group = tree.args.get("group")
        required.keys = (
            len(group.expressions) if group is not None else len(tree.expressions) if required.grouped else 0
        )
        if group is not None and any(value for arg, value in group.args.items() if arg != "expressions"):
            required.simple = False
        self._sources(tree)
        where = tree.args.get("where")
        if where is not None:
            self._predicate(where.this, filters=True)
        for item in tree.expressions:
            self._output(item)
        for clause in _LATE:
            for part in _listed(tree.args.get(clause)):
                self.read(part, required.rows)
        for clause in ("having", "qualify"):
            if (condition := tree.args.get(clause)) is not None:
                required.loose |= _references(condition)

    def _sources(self, tree: exp.Select) -> None:
        joins: list[exp.Join] = tree.args.get("joins") or []
        source = tree.args.get("from_")
        items = ([source.this] if source is not None else []) + [join.this for join in joins]
        inner = all(not j.args.get("side") and j.args.get("kind") in (None, "", "INNER", "CROSS") for j in joins)
        self.required.inner = inner
        where = tree.args.get("where") if not inner else None
        self.required.asks = (where is not None and holds(where, exp.Is)) or any(
            join.kind.upper() in ("SEMI", "ANTI") for join in joins
        )
        named = any(join.args.get(arg) for join in joins for arg in ("using", "method"))
        renamed = any(item.args.get("alias") is not None and item.args["alias"].args.get("columns") for item in items)
        self.required.simple &= not named and not renamed and all(isinstance(item, exp.Table) for item in items)
        for place, join in enumerate(joins, 1):
            sides = {"LEFT": items[place : place + 1], "RIGHT": items[:place]}
            added = sides.get(join.side.upper()) if join.kind.upper() not in ("SEMI", "ANTI") else None
            if added and {item.alias_or_name.lower() for item in added} <= self._without:
                continue
            for column in join.args.get("using") or ():
                self.required.joins.append((Reference("", column.name.lower()), Reference("", column.name.lower())))
            if (on := join.args.get("on")) is not None:
                self._predicate(on, filters=inner)

    def _output(self, item: Tree) -> None:
        inner = item.this if isinstance(item, exp.Alias) else item
        self.read(inner, self.required.rows)
        if isinstance(item, exp.Alias):
            self._own.add(item.alias.lower())
            aggregates = any(folds(call) for call in every(inner, exp.Anonymous))
            means = None if aggregates or holds(inner, exp.Query) else frozenset(r.name for r in _references(inner))
            self.required.aliases.append((item.alias.lower(), means))

    def _predicate(self, tree: Tree, filters: bool) -> None:
        for conjunct in conjuncts_of(tree):
            left, right = _reference(conjunct.this), _reference(conjunct.args.get("expression"))
            if isinstance(conjunct, exp.EQ) and left and right:
                self.required.equated.append((left.name, right.name))
                self.required.joins.append((left, right))
                continue
            limit = _limit(conjunct)
            for equality in every(conjunct, exp.EQ) if limit is None else ():
                self._equate(equality)
            if limit is not None and filters:
                self.required.filters.add(limit[0])
                self.required.limits.setdefault(limit[0], []).append(limit[1])
            else:
                # Such a predicate is not true for every non-NULL value, so that it needs the column itself.
                if left and (limit is not None or (isinstance(conjunct, (exp.Like, exp.NEQ)) and right is None)):
                    self.required.filters.add(left)
                if filters and isinstance(conjunct, (exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)):
                    self._compare(conjunct)
                self.required.loose |= _references(conjunct)

    def _compare(self, comparison: Tree) -> None:
        """Add the columns of a comparison such as `a < b + 1` to `required.filters`.

        Add nothing unless both sides contain columns or subqueries. A view without these columns can answer only if the
        view's query has the same comparison.
        """
        if all(holds(side, (exp.Column, exp.Query)) for side in (comparison.this, comparison.expression)):
            self.read(comparison.this, self.required.filters)
            self.read(comparison.expression, self.required.filters)

    def _equate(self, equality: Tree) -> None:
        left, right = _reference(equality.this), _reference(equality.expression)
        if left and right:
            self.required.equated.append((left.name, right.name))

    def read(self, node: Tree, into: set[Reference]) -> None:
        """Add the columns of an expression to the set `into`, except columns of nested queries and of aggregates."""
        if isinstance(node, exp.Column):
            self._column(node, into)
        elif isinstance(node, exp.Anonymous):
            self._call(node, into)
        elif (special := _SPECIAL.get(type(node))) is not None:
            special(self, node, into)
        elif not isinstance(node, exp.Query):
            for child in node.iter_expressions():
                self.read(child, into)

    def _column(self, node: exp.Column, into: set[Reference]) -> None:
        reference = _reference(node)
        if reference is None:
            self._take_all(node.table.lower(), node.this)
        elif reference.qualifier or reference.name not in self._own:
            into.add(reference)

    def _may_name_output(self, tree: Tree) -> bool:
        """Return whether an unqualified name in an expression is also the name of an output alias."""
        return any(not r.qualifier and r.name in self._own for r in _references(tree))

    def _call(self, node: Tree, into: set[Reference]) -> None:
        if not folds(node):
            for argument in node.expressions:
                self.read(argument, into)
            return
        self.required.grouped = True
        name = meant(node.name)
        columns: set[Reference] = set()
        distinct = any(isinstance(argument, exp.Distinct) for argument in node.expressions)
        arguments = [
            argument
            for place, argument in enumerate(node.expressions)
            if not isinstance(argument, exp.Star) and (distinct or place in _VALUES.get(name, (place,)))
        ]
        for argument in arguments:
            self.read(argument, columns)
        for argument in node.expressions:
            if (branches := _branches(argument)) is not None:
                self._decide(name, *branches)
        # `sum(CASE WHEN x IS NULL THEN 1 END)` needs only count(*) and count(x).
        if (_VALUES.get(name) != () or distinct) and not any(map(_tests_null, arguments)):
            found, shadowed = frozenset(columns), any(map(self._may_name_output, arguments))
            self.required.aggregates.append(Aggregate(name if name in FAMILIES else "", found, found, shadowed))

    def _filter(self, node: Tree, into: set[Reference]) -> None:
        condition: set[Reference] = set()
        self.read(node.expression, condition)
        before = len(self.required.aggregates)
        self.read(node.this, into)
        found = self.required.aggregates[before:]
        added, shadowed = frozenset(condition), self._may_name_output(node.expression)
        self.required.aggregates[before:] = [
            a._replace(within=a.within | added, shadowed=a.shadowed or shadowed) for a in found
        ]
        if not _tests_null(node.expression):
            self.required.aggregates.append(Aggregate("", added, added))
        self._decide(meant(node.this.name), [node.expression], node.this.expressions)
        self.required.loose |= condition

    def _within_group(self, node: Tree, into: set[Reference]) -> None:
        call = percentile_of(node)
        for part in node.iter_expressions() if call is None else (call,):
            self.read(part, into)

    def _decide(self, name: str, conditions: Sequence[Tree], values: Sequence[Tree]) -> None:
        """Add an aggregate `name` of the rows with conditions to `required.deciding` and `required.conditions`.

        A count, or a sum of ones, of these rows also gives a sum of ones, and the extremes of grouping columns.
        """
        of_rows, aggregated = set[Reference](), set[Reference]()
        for condition in conditions:
            self.read(condition, of_rows)
        for value in values:
            if not isinstance(value, exp.Star):
                self.read(value, aggregated)
        self.required.conditions |= of_rows
        decided, columns = frozenset(of_rows), frozenset(aggregated)
        found = dict.fromkeys([("sum", decided), ("max", decided), (name, decided), (name, columns)])
        self.required.deciding += (Aggregate(function, of, of) for function, of in found if of)

    def _window(self, node: Tree, into: set[Reference]) -> None:
        """Add the columns of a window function to `into`; the function itself does not count as an aggregate."""
        call = node.this
        arguments = call.expressions if isinstance(call, exp.Anonymous) else [call]
        for part in (*arguments, *(part for part in node.iter_expressions() if part is not call)):
            if not isinstance(part, exp.Star):
                self.read(part, into)

    def _star(self, node: Tree, into: set[Reference]) -> None:
        self._take_all("", node)

    def _take_all(self, qualifier: str, star: Tree) -> None:
        without = frozenset(column.name.lower() for column in star.args.get("except_") or ())
        self.required.stars[qualifier] = without & self.required.stars.get(qualifier, without)

    def _equal(self, node: Tree, into: set[Reference]) -> None:
        self._equate(node)
        self.read(node.this, into)
        self.read(node.expression, into)


_SPECIAL: Mapping[type[Tree], Callable[[_Reader, Tree, set[Reference]], None]] = {
    exp.Filter: _Reader._filter,
    exp.Window: _Reader._window,
    exp.WithinGroup: _Reader._within_group,
    exp.Star: _Reader._star,
    exp.EQ: _Reader._equal,
}


def folds(call: Tree) -> bool:
    """Return whether a call is an aggregate, or an unknown function, which may be an aggregate."""
    return meant(call.name) not in READABLE


def _branches(tree: Tree) -> tuple[list[Tree], list[Tree]] | None:
    """Return the conditions and the values of a CASE or if(); None for other expressions."""
    if isinstance(tree, exp.Paren):
        return _branches(tree.this)
    if isinstance(tree, exp.Anonymous) and tree.name.lower() == "if":
        return tree.expressions[:1], tree.expressions[1:]
    if not isinstance(tree, exp.Case):
        return None
    ifs, others = tree.args["ifs"], (tree.this, tree.args.get("default"))
    operand, default = ([each] if each is not None else [] for each in others)
    return [*operand, *(branch.this for branch in ifs)], [*(branch.args["true"] for branch in ifs), *default]


def _tests_null(tree: Tree) -> bool:
    """Return whether an expression tests for NULL, by IS or by a function."""
    if isinstance(tree, exp.Column) or not holds(tree, (exp.Is, exp.Anonymous)):
        return False
    return holds(tree, exp.Is) or any(call.name.lower() in _NULL_TESTS for call in every(tree, exp.Anonymous))


def _listed(clause: object) -> Iterator[Tree]:
    for part in clause if isinstance(clause, list) else [clause]:
        if isinstance(part, exp.Expr):
            yield part


def _reference(node: object) -> Reference | None:
    """Return a column, with or without parentheses, as a Reference; None for other expressions and for a star."""
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return Reference(node.table.lower(), node.name.lower())
    return _reference(node.this) if isinstance(node, exp.Paren) else None


def _references(tree: Tree) -> set[Reference]:
    """Return all columns in an expression, except those of nested queries."""
    found = [tree]
    for node in found:
        if not isinstance(node, (exp.Column, exp.Query)):
            found += node.iter_expressions()
    return {Reference(node.table.lower(), node.name.lower()) for node in found if isinstance(node, exp.Column)}


_MIRRORED = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COMPARED: Mapping[type[Tree], str] = {exp.EQ: "=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


def _limit(conjunct: Tree) -> tuple[Reference, Values] | None:
    """Return the column that a predicate compares with constants, and the values for which the predicate is true.

    `n > 3` gives the column n and the values above 3. Return None for other predicates.
    """
    if isinstance(conjunct, exp.Between):
        ends = [conjunct.args["low"], conjunct.args["high"]]
        return _held(conjunct.this, ends, _between) if not conjunct.args.get("symmetric") else None
    if isinstance(conjunct, exp.In) and conjunct.expressions:
        return _held(conjunct.this, conjunct.expressions, RangeSet.of)
    operator = _COMPARED.get(type(conjunct))
    if operator is None:
        return None
    if _reference(conjunct.this) is None:
        return _held(conjunct.expression, [conjunct.this], lambda one: RangeSet.compare(_MIRRORED[operator], *one))
    return _held(conjunct.this, [conjunct.expression], lambda one: RangeSet.compare(operator, *one))


def _between(ends: Sequence[Fraction | int | str]) -> RangeSet:
    return RangeSet.compare(">=", ends[0]).meet(RangeSet.compare("<=", ends[1]))


def _held(
    subject: Tree, constants: Sequence[Tree], set_of: Callable[[Sequence[Fraction | int | str]], RangeSet]
) -> tuple[Reference, Values] | None:
    """Return a compared column as a Reference, with the set of values that `set_of` makes of the constants.

    Return None if `subject` is not a column, if a constant is unsupported, or if the constants are of different kinds.
    """
    reference = _reference(subject)
    points = [_point(literal) for literal in constants]
    known = [point for point in points if point is not None]
    kinds = {kind for kind, _ in known}
    if reference is None or len(kinds) != 1 or len(known) < len(points):
        return None
    whole = set_of([value for _, value in known])
    (kind,) = kinds
    # A bound that holds for numbers (or times) also holds for integers (or days), and some columns have only these.
    return reference, Values(kind, whole if kind == "text" else whole.closed_over_integers())


def _point(literal: Tree) -> tuple[str, Fraction | int | str] | None:
    """Return a constant with its kind: a number, a time in days since 1970, or a text; None for other expressions.

    `DATE '1970-01-02'` gives ("time", 1). A string is a text only if Spark cannot cast the string to another type.
    """
    if isinstance(literal, exp.Paren):
        return _point(literal.this)
    if isinstance(literal, exp.Neg):
        inner = _point(literal.this)
        return ("number", -inner[1]) if inner is not None and isinstance(inner[1], (int, Fraction)) else None
    if isinstance(literal, exp.Cast):
        dated = CAST_TYPES.get(literal.to.this) == "date" and len(literal.this.name) == 10
        inner = _point(literal.this) if dated else None
        return inner if inner is not None and inner[0] == "time" else None
    if not isinstance(literal, exp.Literal):
        return None
    if not literal.is_string:
        return ("number", number_of(literal.name)) if literal.name.replace(".", "", 1).isdigit() else None
    moment = read_moment(literal.name, None) if "T" not in literal.name else None
    if moment is not None:
        days, time = divmod(moment.micros, _MICROS_A_DAY)
        return "time", days + Fraction(time, _MICROS_A_DAY) if time else days
    return None if _CAST_BY_VALUE.match(literal.name) else ("text", literal.name)
