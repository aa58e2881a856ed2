"""Divides a grouped query over UNION ALL: the branches are grouped first, each as a query of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block
from rewriter.functions.trees import ROWS, number
from rewriter.match.decompose import decomposed
from rewriter.match.divided import merged
from rewriter.sql import columns_in


def union_branches(block: Block) -> Sequence[Block]:
    """Return, for each branch of a grouped block's only UNION ALL, the block that groups the branch.

    The caller adds the outer GROUP BY. Return an empty sequence if

    - the block does not group, or FROM does not have exactly one UNION ALL,
    - the UNION ALL is on the joined side of an outer, SEMI or ANTI join, or
    - a branch groups, deduplicates, orders or limits its rows.

    law:    each group of a UNION ALL consists of the groups of its branches that have the same keys
    query:  SELECT k, sum(x) FROM (SELECT k, x FROM a UNION ALL SELECT k, y FROM b) GROUP BY k
    gives:  SELECT k, sum(part) FROM (SELECT k, sum(x) AS part FROM a GROUP BY k UNION ALL SELECT k, sum(y) FROM b GROUP
            BY k) GROUP BY k
    no:     UNION, because it merges equal rows
    no:     a branch with LIMIT
    no:     count(DISTINCT x), because a value may occur in several branches
    """
    unions = [table for table in block.tables if table.branches]
    if len(unions) != 1 or block.keys is None or any(unions[0].id in join.tables for join in block.joins):
        return ()
    (union,) = unions
    for branch in union.branches:
        if not branch.plain or branch.keys is not None or branch.limit or branch.offset or branch.order:
            return ()
    groups = decomposed(block)
    return [_few_keys(merged(groups, union, branch)) for branch in union.branches]


def _few_keys(block: Block) -> Block:
    """Return a block without its constant grouping keys, such as a literal that names the branch.

    `GROUP BY 'eu', k` gives `GROUP BY k`. If all keys are constants, HAVING count(*) > 0 takes their place: for an
    empty input, GROUP BY a constant returns no group, but an aggregate without keys returns one.
    """
    keys = tuple(key for key in block.keys or () if columns_in(key))
    some = (exp.GT(this=ROWS, expression=number(0)),) if block.keys and not keys else ()
    return replace(block, keys=keys, having=some)
