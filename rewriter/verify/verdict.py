"""The verdict on one plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewriter.block import Block, Unsupported, opaque_within, text_of
from rewriter.model import Column, Session
from rewriter.verify.compare import compare
from rewriter.verify.leaves import Leaves
from rewriter.verify.normal import normal_block
from rewriter.verify.printed import Select, read_printed
from rewriter.verify.unfold import Undecided, Unfolding

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"


@dataclass(frozen=True)
class Verdict:
    """Whether a plan is proved, refuted or undecided, why, and by which axioms."""

    status: str
    reason: str = ""
    axioms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the verdict as EXPLAIN REWRITE shows it.

        >>> str(Verdict(PROVED)), str(Verdict(PROVED, axioms=("the primary key of dim",)))
        ('proved', 'proved, relying on the primary key of dim')
        >>> str(Verdict(UNDECIDED, "they join otherwise"))
        'not proved: they join otherwise'
        """
        if self.status != PROVED:
            return f"not proved: {self.reason}"
        return f"proved, relying on {' and '.join(self.axioms)}" if self.axioms else "proved"


UNVERIFIED = Verdict(UNDECIDED, "the plan was not verified")


def verify(
    question: Block, text: str, session: Session, leaves: Leaves, schema: Sequence[Column] | None = None
) -> Verdict:
    """Compare a printed plan with the block that it answers; `schema` are the columns that it must have."""
    try:
        constants = frozenset(text_of(call) for tree in question.expressions for call in opaque_within(tree))
        derived = [table for table in question.tables if table.text]
        plan = read_printed(text, session, leaves.columns, constants, derived)
        problem = _shape_problem(question, plan, leaves, schema)
        if problem:
            return Verdict(REFUTED, problem)
        block = Unfolding(leaves.held, session.time_zone).select(plan)
        found = compare(normal_block(question, session.time_zone), block, leaves.table, session.time_zone)
    except (Undecided, Unsupported) as problem:
        return Verdict(UNDECIDED, str(problem))
    if not found.difference:
        return Verdict(PROVED, axioms=found.axioms)
    return Verdict(REFUTED if found.certain else UNDECIDED, found.difference, found.axioms)


def _shape_problem(question: Block, plan: Select, leaves: Leaves, schema: Sequence[Column] | None) -> str:
    """What the text alone shows to be wrong: outputs, names, snapshots."""
    block = plan.block
    if len(block.outputs) != len(question.outputs):
        return f"it has {len(block.outputs)} outputs instead of {len(question.outputs)}"
    names = [column.name for column in schema] if schema is not None else question.names
    for asked, given in zip(names, block.names, strict=True):
        if asked is not None and given != asked:
            return f"it names an output {given} instead of {asked}"
    scans = list(plan.scans())
    pinned = [scan for scan in scans if scan.pin is not None]
    if (pinned and len(pinned) < len(scans)) or (not pinned and len({scan.name for scan in scans}) > 1):
        return "it reads tables at different moments"
    for scan in pinned:
        table = leaves.table(scan.name)
        if table is not None and table.snapshot_id != scan.pin:
            return f"it reads {scan.name} at snapshot {scan.pin} instead of {table.snapshot_id}"
    return ""
