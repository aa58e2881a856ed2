"""Maps a view's tables to a query's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from rewriter.block import Block, Occurrence
from rewriter.model import TableName


def table_mappings(view: Block, query: Block) -> Iterator[Mapping[str, str]]:
    """Yield all one-to-one mappings of the view's occurrences to the query's occurrences of the same tables.

    Tables that the view names more often than the query are left out, in every possible way.
    law: a self-join maps in more than one way, and only some of the mappings may match.
    """
    mine, theirs = Counter(t.name for t in view.tables), Counter(t.name for t in query.tables)
    if mine.keys() & theirs.keys():
        yield from _extend({}, view.tables, query, mine - theirs)


def _extend(
    mapping: dict[str, str], rest: tuple[Occurrence, ...], query: Block, spare: Counter[TableName]
) -> Iterator[Mapping[str, str]]:
    if not rest:
        yield dict(mapping)
        return
    first, others = rest[0], rest[1:]
    for table in query.tables:
        if table.name == first.name and table.id not in mapping.values():
            yield from _extend({**mapping, first.id: table.id}, others, query, spare)
    if spare[first.name]:
        yield from _extend(mapping, others, query, spare - Counter([first.name]))
