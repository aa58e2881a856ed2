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
from rewriter.match.access_path import AccessPath
from rewriter.match.grouping import keys_over_groups
from rewriter.match.reading import Reading, read_view
from rewriter.match.reasons import Miss, Reason
from rewriter.match.rewriting import Delta, Match
from rewriter.match.set_operations import SetQuestion
from rewriter.match.texts import TextQuestion

Tree = exp.Expr


@dataclass(frozen=True, eq=False)
class Ask:
    """A query to be answered from one access path (a view with the state of its storage table).

    `question` is the query: a single SELECT with its predicates, a query whose text is compared with the view's text,
    or a set operation. `mapping` maps the ids of the tables that the view reads to the ids of the query's tables. A
    view that can be matched with a query in several ways has one Ask for each mapping.
    """

    question: Predicates | TextQuestion | SetQuestion
    path: AccessPath
    mapping: Mapping[str, str]

    @cached_property
    def reading(self) -> Reading | Miss:
        """The query's filters, columns and joins, expressed over the path's storage columns; computed once for all
        rules.

        A Miss if the path cannot answer the query, or if the query is not a single block. Also a Miss if the path's
        tables have changed since the last refresh, because the storage table lacks these changes.
        """
        if not isinstance(self.question, Predicates):
            kind = "a set operation" if isinstance(self.question, SetQuestion) else "compared with the view as a text"
            return Miss(
                Reason.SHAPE, f"the query is {kind}, and this rewrite rule answers only a single SELECT", apart=True
            )
        if self.path.grown:
            changed = " and ".join(str(change.name) for change in self.path.grown)
            verb = "has" if len(self.path.grown) == 1 else "have"
            return Miss(
                Reason.SHAPE,
                f"{changed} {verb} changed since the last refresh of the view: refresh the view",
                apart=True,
            )
        return read_view(self.question, self.path, self.mapping)

    @cached_property
    def keys(self) -> Mapping[Tree, Tree] | Miss:
        """The query's GROUP BY keys, expressed over the path's storage columns; computed once for all rules.

        The mapping is keyed by the canonical forms of the query's keys. A Miss if one of the keys cannot be derived.
        """
        return self.reading if isinstance(self.reading, Miss) else keys_over_groups(self.reading)

    def held(self, query: Predicates) -> frozenset[Tree]:
        """Return the outputs of the path's view as expressions over the query's tables, in a form for comparison.

        In this form, each column is replaced by one representative of the columns that `query` equates with the column,
        and commutative operands have a fixed order.
        """
        outputs = (renamed(output, self.mapping) for output in self.path.block.outputs)
        return frozenset(meaning(query.equivalence.normalize(output)) for output in outputs)


@dataclass(frozen=True, eq=False)
class TwoPhase:
    """A plan in two phases: first the groups of a query with partial aggregates, then the query over these groups.

    The groups come from up to three sources, `held`, `rest` and `deltas`. The engine plans each source, and the second
    phase aggregates the UNION ALL of the sources.

    - `groups`: the block of the first phase, such as `SELECT k, sum(x), count(x) … GROUP BY k` for avg(x)
    - `held`: asks a view's storage table for groups
    - `rest`: the block that computes, from base tables, the groups of the rows that the view lacks; None if the view
      has all rows
    - `deltas`: compute the groups of the rows appended, or changed, since the view's last refresh
    - `signed`: true if groups of deleted rows are among `deltas`; the groups of all sources are then added up, and
      groups without rows removed, before the second phase
    - `edges`: true if the rows of `rest` are those at the ends of the query's time range, outside the whole buckets
    - `lacking`: the estimated share (0 to 1) of the query's rows that the view lacks; None if unknown
    - `over`: if not None, the query of the second phase, which reads the UNION ALL in place of the view's storage
      table; `groups` is then the view's own block
    """

    groups: Block
    held: Ask
    rest: Block | None = None
    edges: bool = False
    lacking: float | None = None
    deltas: tuple[Delta, ...] = ()
    over: Ask | None = None
    signed: bool = False


@dataclass(frozen=True, eq=False)
class Branchwise:
    """A plan for a set operation, such as UNION ALL, over a view whose query is the same set operation.

    `question` has the query's set operation, and pairs each branch of the query with the branch of the view from which
    the engine answers it.
    """

    question: SetQuestion


Plan = Match | TwoPhase | Branchwise
