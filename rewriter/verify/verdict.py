"""Verifies a plan, given as SQL text, for the block that it answers.

The plan is parsed, the storage tables in it are replaced by the queries of their views ("unfolded"), and the result is
compared with the block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlglot import exp

from rewriter.block import Block, Unsupported, opaque_within, text_of
from rewriter.block.changed import renamed_block
from rewriter.match.divided import merged
from rewriter.match.printing import fresh_rows
from rewriter.model import Column, Session, Table
from rewriter.verify.compare import Comparison, compare
from rewriter.verify.forms import Mode, mode_of
from rewriter.verify.layers import compare_layers, has_layers
from rewriter.verify.leaves import Leaves
from rewriter.verify.moments import Misread, check_moments
from rewriter.verify.normal import normal_block
from rewriter.verify.printed import Scan, Select, Union, read_printed
from rewriter.verify.unfold import Undecided, Unfolding

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"


@dataclass(frozen=True)
class Verdict:
    """The result of verifying a plan; `status` is PROVED, REFUTED or UNDECIDED.

    `reason` explains a verdict other than PROVED; `axioms` are the trusted keys on which the verdict relies.
    """

    status: str
    reason: str = ""
    axioms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the verdict as EXPLAIN REWRITE shows it.

        >>> str(Verdict(PROVED)), str(Verdict(PROVED, axioms=("the primary key of dim",)))
        ('proved', 'proved, relying on the primary key of dim')
        >>> str(Verdict(UNDECIDED, "the joins of the rewritten query differ from those of the query"))
        'not proved: the joins of the rewritten query differ from those of the query; the rewritten query is used'
        """
        if self.status != PROVED:
            return f"not proved: {self.reason}{'; the rewritten query is used' if self.status == UNDECIDED else ''}"
        return f"proved, relying on {' and '.join(self.axioms)}" if self.axioms else "proved"


UNVERIFIED = Verdict(UNDECIDED, "the rewritten query was not verified")


def verify(
    question: Block, text: str, session: Session, leaves: Leaves, schema: Sequence[Column] | None = None
) -> Verdict:
    """Return the verdict on a plan, given as SQL text, for `question`, the block that the plan answers.

    `leaves` provides the tables, and the blocks that compute views and storage tables. With `schema`, the plan's
    outputs must have the names of these columns; without `schema`, the plan's outputs must have the names of the
    outputs of `question`.
    """
    try:
        blocks = (question, *(branch for table in question.tables for branch in table.branches))
        trees = (tree for block in blocks for tree in block.expressions)
        constants = {text_of(call): call for tree in trees for call in opaque_within(tree)}
        derived = [table for table in question.tables if table.text]
        plan = read_printed(text, session, leaves.columns, constants, derived)
        leaves = _as_read(text, plan, leaves)
        problem = _shape_problem(question, plan, leaves, schema) or _stale_problem(text, plan, leaves)
    except Misread as misread:
        return Verdict(REFUTED, str(misread))
    except (Undecided, Unsupported) as unread:
        return Verdict(UNDECIDED, str(unread))
    if problem:
        return Verdict(REFUTED, problem)
    verdict = partial(_verdict, leaves=leaves, mode=mode_of(session), conditioned=" > 0" in text)
    if not question.as_set:
        return verdict(question, plan)
    as_rows = verdict(replace(question, as_set=False), plan)
    if as_rows.status == PROVED:  # a plan with the same rows equally often is right, too
        return as_rows
    return verdict(_as_groups(question), replace(plan, block=_as_groups(plan.block)))


def _verdict(question: Block, plan: Select, leaves: Leaves, mode: Mode, *, conditioned: bool) -> Verdict:
    """Return the verdict on a plan that was read, for `question`, the block that the plan answers.

    `leaves` provides the tables, and the blocks that compute views and storage tables. `conditioned` says whether the
    plan may have conditions on stored numbers of rows.
    """
    found = Comparison()
    try:
        for asked, made in _pairs(question, plan):
            part = _part(asked, made, leaves, mode, conditioned=conditioned)
            found = (
                part if part.difference else replace(part, axioms=tuple(dict.fromkeys((*found.axioms, *part.axioms))))
            )
            if part.difference:
                break
    except Misread as misread:
        return Verdict(REFUTED, str(misread))
    except (Undecided, Unsupported) as unread:
        return Verdict(UNDECIDED, str(unread))
    if not found.difference:
        return Verdict(PROVED, axioms=found.axioms)
    return Verdict(REFUTED if found.certain else UNDECIDED, found.difference, found.axioms)


def _part(asked: Block, made: Select, leaves: Leaves, mode: Mode, *, conditioned: bool) -> Comparison:
    """Compare a block to be answered, `asked`, with its plan, `made`, and return the result.

    A plan that is not proved otherwise is also compared with distinct counts of primary keys in the views' queries as
    counts of rows, and with `conditioned`, with conditions on stored numbers of rows as filters of the views' queries.
    `leaves` provides the tables, and the blocks that compute views and storage
    tables. Raise Undecided if the plan cannot be compared.
    """
    found: Comparison | Undecided
    try:
        found = _unfolded(asked, made, leaves, mode)
    except Undecided as problem:
        found = problem
    ways = ((True, False),) if conditioned else ()
    for conditions, keys in (*ways, (False, True)) if isinstance(found, Undecided) or found.difference else ():
        try:
            again = _unfolded(asked, made, leaves, mode, conditioned=conditions, counted=keys)
        except Undecided:
            continue
        if not again.difference:
            return again
    if isinstance(found, Undecided):
        raise found
    return found


def _unfolded(
    asked: Block, made: Select, leaves: Leaves, mode: Mode, *, conditioned: bool = False, counted: bool = False
) -> Comparison:
    """Compare a block with its plan, whose views and storage tables are replaced by the views' queries.

    The parameters are those of `_part`; `conditioned` and `counted` are parameters of Unfolding.
    """
    unfolding = Unfolding(leaves.held, leaves.table, mode, conditioned=conditioned, counted=counted)
    block = unfolding.select(made)
    check_moments(block, leaves.table)
    part = _compared(normal_block(asked, mode), block, leaves, unfolding, mode)
    if part.difference and (known := _bounded(block, made, leaves)) is not block:
        same, known = (normal_block(each, mode) for each in (_bounded(asked, made, leaves), known))
        again = _compared(same, known, leaves, unfolding, mode)
        part = part if again.difference else again
    return replace(part, axioms=tuple(dict.fromkeys((*part.axioms, *unfolding.axioms))))


def _bounded(block: Block, plan: Select, leaves: Leaves) -> Block:
    """Return the block with lower bounds of the times in its tables, from the storage tables that the plan reads.

    If the least `date_trunc('day', t)` in a storage table is 2020-01-01, no t of its base table is before this day.
    `leaves` provides the blocks that compute views and storage tables.

    law: if a view without a filter reads one table, the least bucket in its storage table is a bound of all its rows
    no:  a table that has changed since the storage table was filled, because new rows may have earlier times; such a
         table is named with its old snapshot in the view's block
    """
    found: list[tuple[exp.Expr, int]] = []
    for name in dict.fromkeys(scan.name for scan in plan.scans()):
        held = leaves.held(name)
        view = held.block if held is not None else None
        if view is None or len(view.tables) != 1 or view.where or view.having or view.limit is not None:
            continue
        same = (table for table in block.tables if table.name == view.tables[0].name)
        found += (each for table in same for each in renamed_block(view, {view.tables[0].id: table.id}).since)
    return replace(block, since=(*block.since, *found)) if found else block


def _as_read(text: str, plan: Select, leaves: Leaves) -> Leaves:
    """Return `leaves` with each storage table in the state in which the plan reads the storage table.

    A storage table of which some partitions are fresh has two states: the fresh rows, by a filter, and all rows as of
    the last refresh, without this filter. `text` is the SQL of the plan.
    """
    for scan in plan.scans():
        table = leaves.table(scan.name)
        if table is not None and table.as_refreshed is not table and not _fresh_reads(text, scan, table):
            leaves = leaves.reading_whole(scan.name)
    return leaves


def _fresh_reads(text: str, scan: Scan, table: Table) -> int:
    """Return how often the SQL of a plan reads only the fresh rows of a storage table."""
    at = "" if scan.pin is None else f" VERSION AS OF {scan.pin}"
    return text.count(f"({fresh_rows(table, f'{scan.name.sql()}{at}')})")


def _stale_problem(text: str, plan: Select, leaves: Leaves) -> str:
    """Return a message that names a storage table of which the plan reads stale rows; empty if there is none.

    Some storage tables are fresh in some of their partitions only. A plan must drop the rows of all other partitions by
    a filter. `text` is the plan's SQL. `leaves` provides the tables, and the blocks that compute views and storage
    tables.
    """
    for scan in plan.scans():
        table = leaves.table(scan.name)
        if table is None or not table.behind:
            continue
        if _fresh_reads(text, scan, table) != len(re.findall(rf"{re.escape(scan.name.sql())}(?![\w`.])", text)):
            return f"the rewritten query reads rows of {scan.name} that are stale"
    return ""


def _as_groups(block: Block) -> Block:
    """Return `block` grouped by all its outputs, for a query in which duplicate rows do not matter, such as IN (SELECT
    …).

    A block that is already grouped keeps its keys.
    """
    keys = tuple(dict.fromkeys(block.outputs)) if block.keys is None else block.keys
    return replace(block, keys=keys, as_set=False)


def _compared(question: Block, plan: Block, leaves: Leaves, unfolding: Unfolding, mode: Mode) -> Comparison:
    """Compare the block to be answered, `question`, with the plan's block, in up to three ways; return the result.

    The blocks are compared as they are; then one level of GROUP BY after the other; then with the nested groups of both
    merged into one level. The first comparison without a difference is returned, otherwise one of the differences
    found. `unfolding` merges the nested groups. `leaves` provides the tables, and the blocks that compute views and
    storage tables.
    """
    found = compare(question, plan, leaves.table, mode)
    if found.difference and (has_layers(question) or has_layers(plan)):
        found = compare_layers(question, plan, leaves.table, mode)
    if found.difference and any(table.inner is not None for table in (*question.tables, *plan.tables)):
        try:
            folded = compare(unfolding.folded(question), unfolding.folded(plan), leaves.table, mode)
        except Undecided:
            return found
        return found if folded.difference else folded
    return found


def _pairs(question: Block, plan: Select) -> Iterator[tuple[Block, Select]]:
    """Yield pairs of a block and its plan that together prove the plan of the block `question`.

    There is one pair, `question` and `plan`, unless the block reads a UNION ALL and the plan answers its branches one
    by one. Then each pair is the block over one branch, and the plan with the branch at the same position. Raise
    Undecided if the plan has a different number of branches.

    law:    if each branch of the plan is the block over the rows of one branch of the UNION ALL, the block over the
            UNION ALL combines the groups of all branches, as the plan does
    """
    unions = [table for table in question.tables if table.branches]
    parts = {table: source for table, source in plan.sources.items() if isinstance(source, Union)}
    whole = any(isinstance(source, Scan) and source.name == t.name for t in unions for source in plan.sources.values())
    if len(unions) != 1 or len(parts) != 1 or whole:
        yield question, plan
        return
    ((table, source),) = parts.items()
    if len(source.branches) != len(unions[0].branches):
        raise Undecided(
            f"the UNION ALL of the rewritten query has {len(source.branches)} branches instead of "
            f"{len(unions[0].branches)}"
        )
    for branch, made in zip(unions[0].branches, source.branches, strict=True):
        one = Union((made,), whole=False)
        yield merged(question, unions[0], branch), replace(plan, sources={**plan.sources, table: one})


def _shape_problem(question: Block, plan: Select, leaves: Leaves, schema: Sequence[Column] | None) -> str:
    """Return a message if a plan has a wrong number of outputs, a wrong output name or a wrong snapshot; else empty.

    `schema` has the required output names; if `schema` is None, the required names are those of `question`. A plan that
    reads several tables must pin each table to a snapshot, and each storage table to its current snapshot. `leaves`
    provides the tables, and the blocks that compute views and storage tables.
    """
    block = plan.block
    if len(block.outputs) != len(question.outputs):
        return f"the rewritten query has {len(block.outputs)} outputs instead of {len(question.outputs)}"
    names = [column.name for column in schema] if schema is not None else question.names
    for asked, given in zip(names, block.names, strict=True):
        if asked is not None and given != asked:
            return f"the rewritten query names an output {given} instead of {asked}"
    scans = list(plan.scans())
    pinned = [scan for scan in scans if scan.pin is not None]
    if (pinned and len(pinned) < len(scans)) or (not pinned and len({scan.name for scan in scans}) > 1):
        return "the rewritten query reads its tables at different snapshots"
    for scan in pinned:
        table = leaves.table(scan.name)
        if table is not None and table.snapshot_id != scan.pin and leaves.is_storage(scan.name):
            return f"the rewritten query reads {scan.name} at snapshot {scan.pin} instead of {table.snapshot_id}"
    return ""
