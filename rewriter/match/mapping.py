"""Maps the table occurrences of a view to those of a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from rewriter.block import Block, Occurrence
from rewriter.model import TableName


def table_mappings(view: Block, query: Block) -> Iterator[Mapping[str, str]]:
    """Yield each one-to-one mapping from the view's table occurrences to the query's occurrences of the same tables.

    A mapping is from table id to table id. If the view reads a table twice and the query reads the table once, there
    are two mappings: each maps one of the view's two occurrences, and leaves out the other one. Yield nothing if the
    view and the query have no table in common.

    law: the occurrences of a self-join can be mapped in several ways, and only some of these mappings may match
    law: an inner-joined table of the view cannot correspond to the right side of the query's ANTI join; such an
         occurrence may therefore stay unmapped, too
    """
    refused = frozenset[str]().union(*(join.tables for join in query.joins if join.kind == "ANTI"))
    apart = frozenset[str]().union(*(join.tables for join in view.joins))
    mine, theirs = Counter(t.name for t in view.tables), Counter(t.name for t in query.tables)
    if mine.keys() & theirs.keys():
        surplus = mine - theirs
        if refused:
            inner = Counter(t.name for t in view.tables if t.id not in apart)
            kept = Counter(t.name for t in query.tables if t.id not in refused)
            surplus |= inner - kept if mine.keys() & kept.keys() else Counter()
        yield from _extend({}, view.tables, query, surplus)


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
