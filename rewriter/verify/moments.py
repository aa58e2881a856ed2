"""Names for tables pinned to snapshots, and the laws by which rows of several snapshots add up to the current rows.

A table at a snapshot, or the rows appended between two snapshots, gets an internal name: `t@5` is a different table
from `t`. If such a name remains after a plan is unfolded into base tables, the plan reads the table at another snapshot
than the block to be answered.

law:    for a block that keeps all rows of t, the block over t@5 and the block over the rows appended between snapshots
        5 and 9 add up to the block over t@9
law:    the same holds for the changed rows between snapshots 5 and 9, if the block has only sums and counts, in which
        deleted rows count negatively (rewriter.verify.signed)
no:     rows appended before snapshot 5, because they would be counted twice
no:     appended rows, if a snapshot between 5 and 9 is not an append; changed rows, if the table has delete files,
        because Spark does not list the rows that they delete
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewriter.block import Block, Occurrence
from rewriter.model import Table, TableName
from rewriter.verify.keys import Tables

# Between the ids of the two snapshots in the internal name of a table's appended or changed rows.
_ADDED, _CHANGED = "..", "±"


class Misread(Exception):
    """Raised if the plan reads a table at another snapshot than the query, or only some of the table's rows.

    Also raised if the plan is not valid SQL. The message names the table and the snapshot, or the place in the SQL.
    """


@dataclass(frozen=True)
class Moment:
    """A snapshot pin: the rows of a table at the snapshot with the id `until`; None is the current snapshot.

    With `since`, only the rows appended after the snapshot with this id are read; with `changed`, the rows that were
    inserted or deleted after it.
    """

    until: int | None
    since: int | None = None
    changed: bool = False

    def of(self, name: TableName) -> TableName:
        """Return the internal name of a table pinned to this snapshot.

        >>> str(Moment(9, 5).of(TableName(("lake", "sales"))))
        'lake.sales.@5..9'
        """
        since = "" if self.since is None else f"{self.since}{_CHANGED if self.changed else _ADDED}"
        return TableName((*name.parts, f"@{since}{self.until}"))


def table_of(name: TableName) -> TableName:
    """Return the plain name of a table: `lake.sales` for the internal name `lake.sales.@5..9` with a snapshot pin.

    Return a plain name unchanged.
    """
    return TableName(name.parts[:-1]) if name.parts[-1].startswith("@") else name


def moment_of(name: TableName) -> Moment | None:
    """Return the snapshot pin of an internal name; None for a plain table name."""
    if table_of(name) == name:
        return None
    pin = name.parts[-1][1:]
    since, _, until = pin.rpartition(_CHANGED if _CHANGED in pin else _ADDED)
    return Moment(int(until) if until.isdecimal() else None, int(since) if since else None, _CHANGED in pin)


def as_read(name: TableName, moment: Moment, table: Table | None) -> TableName:
    """Return the name of a table read with a snapshot pin; the plain name if the pin is the current snapshot.

    `table` is the catalog's table with this name, or None if it is unknown. `moment` is the pin.
    """
    current = table is not None and moment == Moment(table.snapshot_id)
    return name if current or moment == Moment(None) else moment.of(name)


def check_moments(block: Block, tables: Tables) -> None:
    """Raise Misread if a block reads a table at a snapshot other than the current one.

    Also raise Misread if the block reads only the rows appended or changed since a snapshot. The tables of the block's
    derived tables are checked, too. `tables` returns the table of a name, or None.
    """
    for occurrence in (table for each in (block, *block.derived) for table in each.tables):
        name, moment = table_of(occurrence.name), moment_of(occurrence.name)
        if moment is None:
            continue
        if moment.since is not None:
            raise Misread(
                f"the rewritten query reads only the rows of {name} {'changed' if moment.changed else 'appended'} "
                f"since snapshot {moment.since}, not all rows: the view is not used"
            )
        table = tables(name)
        now = table.snapshot_id if table is not None else None
        raise Misread(
            f"the rewritten query reads {name} at snapshot {moment.until} instead of {now}: the view is not used"
        )


def added_up(blocks: Sequence[Block], tables: Tables) -> Iterator[tuple[list[Block], Block]]:
    """Yield each group of blocks whose rows together are the rows of one block, and this one block.

    A block over t at snapshot 5 and a block over the rows appended to t after snapshot 5 make up the block over t; so
    does a block of sums and counts over the rows changed since then, in which deleted rows count negatively. Each
    of the given blocks is in one group; a block that cannot be combined with another block is alone in its group.
    `tables` returns the table of a name, or None.
    """
    rest = [([block], block) for block in blocks]
    while (found := _first_pair(rest, tables)) is not None:
        one, other, whole = found
        rest = [each for each in rest if each is not one and each is not other]
        rest.append(([*one[0], *other[0]], whole))
    yield from rest


_Sum = tuple[list[Block], Block]


def _first_pair(sums: Sequence[_Sum], tables: Tables) -> tuple[_Sum, _Sum, Block] | None:
    for one in sums:
        for other in sums:
            whole = _together(one[1], other[1], tables) if one is not other else None
            if whole is not None:
                return one, other, whole
    return None


def _together(before: Block, came: Block, tables: Tables) -> Block | None:
    """Return the block whose rows are the rows of both blocks together; None if there is no such block.

    The blocks may differ only in one table: `before` reads this table at a snapshot, `came` the rows appended to it, or
    changed, after this snapshot. `tables` returns the table of a name, or None.
    """
    if [table.id for table in before.tables] != [table.id for table in came.tables]:
        return None
    pairs = zip(before.tables, came.tables, strict=True)
    different = [(old, new) for old, new in pairs if old.name != new.name]
    if len(different) != 1:
        return None
    ((old, new),) = different
    later = _later(old, new, tables)
    keeps = not any(old.id in join.tables for join in before.joins)
    if later is None or not keeps:
        return None
    grown = replace(old, name=later)
    return replace(before, tables=tuple(grown if table is old else table for table in before.tables))


def _later(old: Occurrence, new: Occurrence, tables: Tables) -> TableName | None:
    """Return the plain name of a table, if two reads of the table together give its current rows; else None.

    `old` must read the table at a snapshot, and `new` the rows appended between this snapshot and the current one, or
    the rows changed. For appended rows, each snapshot in between must be an append, or a replace such as a compaction,
    which changes no rows. For changed rows, none of the snapshots may have delete files.
    """
    name, before, came = table_of(old.name), moment_of(old.name), moment_of(new.name)
    if name != table_of(new.name) or before is None or came is None:
        return None
    table = tables(name)
    if table is None or before.since is not None or came.since is None or before.until != came.since:
        return None
    line = {snapshot.id: snapshot for snapshot in table.since(came.since)}
    if came.until != table.snapshot_id or len(line) == len(table.snapshots):
        return None
    if came.changed:
        start = table.snapshots[len(line)]
        return name if all(each.delete_files == 0 for each in (start, *line.values())) else None
    return name if all(snapshot.operation in ("append", "replace") for snapshot in line.values()) else None


def over_tables(block: Block) -> Block:
    """Return the block with plain table names, without snapshot pins."""
    return replace(block, tables=tuple(replace(table, name=table_of(table.name)) for table in block.tables))
