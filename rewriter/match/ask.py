"""The input of a rewrite rule (a query block, an access path and a table mapping), and the plans that rules return.

An access path is a view with the state of its storage table. A rule answers a query: a block with its predicates, a
query compared as a text, or a set operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from rewriter.block import Block, Predicates, meaning, renamed
from rewriter.match.candidate import Candidate, Delta, Match, Miss, Reason
from rewriter.match.grouping import keys_over_groups
from rewriter.match.reading import Reading, read_view
from rewriter.match.set_operations import SetQuestion
from rewriter.match.texts import TextQuestion

Tree = exp.Expr


@dataclass(frozen=True, eq=False)
class Ask:
    """A query to be answered from one access path, with one mapping of the path's tables to the query's tables.

    `mapping` maps the ids of the tables that the view reads to the ids of the query's tables.
    """

    question: Predicates | TextQuestion | SetQuestion
    path: Candidate
    mapping: Mapping[str, str]

    @cached_property
    def reading(self) -> Reading | Miss:
        """The query's filters, columns and joins over the path's storage columns, computed once for all rules.

        A Miss if the path cannot answer the query, if the query is not a single block, or if rows were appended to the
        path's tables.
        """
        if not isinstance(self.question, Predicates):
            return Miss(Reason.SHAPE, "the query is matched as a whole, not as a query block", apart=True)
        if self.path.grown:
            return Miss(Reason.SHAPE, "rows have been appended to the view's base tables", apart=True)
        return read_view(self.question, self.path, self.mapping)

    @cached_property
    def keys(self) -> Mapping[Tree, Tree] | Miss:
        """The query's GROUP BY keys as expressions over the path's storage columns, computed once for all rules.

        The mapping is keyed by the meanings (canonical forms for comparison) of the query's keys. A Miss if a key
        cannot be derived.
        """
        return self.reading if isinstance(self.reading, Miss) else keys_over_groups(self.reading)

    def held(self, query: Predicates) -> frozenset[Tree]:
        """Return the meanings of the path's outputs, normalized by the query's column equalities.

        A meaning is a form for comparison, in which commutative operands have a fixed order.
        """
        outputs = (renamed(output, self.mapping) for output in self.path.block.outputs)
        return frozenset(meaning(query.equivalence.normalize(output)) for output in outputs)


@dataclass(frozen=True, eq=False)
class TwoPhase:
    """A plan in two phases: first the block `groups`, the query's groups with partial aggregates, then the query.

    `held` asks an access path for the groups in its storage table, and `rest` is the block that reads the other rows
    from base tables; None if the path has all rows. With `edges`, `rest` reads only the rows between the ends of the
    query's time range and the whole buckets within the range. `lacking` estimates the share (0 to 1) of rows that the
    path lacks; None if unknown. `deltas` read rows appended since the view's last refresh. The engine answers `held`,
    `rest` and `deltas`, and aggregates their union. If `groups` is the view's own block, and so the union has the
    columns of the storage table, `over` asks for the query over the union in place of the storage table.
    """

    groups: Block
    held: Ask
    rest: Block | None = None
    edges: bool = False
    lacking: float | None = None
    deltas: tuple[Delta, ...] = ()
    over: Ask | None = None


@dataclass(frozen=True, eq=False)
class Branchwise:
    """A plan for a set operation, such as UNION ALL, over a view whose query is the same set operation.

    The engine answers each branch of the query from the matching branch of the view.
    """

    question: SetQuestion


Plan = Match | TwoPhase | Branchwise
