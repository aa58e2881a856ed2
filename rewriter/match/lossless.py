"""Tables that a view joins and a query does not, where the join neither loses nor repeats a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Predicates, predicates_of
from rewriter.block.equivalence import key_of
from rewriter.block.predicates import equated
from rewriter.match.candidate import Candidate
from rewriter.model import Table

Tree = exp.Expr


def widened(
    query: Predicates, candidate: Candidate, mapping: Mapping[str, str]
) -> tuple[Predicates, Mapping[str, str]] | None:
    """The query joined to the view's other tables as the view is, with their mapping; None where that changes rows.

    law:    an inner join of a foreign key that is never NULL onto the key that it references finds one row
            for each; so does a LEFT join onto a key, or none, which it fills up
    view:   SELECT s.amount, s.dim_id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    query:  SELECT amount FROM sales
    gives:  SELECT amount FROM sales s JOIN dim d ON s.dim_id = d.id
    no:     a view that filters by the name, or keeps sales of no dim out
    """
    spare = [table for table in candidate.block.tables if table.id not in mapping]
    while spare:
        found = next((step for table in spare if (step := _joined(query, candidate, mapping, table)) is not None), None)
        if found is None:
            return None
        query, mapping, table = found
        spare.remove(table)
    return query, mapping


def _joined(
    query: Predicates, candidate: Candidate, mapping: Mapping[str, str], table: Occurrence
) -> tuple[Predicates, Mapping[str, str], Occurrence] | None:
    """The query with one more table."""
    known = next((source for source in candidate.sources if source.name == table.name), None)
    if known is None or not known.primary_key:
        return None
    taken = any(other.id == table.id for other in query.block.tables)
    added = replace(table, id=f"x{len(query.block.tables)}") if taken else table
    wider = {**mapping, table.id: added.id}
    join = next((j for j in candidate.block.joins if table.id in j.tables), None)
    if join is not None:
        block = _left_joined(query.block, candidate, join, known, added, wider)
    else:
        block = _inner_joined(query, candidate, mapping, known, table, added)
    return None if block is None else (Predicates(block, block.where, query.zone), wider, table)


def _left_joined(
    block: Block, candidate: Candidate, join: Join, known: Table, added: Occurrence, wider: Mapping[str, str]
) -> Block | None:
    """A LEFT join on the equality of a key, alone or with more."""
    (table,) = join.tables if len(join.tables) == 1 else ("",)
    columns = {node.table for conjunct in join.on for node in conjunct.find_all(exp.Column)}
    if join.kind != "LEFT" or not table or not columns <= wider.keys():
        return None
    equal = [pair for conjunct in join.on if (pair := equated(conjunct, candidate.block)) is not None]
    sides = [(key_of(mine), key_of(other)) for pair in equal for mine, other in (pair, pair[::-1])]
    held = {name for (of, name), (other, _) in sides if of == table != other}
    if not {key.lower() for key in known.primary_key} <= held:
        return None
    filled = replace(added, columns=tuple(replace(column, nullable=True) for column in added.columns))
    return replace(block, tables=(*block.tables, filled), joins=(*block.joins, join.renamed(wider)))


def _inner_joined(
    query: Predicates,
    candidate: Candidate,
    mapping: Mapping[str, str],
    known: Table,
    table: Occurrence,
    added: Occurrence,
) -> Block | None:
    """An inner join of a foreign key onto the key that it references."""
    view = predicates_of(candidate.block, query.zone)
    for source in (s for s in candidate.block.tables if s.id in mapping):
        owner = next((t for t in candidate.sources if t.name == source.name), None)
        for key in owner.foreign_keys if owner is not None else ():
            if key.table != known.name or {c.lower() for c in key.referenced} != {c.lower() for c in known.primary_key}:
                continue
            pairs = [
                (exp.column(mine.lower(), source.id), exp.column(theirs.lower(), table.id))
                for mine, theirs in zip(key.columns, key.referenced, strict=True)
            ]
            here = [exp.column(mine.name, mapping[source.id]) for mine, _ in pairs]
            if all(view.equivalence.same(*pair) for pair in pairs) and _never_null(query, here):
                where = [
                    exp.EQ(this=column, expression=exp.column(theirs.name, added.id))
                    for column, (_, theirs) in zip(here, pairs, strict=True)
                ]
                block = query.block
                return replace(block, tables=(*block.tables, added), where=(*block.where, *where))
    return None


def _never_null(query: Predicates, columns: Sequence[Tree]) -> bool:
    return all(not query.values(query.equivalence.normalize(column)).null for column in columns)
