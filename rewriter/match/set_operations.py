"""Recognizes set operations, and answers them from one SELECT over a view whose query is the same set operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Predicates
from rewriter.functions.types import FRACTIONS
from rewriter.match.access_path import AccessPath, stored
from rewriter.match.reasons import Miss, Reason
from rewriter.match.rewriting import Match, Rewriting
from rewriter.match.texts import WholeQuery, rewriting_of, whole_queries
from rewriter.model import MaterializedView
from rewriter.sql import ParseError, SelectBlock, Statement, parse_select, storage_statement

Tree = exp.Expr

UNION_ALL, EXCEPT = "UNION ALL", "EXCEPT"
# Four branches can be matched to four in 24 ways.
MOST_BRANCHES = 4
_CLAUSES = ("with_", "order", "limit", "offset", "by_name", "side", "on")


class SetOperation(NamedTuple):
    """A query that is a UNION, INTERSECT or EXCEPT (each also with ALL) of two to four SELECTs, called branches."""

    query: WholeQuery
    operator: str
    branches: tuple[SelectBlock, ...]

    def orders(self) -> Iterator[tuple[int, ...]]:
        """Yield each order of the branches in which the operation returns the same rows, as positions.

        Two branches of a UNION give (0, 1) and (1, 0). The first branch of an EXCEPT stays first.
        """
        fixed = 1 if self.operator.startswith(EXCEPT) else 0
        for rest in permutations(range(fixed, len(self.branches))):
            yield (*range(fixed), *rest)


class SetQuestion(NamedTuple):
    """A set operation to be answered, with each of its branches paired with a branch of a view.

    A pair has the predicates of the query's branch, and the access path to the view's branch.
    """

    operation: SetOperation
    pairs: tuple[tuple[Predicates, AccessPath], ...]


def set_operation_of(whole: WholeQuery, statement: Statement) -> SetOperation | None:
    """Return a query as a SetOperation, with one operator between its outermost SELECTs.

    Return None if the query is not a set operation, or has different operators or more than MOST_BRANCHES SELECTs.
    `whole` is the query, within `statement`. `SELECT … UNION SELECT … UNION SELECT …` has the operator UNION.
    """
    inside = [block for block in statement.blocks if block.span.within(whole.span)]
    outer = [b for b in inside if not any(b is not other and b.span.within(other.span) for other in inside)]
    if not 2 <= len(outer) <= MOST_BRANCHES:
        return None
    try:
        query = parse_select(f"SELECT 1 FROM ({whole.sql[: len(whole.sql) - len(whole.tail)]}) AS q").args["from_"].this
    except ParseError:
        return None
    found = _flat(query.this)
    if found is None or [block.tree for block in outer] != found[1]:
        return None
    return SetOperation(whole, found[0], tuple(outer))


@lru_cache(maxsize=1024)
def stored_operation(view: MaterializedView) -> tuple[Statement, SetOperation] | None:
    """Return a view's storage query (the query that fills its storage table) and the query's set operation.

    Return None if the storage query is not a set operation.
    """
    statement = storage_statement(view)
    whole = next(whole_queries(statement, ()), None)
    operation = set_operation_of(whole, statement) if whole is not None and not whole.tail else None
    return (statement, operation) if operation is not None else None


def _flat(query: Tree) -> tuple[str, list[exp.Select]] | None:
    """Return the only set operator of a query, and its SELECTs in order; for a single SELECT, the operator is "".

    `a UNION (b UNION c)` gives UNION and [a, b, c]. Return None if the query has several operators or its branches have
    clauses such as LIMIT.
    """
    if isinstance(query, exp.Select):
        return "", [query]
    if isinstance(query, exp.Subquery):
        return None if any(query.args.get(clause) for clause in (*_CLAUSES, "alias")) else _flat(query.this)
    if not isinstance(query, exp.SetOperation) or any(query.args.get(clause) for clause in _CLAUSES):
        return None
    left, right = _flat(query.this), _flat(query.expression)
    operator = f"{query.key.upper()}{'' if query.args.get('distinct') else ' ALL'}"
    if left is None or right is None or left[0] not in ("", operator):
        return None
    if right[0] not in (("",) if operator.startswith(EXCEPT) else ("", operator)):
        return None
    return operator, [*left[1], *right[1]]


def read_alike(question: SetQuestion, path: AccessPath, found: Sequence[Rewriting]) -> Match | Miss:
    """Return the single SELECT over a view's storage table that answers all branches of a set operation.

    `question` is the set operation, with each branch paired with a branch of the view; `path` is the access path to the
    view, and `found` are the rewritings of the branches, each over the same storage table. Return a Miss if the
    branches need different SELECTs, or if the query's ORDER BY or LIMIT is not supported.
    """
    first = found[0]
    more = next((i for i, each in enumerate(found, 1) if not _is_plain(each)), None)
    if more is not None:
        return Miss(
            Reason.SHAPE,
            f"branch {more} of the query's set operation does more than filter and select from a branch of the view: "
            "group, join and sort outside the set operation",
        )
    if any(set(each.where) != set(first.where) for each in found):
        return Miss(
            Reason.SHAPE,
            "the branches of the query's set operation filter the view by different conditions, which this rule "
            "does not support: create a view with the branches of the query",
        )
    outputs = []
    for place in range(len(first.outputs)):
        output = _output(place, question, path, found)
        if output is None:
            return Miss(
                Reason.SHAPE,
                f"the branches of the query's set operation compute output {place + 1} by different expressions, "
                "which this rule does not support: create a view with the branches of the query",
            )
        outputs.append(output)
    if question.operation.operator != UNION_ALL and (lost := _merged_by(outputs, path)):
        return Miss(Reason.SHAPE, lost)
    rewriting = rewriting_of(question.operation.query, False, path.storage, tuple(outputs), first.where)
    return (
        Miss(
            Reason.SHAPE,
            f"{question.operation.query.tail} after the query's set operation is not supported: order by names of "
            "outputs, and use numbers in LIMIT and OFFSET",
        )
        if rewriting is None
        else Match(rewriting)
    )


def _is_plain(found: Rewriting) -> bool:
    """Return whether a rewriting only filters and projects the rows of the storage table."""
    more = (found.tables, found.joins, found.having, found.order, found.limit, found.offset, found.distinct)
    return found.group is None and found.union is None and found.sets is None and not any(more)


def _output(place: int, question: SetQuestion, path: AccessPath, found: Sequence[Rewriting]) -> Tree | None:
    """Return the output that all branches of the query have at the position `place`, over storage columns.

    If the branches have different literals there, as in `SELECT 'eu', … UNION ALL SELECT 'us', …`, return the view's
    column that stores these literals. Return None if the branches differ otherwise, or if the view has no such column.
    `found` are the rewritings of the branches. `question` is the set operation, with each branch paired with a branch
    of the view. `path` is the access path to the view.
    """
    if len({each.outputs[place] for each in found}) == 1:
        return found[0].outputs[place]
    pairs = [(query.block.outputs[place], branch.block.outputs) for query, branch in question.pairs]
    told = (
        name
        for i, name in enumerate(path.columns)
        if all(isinstance(mine, exp.Literal) and mine == theirs[i] for mine, theirs in pairs)
    )
    return next((stored(name) for name in told), None)


def _merged_by(outputs: Sequence[Tree], path: AccessPath) -> str:
    """Return a message if different rows of the view may be equal in `outputs`, so that UNION or EXCEPT would merge
    them.

    Return an empty text if different rows stay different. `path` is the access path to the view.
    """
    plain = {output.name for output in outputs if isinstance(output, exp.Column)}
    dropped = next((name for name in path.columns if name not in plain), None)
    if dropped is not None:
        return f"rows of the view that differ only in {dropped} would be equal in the query: select {dropped}, too"
    computed = any(not isinstance(output, (exp.Column, exp.Literal)) for output in outputs)
    floats = next((column.name for column in path.storage.columns if column.type in FRACTIONS), None)
    told = f"the view stores one of 0.0 and -0.0 in {floats}, from which expressions may compute different values: "
    return told + "select only columns and literals" if computed and floats else ""
