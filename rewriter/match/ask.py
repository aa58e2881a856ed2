"""The questions to rules and their plans."""

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
    """A question to an access path, for one mapping of the path's table ids to the question's.

    `mapping` is the way in which the tables that the path was computed from stand for the question's, by their ids.
    """

    question: Predicates | TextQuestion | SetQuestion
    path: Candidate
    mapping: Mapping[str, str]

    @cached_property
    def reading(self) -> Reading | Miss:
        """The question's filtered rows in terms of the path's columns; computed once for all rules."""
        if not isinstance(self.question, Predicates):
            return Miss(Reason.SHAPE, "it is compared as a whole", apart=True)
        if self.path.grown:
            return Miss(Reason.SHAPE, "rows have been appended to its tables", apart=True)
        return read_view(self.question, self.path, self.mapping)

    @cached_property
    def keys(self) -> Mapping[Tree, Tree] | Miss:
        """The question's keys over the path's groups, by their meanings; computed once for all rules."""
        return self.reading if isinstance(self.reading, Miss) else keys_over_groups(self.reading)

    def held(self, query: Predicates) -> frozenset[Tree]:
        """Return the path's outputs by meaning, in the representatives of a question's equivalence classes."""
        outputs = (renamed(output, self.mapping) for output in self.path.block.outputs)
        return frozenset(meaning(query.equivalence.normalize(output)) for output in outputs)


@dataclass(frozen=True, eq=False)
class TwoPhase:
    """A question in two phases: its `groups` with the components of its aggregates, then the question over those.

    `held` asks a path for the groups that the path has, `rest` reads the others; without a rest the path has all.
    With `edges`, the rest is the rows between the ends of a range and its whole buckets; `lacking` is about what part
    of all rows these are, where that is known before the rest is. The engine fills the asks.
    """

    groups: Block
    held: Ask
    rest: Block | None = None
    edges: bool = False
    lacking: float | None = None
    deltas: tuple[Delta, ...] = ()


@dataclass(frozen=True, eq=False)
class Branchwise:
    """A set operation to be read from a view that is the same operation: the engine asks each branch."""

    question: SetQuestion


Plan = Match | TwoPhase | Branchwise
