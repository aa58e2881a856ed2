"""The questions that the engine puts to rules, and the plans that rules return."""

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
    """A question to be answered from an access path, for one mapping of the path's table ids to the question's.

    `mapping` maps the ids of the tables that the path was computed from to the ids of the question's tables.
    """

    question: Predicates | TextQuestion | SetQuestion
    path: Candidate
    mapping: Mapping[str, str]

    @cached_property
    def reading(self) -> Reading | Miss:
        """The question's filter and columns in terms of the path's columns; computed once for all rules; a Miss if that
        is not possible.
        """
        if not isinstance(self.question, Predicates):
            return Miss(Reason.SHAPE, "the view is compared as a whole", apart=True)
        if self.path.grown:
            return Miss(Reason.SHAPE, "rows have been appended to its tables", apart=True)
        return read_view(self.question, self.path, self.mapping)

    @cached_property
    def keys(self) -> Mapping[Tree, Tree] | Miss:
        """The expressions over the path's groups for each of the question's keys, by the key's meaning; computed once
        for all rules; a Miss if that is not possible.
        """
        return self.reading if isinstance(self.reading, Miss) else keys_over_groups(self.reading)

    def held(self, query: Predicates) -> frozenset[Tree]:
        """Return the meanings of the path's outputs, with columns replaced by the representatives of the question's
        classes.
        """
        outputs = (renamed(output, self.mapping) for output in self.path.block.outputs)
        return frozenset(meaning(query.equivalence.normalize(output)) for output in outputs)


@dataclass(frozen=True, eq=False)
class TwoPhase:
    """A plan in two phases: first `groups` with the components of aggregates, then the question over these groups.

    `held` asks a path for the groups that the path has, and `rest` reads the other rows; if `rest` is None, the path
    has all. With `edges`, the rest is the rows between the ends of a time range and its whole buckets. `lacking`
    estimates the share of rows that the path lacks, if that is known before `rest` is. The engine answers these parts
    in turn.
    """

    groups: Block
    held: Ask
    rest: Block | None = None
    edges: bool = False
    lacking: float | None = None
    deltas: tuple[Delta, ...] = ()


@dataclass(frozen=True, eq=False)
class Branchwise:
    """A set operation whose branches the engine asks one by one, over a view that is the same set operation."""

    question: SetQuestion


Plan = Match | TwoPhase | Branchwise
