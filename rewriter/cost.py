"""What reading costs, in bytes: which of several matching views to read, and whether to read one at all.

A scan costs what it reads and a fixed part, a roll-up its own fixed part: those of Spark's planner, for
which opening a file is worth reading four megabytes. Where a table's size is not known, it is guessed
from its records; where nothing is known, the table is taken for huge.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

from rewriter.block import Block
from rewriter.freshness import Relations
from rewriter.index import Bag, Shortlist
from rewriter.match import Match
from rewriter.model import MaterializedView, Relation, Table

SCAN = ROLL_UP = 4 << 20
RECORD = 64
UNKNOWN = 1 << 62


def cost(match: Match, block: Block, relations: Relations) -> int:
    """The cost of a rewriting of a block."""
    beside = (relations.get(table.name) for table in match.rewriting.tables)
    parts = match.rewriting.parts
    rest = _rest(block, relations) if parts is not None and parts.rest is not None else 0
    return sum(map(_scan, (match.rewriting.storage, *beside))) + rest + (ROLL_UP if match.rolled_up else 0)


def least_costs(shortlist: Shortlist, block: Block, relations: Relations) -> Iterator[tuple[int, MaterializedView]]:
    """What a rewriting of a block over each view of a shortlist costs, as far as the index tells.

    More keys than the block's are taken for a roll-up: they are one, but for keys that the block makes equal.
    """
    read = Counter(table.name for table in block.tables)
    rest, grouped = _rest(block, relations), len(block.keys) if block.keys is not None else sys.maxsize
    others: dict[Bag, int] = {}
    for view, storage, bag, keys, partial, named, beside in shortlist:
        if partial or named:
            more = rest if partial else 0
        elif bag in others:
            more = others[bag]
        else:
            left = read - Counter(bag.tables)
            more = others[bag] = sum(_scan(relations.get(name)) * n for name, n in left.items())
        for table in beside:
            more += _scan(relations.get(table))
        yield _scan(relations.get(storage)) + more + (ROLL_UP if keys > grouped else 0), view


def _rest(block: Block, relations: Relations) -> int:
    """The rows that a view does not hold are taken for half of the tables'."""
    return sum(_scan(relations.get(table.name)) for table in block.tables) // 2


def original_cost(block: Block, relations: Relations) -> int:
    """The cost up to which a rewriting is worth while: the block's own, and what is lost in the fixed parts."""
    grouped = ROLL_UP if block.keys is not None else 0
    return sum(_scan(relations.get(table.name)) for table in block.tables) + grouped + SCAN


def _scan(table: Relation | None) -> int:
    """The cost of reading a table once."""
    if not isinstance(table, Table) or (table.size is None and table.records is None):
        return UNKNOWN
    return SCAN + (table.size if table.size is not None else (table.records or 0) * RECORD)
