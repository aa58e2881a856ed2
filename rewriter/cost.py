"""Estimates the cost of plans, to choose among matching views and to keep the base tables if no view is cheaper.

The base tables themselves compete: if a filter with constants prunes a table to one file, a view gains nothing. So the
estimate counts rows, columns and files after pruning, not totals. For tables with few rows, every plan takes about the
same time, and a view is used wherever the view matches. A table without statistics is assumed to be huge, so that a
view over the table is cheaper.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop
from itertools import chain
from operator import attrgetter

from sqlglot import exp

from rewriter.block import Block, Occurrence, Predicates, RangeSet, predicates_of
from rewriter.block.meaning import MIRROR
from rewriter.block.traits import tells_time
from rewriter.clock import value_at
from rewriter.delta import CHANGED_COST, Added, Changed, Read
from rewriter.freshness import Relations
from rewriter.index import Group, Shortlist
from rewriter.match import Match, Miss, Reason, Rewriting
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.decompose import UNKNOWN_SHARE
from rewriter.match.rewriting import Delta, Shared
from rewriter.model import MaterializedView, Relation, Session, Table, TableName
from rewriter.model.statistics import FEW_ROWS
from rewriter.scans import (
    JOIN,
    JOINED,
    RECORD,
    SCAN,
    SHUFFLE,
    UNKNOWN_SCAN,
    Estimate,
    least_ms,
    pruned_scan,
    scan_of,
    total,
)
from rewriter.sql import columns_in, holds
from rewriter.timeseries import as_bucket, day_source, micros_of
from rewriter.timeseries.literals import zone_info

Tree = exp.Expr

_OPERATORS: Mapping[type[Tree], str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.EQ: "="}


class Costs:
    """An estimator of the cost of plans over the current relations; `zone` is the session's time zone."""

    def __init__(self, relations: Relations, zone: str) -> None:
        self.relations, self._zone = relations, zone

    def of_match(self, match: Match) -> Estimate:
        """Return the cost estimate of a match's plan."""
        return self._of_rewriting(match.rewriting)

    def of_branch(self, shared: Shared) -> Estimate:
        """Return the cost estimate of one branch of a UNION ALL.

        `shared` is the branch, with the estimated share (0 to 1) of the query's rows that the branch supplies.
        """
        branch, share = shared
        if isinstance(branch, Delta):
            pairs, columns = zip(branch.block.tables, branch.reads, strict=True), _columns(branch.block)
            scans = total(
                self._scan_at(read, self.relations.get(table.name), columns.get(table.id, ())) for table, read in pairs
            )
            return _worked(scans, branch.block)
        if isinstance(branch, Block):
            return self.of_block(branch, share)
        return self._of_rewriting(branch, share)

    def of_block(self, block: Block, share: float = 1.0) -> Estimate:
        """Return the cost estimate of a block that reads the tables in its FROM, instead of a view.

        `share` (0 to 1) is the share of each table's rows that is read.
        """
        return self.of_scans(self.scans(block, share), block)

    def scans(self, block: Block, share: float = 1.0) -> Mapping[str, Estimate]:
        """Return the estimate of reading each table in a block's FROM, by table id.

        `share` (0 to 1) is the share of each table's rows that is read. The estimate of a derived table is that of its
        SELECTs.
        """
        tables = {table.id: self.relations.get(table.name) for table in block.tables if not table.blocks}
        found = dict(zip(tables, self._scans(block, tables, share), strict=True))
        derived = (table for table in block.tables if table.blocks)
        return found | {table.id: total(map(self.of_block, table.blocks)) for table in derived}

    def of_scans(self, scans: Mapping[str, Estimate], block: Block) -> Estimate:
        """Return the cost estimate of a block; `scans` has the estimate of reading each table, by table id."""
        return _worked(total(scans.values()), block)

    def of_storage(self, storage: TableName) -> float:
        """Return the estimated time for reading a whole storage table, in milliseconds."""
        return _whole(self.relations.get(storage)).ms

    def least(
        self, shortlist: Shortlist, query: Predicates, scans: Mapping[str, Estimate], tables: Estimate
    ) -> Iterator[tuple[float, MaterializedView]]:
        """Yield each view of the shortlist with a lower bound, in milliseconds, of the block's cost over the view.

        The lowest bound comes first; equal bounds are ordered by view name. A group of views is looked at view by view
        only when a bound for the whole group is reached, so that a caller who stops early saves this work.

        The shortlist has the views that could answer `query`, a block. The bound is estimated from the index alone. The
        plan joins the storage table to each of the block's tables that the view does not read, and reads these tables
        as the block does, whose estimates are `scans`, by table id, and `tables` for all tables together. A view with
        more grouping keys than the block needs a roll-up (one shuffle), unless the view may have the same groups: with
        year, month and day as keys in place of one date, or with keys that the block's filter restricts to one value.
        Of a large storage table, one column is read for each output, and the storage table is assumed to be pruned by
        the same factor as the base tables.

        A view that may have only part of the rows is assumed to lack the share UNKNOWN_SHARE of the rows. The bound is
        therefore not strict: a view that in fact has all rows may cost less. With a strict bound, each view that may
        have only part of the rows would be tried, and TPC-H and SSB queries that one of 100 views answers would take
        1.3 times as long.
        """
        block, definitions, relations = query.block, shortlist.definitions, self.relations
        columns = len(block.outputs)
        rolled = definitions.shelf.keyed_by_more(_most_keys(query) if block.keys is not None else sys.maxsize)
        pruned = min(1.0, tables.rows / tables.held) if tables.held else 1.0
        read: dict[TableName, list[Estimate]] = {}
        for table in block.tables:
            if not table.text:
                read.setdefault(table.name, []).append(scans[table.id])
        bounded: list[tuple[float, int, float]] = []
        for group in shortlist.groups:
            share = 1 - UNKNOWN_SHARE if group.partial else 1.0
            more = self._least_joined(group, read) + (UNKNOWN_SHARE * tables.ms if group.partial else 0.0)
            if same := group.views & ~rolled:
                bounded.append((more, same, share))
            if same != group.views:
                bounded.append((more + SHUFFLE, group.views ^ same, share))
        waiting: list[tuple[float, int]] = []
        for more, views, share in sorted(bounded):
            while waiting and waiting[0][0] < SCAN + more:
                bound, place = heappop(waiting)
                yield bound, definitions.placed(place)
            for place in definitions.shelf.pick(views):
                storage = relations.get(definitions.placed(place).storage)
                # A view that lacks rows is one branch of a UNION ALL, and the pruned plan reads only part of it.
                held = least_ms(storage, share, pruned, columns) if isinstance(storage, Table) else UNKNOWN_SCAN.ms
                waiting.append((held + more, place))
            heapify(waiting)
        while waiting:
            bound, place = heappop(waiting)
            yield bound, definitions.placed(place)

    def _least_joined(self, group: Group, read: Mapping[TableName, Sequence[Estimate]]) -> float:
        """Return a lower bound, in milliseconds, of the tables that a plan over a view of the group joins.

        `read` has the estimates of the block's tables, with several estimates for a self-join, of which the lowest are
        taken.
        """
        joined = [
            min(read[name], key=_ms) if name in read else _whole(self.relations.get(name)) for name in group.beside
        ]
        for name, each in read.items():
            left = len(each) - group.bag.tables.count(name) if group.bag is not None else 0
            if left > 0:
                joined += each if left == len(each) else sorted(each, key=_ms)[:left]
        if not joined:
            return 0.0
        return sum(map(_ms, joined)) + len(joined) * (JOIN + JOINED * max(each.largest for each in joined))

    def _of_rewriting(self, rewriting: Rewriting, share: float = 1.0) -> Estimate:
        if rewriting.union is not None:
            read = [self.of_branch(branch) for branch in rewriting.union.shared]
            tables: dict[str, Relation | None] = {}
        else:
            read, tables = [], {STORAGE_ALIAS: rewriting.storage}
        tables |= {table.id: self.relations.get(table.name) for table in rewriting.tables if not table.text}
        if any(map(_is_large, tables.values())):
            read += self._scans(_as_block(rewriting), tables, share)
        else:
            read += [_whole(table, share) for table in tables.values()]
        grouped = rewriting.group is not None or rewriting.sets is not None or rewriting.distinct
        return total(read).then(len(rewriting.tables), int(grouped))

    def _scans(self, block: Block, tables: Mapping[str, Relation | None], share: float) -> Iterator[Estimate]:
        """Yield the estimate of each table's scan; scans of large tables are pruned by the block's predicates.

        `share` (0 to 1) is the share of each table's rows that is read. `tables` maps table ids to relations; a value
        that is None or a view counts as a table without statistics.
        """
        large = {id_: table for id_, table in tables.items() if isinstance(table, Table) and _is_large(table)}
        columns = _columns(block) if large else {}
        predicates = predicates_of(block, self._zone) if any(t.statistics for t in large.values()) else None
        for id_, table in tables.items():
            if id_ in large:
                wanted = self._wanted(large[id_], id_, predicates) if predicates is not None else {}
                yield pruned_scan(large[id_], columns.get(id_, ()), wanted, share)
            else:
                yield _whole(table, share)

    def _wanted(self, table: Table, id_: str, predicates: Predicates) -> Mapping[int, RangeSet]:
        """Return the values that comparisons with constants allow for the columns of a table, by the column's field id.

        `id_` is the table's id in `predicates`. Only comparisons of a plain column count, because Spark pushes no other
        comparisons down to Iceberg. The rewriter has no clock: a bound such as `now() - INTERVAL 7 DAYS` is computed
        for the time of the table's last commit, and is not earlier when the query runs.
        """
        found: dict[int, RangeSet] = {}
        moving = self._moving(table.snapshots[0].timestamp_ms, predicates) if table.snapshots else ()
        for subject, values in chain(predicates.ranges.items(), moving):
            members = predicates.equivalence.members(subject) if isinstance(subject, exp.Column) else ()
            for column in (table.column(name) for of, name in members if of == id_):
                if column is not None:
                    met = found.get(column.field_id)
                    found[column.field_id] = values if met is None else met.meet(values)
        return found

    def _moving(self, present: int, predicates: Predicates) -> Iterator[tuple[exp.Column, RangeSet]]:
        """Yield each column that is compared with a bound such as `now()`, whose value moves with time, and the
        column's possible values.

        `present` is the assumed time of execution, in milliseconds since 1970.
        """
        for conjunct in predicates.conjuncts:
            if type(conjunct) not in _OPERATORS or not tells_time(conjunct):
                continue
            for kind, column, bound in (
                (type(conjunct), conjunct.this, conjunct.expression),
                (MIRROR[type(conjunct)], conjunct.expression, conjunct.this),
            ):
                declared = predicates.block.type_of(column) if isinstance(column, exp.Column) else None
                point = self._point(declared.type, bound, present) if declared is not None else None
                if point is not None:
                    yield column, RangeSet.compare(_OPERATORS[kind], point)

    def _point(self, kind: str, bound: Tree, present: int) -> int | None:
        """Return the value of a bound such as `now()`, as Iceberg stores values of the type `kind`; None if unknown.

        A DATE is stored as days since 1970, a time as microseconds since 1970. `present` is the assumed time of
        execution, in milliseconds since 1970.
        """
        now = datetime.fromtimestamp(present / 1000, zone_info(self._zone) or UTC).replace(tzinfo=None)
        value = value_at(now, bound)
        if value is None:
            return None
        micros = micros_of(value)
        offset = micros_of(now) - present * 1000
        return {
            "date": micros // 86_400_000_000,
            "timestamp_ntz": micros,
            "timestamp": micros - offset,
        }.get(kind)

    def _scan_at(self, read: Read, table: Relation | None, columns: Collection[str]) -> Estimate:
        """Return the estimate of reading a table as of a snapshot, or only its rows appended or changed since then.

        `read` is one of these reads, and `columns` are the columns that are read, in lower case. Changed rows are read
        from all data files that were added or removed. If the number of bytes is not recorded, return the estimate of
        the whole table. None as `table` stands for a relation without statistics, such as a view.
        """
        if not isinstance(read, (Added, Changed)) or not isinstance(table, Table):
            return _whole(table)
        # Files that compaction adds or removes are not read.
        since = [snapshot for snapshot in table.since(read.start) if snapshot.operation != "replace"]
        sizes = [snapshot.added for snapshot in since if snapshot.operation != "delete"]
        sizes += [snapshot.removed for snapshot in since if snapshot.operation != "append"]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes):
            return _whole(table)
        whole, size = _whole(table), sum(known)
        rows = size * whole.rows / whole.bytes if whole.known and whole.bytes else size / RECORD
        part = pruned_scan(table, columns, {}).bytes / whole.bytes if _is_large(table) and whole.bytes else 1.0
        dear = CHANGED_COST if isinstance(read, Changed) else 1
        return Estimate(1, rows, rows, dear * size * min(1.0, part), rows)


def cost_problem(plan: Estimate, tables: Estimate, view: MaterializedView, session: Session) -> Miss | None:
    """Return a Miss if a plan over a view is not estimated to be cheaper than the base tables; None otherwise.

    `tables` is the estimate of the base tables. Return None, too, if a hint of the statement names a view to use.
    """
    if session.only is not None or plan.gains_on(tables):
        return None
    return Miss(
        Reason.DEARER,
        f"reading the view would cost {plan}, reading the base tables {tables}: to read the view nonetheless, write "
        f"/*+ VIEWGATE(use = '{view.name}') */ after SELECT",
    )


_ms: Callable[[Estimate], float] = attrgetter("ms")


def _worked(read: Estimate, block: Block) -> Estimate:
    """Return the estimate of a block: the estimate `read` of its scans, plus the cost of its joins and of grouping."""
    grouped = block.keys is not None or block.distinct
    twice = grouped and any(holds(tree, exp.Distinct) for tree in block.outputs)
    return read.then(len(block.tables) - 1, int(grouped) + int(twice))


def _whole(table: Relation | None, share: float = 1.0) -> Estimate:
    return scan_of(table, share) if isinstance(table, Table) else UNKNOWN_SCAN


def _is_large(table: Relation | None) -> bool:
    """Return whether a table has more than FEW_ROWS rows, so that pruned columns and files change the cost of reading
    the table.

    Return False for None and for a table with an unknown number of rows.
    """
    return isinstance(table, Table) and (table.records or 0) > FEW_ROWS


def _as_block(rewriting: Rewriting) -> Block:
    """Return a plan over a storage table as a block over this table and the tables joined to it.

    Functions that take a block can then be used for the plan.
    """
    storage = Occurrence(STORAGE_ALIAS, rewriting.storage.name, STORAGE_ALIAS, rewriting.storage.columns)
    outputs = (*rewriting.outputs, *rewriting.having)
    return Block(
        (storage, *rewriting.tables),
        rewriting.where,
        outputs,
        (None,) * len(outputs),
        rewriting.group,
        order=rewriting.order,
        joins=rewriting.joins,
    )


def _columns(block: Block) -> Mapping[str, Collection[str]]:
    """Return the lower-case names of the columns that a block reads, by table id."""
    found: dict[str, set[str]] = {}
    for column in {*chain.from_iterable(map(columns_in, block.expressions))}:
        found.setdefault(column.table, set()).add(column.name.lower())
    return found


def _most_keys(query: Predicates) -> int:
    """Return the greatest number of grouping keys with which a view may have the same groups as a query.

    A view may have year, month and day as keys in place of one date: the keys `region, date(t)` give 4. A view may have
    each column that the query's filter restricts to one value as another key.
    """
    keys = query.block.keys or ()
    dated = sum(1 for key in keys if as_bucket(key) is not None or day_source(key) is not None)
    return len(keys) + 2 * dated + sum(map(query.pins, query.ranges))
