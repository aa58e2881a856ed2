"""Sorts the conjuncts of a WHERE by kind, and decides whether they imply another predicate.

The kinds are equalities of columns, sets of values of one subject (a column or an expression of a column), and all
other conjuncts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from sqlglot import exp

from rewriter.block.atoms import Ranged, consequence, range_of, united
from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.equivalence import Equivalence
from rewriter.block.form import Block, remembered
from rewriter.block.meaning import meaning
from rewriter.block.normal_forms import branches_of, clauses_of, joined
from rewriter.block.opaque import outer_type
from rewriter.block.ranges import ALL, NOT_NULL, ONLY_NULL, RangeSet
from rewriter.block.strict import not_null_in
from rewriter.functions.types import FRACTIONS, INTEGERS
from rewriter.sql import columns_in, operands
from rewriter.timeseries.bucket import TEMPORAL

Tree = exp.Expr

# The most combinations of a query's OR branches that are examined to prove one predicate of a view.
MOST_CASES = 64


class Predicates:
    """The conjuncts of a block by kind.

    - `pairs`: equalities of two columns that may replace each other: both have the same type, which is neither floating
      point (0.0 = -0.0) nor a string with a collation
    - `ranges`: for each subject, the set of values that the conjuncts allow; a subject is the representative of a
      column's equivalence class, or an expression of this column such as a time bucket
    - `residuals`: all other conjuncts, with commutative operands in a fixed order (see `meaning`)
    - `zone`: the session's time zone
    - `cases`: the greatest number of combinations of OR branches that `implies` examines
    """

    def __init__(self, block: Block, conjuncts: Iterable[Tree], zone: str, cases: int = MOST_CASES) -> None:
        self.block, self.zone = block, zone
        self.conjuncts = tuple(conjuncts)
        equalities = [(conjunct, equated(conjunct, block)) for conjunct in self.conjuncts]
        self.pairs = tuple(pair for _, pair in equalities if pair is not None)
        self.equivalence = Equivalence(self.pairs)
        self.ranges: dict[Tree, RangeSet] = {}
        self.residuals: set[Tree] = set()
        self._rest = tuple(self.equivalence.normalize(conjunct) for conjunct, pair in equalities if pair is None)
        self._fixed = {column for conjunct in self._rest for column in fixed_by_outer(conjunct, block)}
        self._cases = cases
        self._sort()

    def _sort(self) -> None:
        """Fill `ranges` and `residuals` from the conjuncts that are not column equalities."""
        sets: dict[Tree, list[RangeSet]] = {}
        for conjunct in self._rest:
            ranged = _range(self.block, conjunct, self.zone)
            if ranged is None:
                self.residuals.add(meaning(conjunct))
            else:
                sets.setdefault(ranged[0], []).append(ranged[1])
        for subject, values in sets.items():
            left = RangeSet.met(values)
            self.ranges[subject] = left.meet(NOT_NULL) if left.null and not self._declared(subject).null else left

    def values(self, subject: Tree) -> RangeSet:
        """Return the set of values that the conjuncts, and NOT NULL in the schema, allow a column or expression."""
        known = self.ranges.get(subject)
        return known if known is not None else self._declared(subject)

    def _declared(self, subject: Tree) -> RangeSet:
        if isinstance(subject, exp.Column):
            declared = self.block.type_of(subject)
            joined = len(self.equivalence.members(subject)) > 1
            if joined or (declared is not None and not declared.nullable):
                return NOT_NULL
        return ALL

    def pins(self, subject: Tree) -> bool:
        """Return whether the conjuncts allow a column or expression exactly one value, or only NULL.

        In a correlated subquery, this is one value for each row of the outer query.
        """
        if subject in self._fixed:
            return True
        values = self.ranges.get(subject)
        if values is None:  # NOT NULL in the schema leaves more than one value
            return False
        if values == ONLY_NULL:
            return True
        declared = self.block.type_of(subject)
        if values.null or len(values.intervals) != 1 or (declared is not None and declared.type in FRACTIONS):
            return False
        ((low, high),) = values.intervals
        return low.value is not None and low == high

    @property
    def impossible(self) -> bool:
        """Whether the conjuncts allow some column or expression no value at all, so that no row satisfies them."""
        return any(values.empty for values in self.ranges.values())

    def implies(self, conjunct: Tree) -> bool:
        """Return whether the conjuncts imply another predicate; False also if the search finds no proof.

        law:    a filter implies a predicate if each combination of the filter's OR branches implies each clause of the
                predicate; a clause is a conjunct of the conjunctive normal form
        query:  (d = 10 AND k > 1) OR id = 5
        view:   d = 10 OR d = 20 OR id < 160
        no:     d = 30 OR id = 5
        """
        pair = equated(conjunct, self.block)
        if pair is not None:
            return self.equivalence.same(*pair) or self._in_each_case(conjunct)
        conjunct = self.equivalence.normalize(conjunct)
        if self.residuals and meaning(conjunct) in self.residuals:
            return True
        ranged = _range(self.block, conjunct, self.zone)
        if ranged is not None and self.values(ranged[0]).within(ranged[1]):
            return True
        # A predicate over columns that no conjunct names cannot be implied; this check saves a quarter of the time of
        # TPC-H's matches.
        if self._columns.isdisjoint(columns_in(conjunct)):
            return False
        return self._clauses_hold(conjunct) or self._in_each_case(conjunct)

    @cached_property
    def _named(self) -> frozenset[Tree]:
        """The columns in all conjuncts."""
        return frozenset(column for conjunct in self.conjuncts for column in columns_in(conjunct))

    @cached_property
    def _columns(self) -> frozenset[Tree]:
        """The columns in the conjuncts that are not column equalities."""
        return frozenset(column for conjunct in self._rest for column in columns_in(conjunct))

    def _clauses_hold(self, conjunct: Tree) -> bool:
        clauses = clauses_of(conjunct)
        return clauses is not None and all(map(self._clause_holds, clauses))

    def _clause_holds(self, atoms: tuple[Tree, ...]) -> bool:
        """Return whether the conjuncts imply a clause, which is the disjunction of the predicates `atoms`.

        `d = 10` implies the clause `d < 20 OR id = 5`, because the value 10 satisfies `d < 20`.

        law: values of different subjects are independent; so the clause is implied if and only if, for one subject, the
             values that the conjuncts allow lie within the union of the values that the atoms over this subject allow
        """
        sets: dict[Tree, list[RangeSet]] = {}
        for atom in atoms:
            pair = equated(atom, self.block)
            if (pair is not None and self.equivalence.same(*pair)) or meaning(atom) in self.residuals:
                return True
            for subject, values in _facets(self.block, atom, self.zone):
                sets.setdefault(subject, []).append(values)
        return any(self._known(subject).within(united(subject, v, self.block)) for subject, v in sets.items())

    def _known(self, subject: Tree) -> RangeSet:
        """Return the values that the conjuncts allow a column or expression, directly or indirectly.

        `date_trunc('day', t) >= DATE '2024-01-01'`, for example, indirectly restricts t.
        """
        further = self._further.get(subject)
        return self.values(subject) if further is None else self.values(subject).meet(further)

    @cached_property
    def _further(self) -> dict[Tree, RangeSet]:
        """The sets of values that follow indirectly from the conjuncts, keyed by column or expression.

        `date_trunc('day', t) >= DATE '2024-01-01'` restricts t, `x LIKE 'ab%c'` restricts x to strings that start with
        ab, and `a < b` excludes NULL in a and b.
        """
        sets: dict[Tree, list[RangeSet]] = {}
        for conjunct in self._rest:
            found = [*_facets(self.block, conjunct, self.zone), consequence(conjunct, self.block, self.zone)]
            for subject, values in (each for each in found if each is not None):
                sets.setdefault(subject, []).append(values)
            for column in not_null_in(conjunct):
                sets.setdefault(column, []).append(NOT_NULL)
        return {subject: RangeSet.met(values) for subject, values in sets.items()}

    def _in_each_case(self, conjunct: Tree) -> bool:
        """Return whether a predicate is implied in each branch of the first disjunction that names one of its columns.

        A disjunction is a conjunct `p OR q`, with the branches p and q. A branch that contradicts the other conjuncts
        does not count. Return False if no disjunction names a column of the predicate.
        """
        wanted = {*columns_in(conjunct)}
        for disjunction, columns in self._disjunctions:
            if not wanted.isdisjoint(columns):
                cases = [case for case in self._branches(disjunction) if not case.impossible]
                return bool(cases) and all(case.implies(conjunct) for case in cases)
        return False

    @cached_property
    def _disjunctions(self) -> list[tuple[Tree, set[exp.Column]]]:
        """The conjuncts that are disjunctions over several columns or expressions, each with the set of its columns.

        Empty if the limit `cases` is used up.
        """
        found = []
        for conjunct in self._rest if self._cases > 1 else ():
            if branches_of(conjunct) is not None and _range(self.block, conjunct, self.zone) is None:
                found.append((conjunct, {*columns_in(conjunct)}))
        return found

    def _branches(self, disjunction: Tree) -> list[Predicates]:
        """Return, for each branch of a disjunction, these predicates with the disjunction replaced by that branch.

        Return an empty list if there are more branches than `cases` allows.
        """
        known: dict[Tree, list[Predicates]] = vars(self).setdefault("_known_branches", {})
        if disjunction not in known:
            branches = branches_of(disjunction) or ()
            rest = [c for c in self.conjuncts if self.equivalence.normalize(c) != disjunction]
            each = self._cases // max(len(branches), 1)
            known[disjunction] = [
                Predicates(self.block, (*rest, *conjuncts_of(branch)), self.zone, each) for branch in branches if each
            ]
        return known[disjunction]

    def rest_of(self, conjunct: Tree) -> Tree | None:
        """Return the part of a conjunct that is not implied by these predicates; None if they imply the whole conjunct.

        law:    in an AND, parts that are always true can be dropped; in an OR, branches that cannot be true
        view:   region = 'eu'
        query:  (region = 'eu' AND n > 1) OR region = 'us'
        gives:  n > 1
        """
        if self._named.isdisjoint(columns_in(conjunct)):
            return conjunct  # names none of these predicates' columns, so that they say nothing about it
        if self.implies(conjunct):
            return None
        if isinstance(conjunct, exp.And):
            parts = [part for each in operands(conjunct, exp.And) if (part := self.rest_of(each)) is not None]
            return joined(exp.And, [part.copy() for part in parts]) if parts else None
        branches = branches_of(conjunct)
        if branches is not None:
            rests = [self.rest_of(branch) for branch in branches if not self._excludes(branch)]
            possible = [rest for rest in rests if rest is not None]
            # A branch with no residual is implied, which would have made the whole OR implied.
            whole = bool(possible) and len(possible) == len(rests)
            return joined(exp.Or, [rest.copy() for rest in possible]) if whole else conjunct
        return conjunct

    def _excludes(self, branch: Tree) -> bool:
        return Predicates(self.block, (*self.conjuncts, *conjuncts_of(branch)), self.zone, 1).impossible


@remembered
def predicates_of(block: Block, zone: str) -> Predicates:
    """Return the Predicates of a block's own WHERE; `zone` is the session's time zone."""
    return Predicates(block, block.where, zone)


def equated(conjunct: Tree, block: Block) -> tuple[Tree, Tree] | None:
    """Return the two columns of an equality that makes the columns interchangeable; None for other conjuncts.

    Equal DOUBLE columns are not interchangeable, because 0.0 = -0.0. `block` gives the types of the columns.
    """
    if not isinstance(conjunct, exp.EQ) or not isinstance(conjunct.expression, exp.Column):
        return None
    left, right = block.type_of(conjunct.this), block.type_of(conjunct.expression)
    if left is None or right is None or left.type != right.type or not _interchangeable(left.type):
        return None
    return (conjunct.this, conjunct.expression) if conjunct.this != conjunct.expression else None


def fixed_by_outer(conjunct: Tree, block: Block) -> Iterator[Tree]:
    """Yield the column that a conjunct of a correlated subquery equates with an outer column, if the conjunct allows
    the column one value for each row of the outer query.

    no: a STRING column and an INT outer column, because '1' and '01' both equal 1
    """
    if not isinstance(conjunct, (exp.EQ, exp.NullSafeEQ)):
        return
    for column, outer in ((conjunct.this, conjunct.expression), (conjunct.expression, conjunct.this)):
        declared, kind = block.type_of(column), outer_type(outer)
        if declared is None or kind is None:
            continue
        if {declared.type, kind} <= {*INTEGERS} or (declared.type == kind and _interchangeable(kind)):
            yield column


def _interchangeable(kind: str) -> bool:
    return kind in INTEGERS or kind in TEMPORAL or kind in ("string", "boolean") or kind.startswith("decimal(")


@remembered
def _range(block: Block, conjunct: Tree, zone: str) -> Ranged | None:
    return range_of(conjunct, block, zone)


@remembered
def _facets(block: Block, conjunct: Tree, zone: str) -> tuple[Ranged, ...]:
    """Return pairs of a column or expression and the set of its values for which the predicate `conjunct` is true.

    For a predicate over the bucket, date or year of a time, there may be a second pair, for the time itself. Return an
    empty tuple for unsupported predicates. `zone` is the session's time zone.
    """
    found = (range_of(conjunct, block, zone, through=through) for through in (False, True))
    return tuple(each for each in found if each is not None)
