"""Maps a source's partitions to the partitions of a storage table.

If every partition field of the storage table follows from one partition field of the source, as the month follows from
the day, each source partition lies within one storage partition. That storage partition is called the target of the
source partition. The rows of a target are computed from its source partitions alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote_plus

from sqlglot import exp

from rewriter.maintenance.stored import Stored
from rewriter.maintenance.values import Span, computed, name_of, transformed
from rewriter.maintenance.values import span as span_of
from rewriter.model import DataFile, Files, PartitionField, TableName, Value, quoted

Tree = exp.Expr
Partition = tuple[Value, ...]
Target = tuple[Span, ...]
MOST_TARGETS = 1000  # the most targets that a statement names


@dataclass(frozen=True)
class Link:
    """A partition field of the storage table, and the partition field of the source table that determines it.

    - `field`: the partition field of the storage table, such as `month(day)`
    - `kind`: the type of the storage column on which `field` is defined
    - `tree`: the expression over `column` that this storage column stores
    - `source`: the partition field of the source table; `at`: its position among the source's partition fields
    - `column`: the column of the source table on which `source` is defined; `source_kind`: the type of this column
    """

    field: PartitionField
    kind: str
    tree: Tree
    at: int
    source: PartitionField
    column: exp.Column
    source_kind: str

    def known(self, partition: Partition) -> Span | None:
        """Return the bounds of `column` in a partition of the source table.

        Return None if the partition value sets no bounds, as for the transform bucket[16].
        """
        return span_of(partition[self.at], self.source.transform, self.source_kind)

    def target(self, partition: Partition, zone: str) -> Span | None:
        """Return the bounds of the storage column in the storage partition to which a source partition contributes.

        If the source is partitioned by day and the storage table by month, the partition 2024-01-15 gives January 2024.
        Return None if the rows of `partition` may contribute to several storage partitions. `zone` is the view's time
        zone.
        """
        known = self.known(partition)
        stored = computed(self.tree, self.column, known, zone, self.kind) if known is not None else None
        return transformed(stored, self.field.transform) if stored is not None else None


@dataclass(frozen=True)
class Targets:
    """The targets of all partitions of a source: `of` maps each source partition to its target, a storage partition.

    `links` has one entry for each partition field of the storage table; `files` are the files of the source.
    """

    links: tuple[Link, ...]
    of: Mapping[Partition, Target]
    files: Files

    @cached_property
    def touched(self) -> frozenset[Target]:
        """The storage partitions to which added or removed source files contribute."""
        return frozenset(self.of[partition] for partition in self.files.touched)

    @property
    def share(self) -> float:
        """The share (0 to 1) of the source's rows that belong to touched targets.

        The target of a source row is the storage partition to which the row contributes. A target is touched if source
        files whose rows contribute to it were added or removed.
        """
        rows = sum(file.records for file in self.files.live)
        return sum(file.records for file in self.read) / rows if rows else 0.0

    @property
    def read(self) -> tuple[DataFile, ...]:
        """The current source files that belong to touched targets.

        The target of a file is the storage partition to which the file's rows contribute. A target is touched if source
        files whose rows contribute to it were added or removed.
        """
        return tuple(file for file in self.files.live if self.of[file.partition] in self.touched)

    @property
    def source_conditions(self) -> tuple[str, ...]:
        """The SQL conditions, such as `(t0.day = DATE '2024-01-15')`, that select the source rows of touched targets.

        Iceberg prunes files by these conditions. A target is a storage partition; a target is touched if source files
        whose rows contribute to the target were added or removed.
        """
        return tuple(sorted({self._source_condition(file.partition) for file in self.read}))

    def _source_condition(self, partition: Partition) -> str:
        known = {link.at: (link.column, link.known(partition)) for link in self.links}
        texts = (
            span.condition(f"{column.table}.{quoted(column.name)}")
            for column, span in known.values()
            if span is not None
        )
        return "(" + " AND ".join(texts) + ")"

    def path(self, partition: Partition) -> str:
        """Return the path of a source partition's target (a storage partition) in the storage table's data directory.

        gives:  year=2022/k=a
        """
        parts = zip(self.links, self.of[partition], strict=True)
        return "/".join(f"{quote_plus(link.field.name)}={name_of(part, link.field.transform)}" for link, part in parts)

    @property
    def condition_of_touched(self) -> str:
        """The SQL condition that selects the storage rows of touched targets.

        A target is a storage partition; a target is touched if source files whose rows contribute to the target were
        added or removed.
        """
        return " OR ".join(sorted(map(self.condition, self.touched)))

    def condition(self, target: Target) -> str:
        """Return the SQL condition that selects the storage rows of one target (a storage partition).

        `(day = DATE '2024-01-15' AND region = 'eu')` is the condition of a target with two partition fields.
        """
        pairs = zip(self.links, target, strict=True)
        return "(" + " AND ".join(part.condition(quoted(link.field.column)) for link, part in pairs) + ")"


def targets(stored: Stored, source: TableName, files: Files) -> Targets | str:
    """Return the targets of a source's files: the storage partitions to which the files' rows contribute.

    If the targets cannot be determined, return the reason as text. `stored` is the view with its block and storage
    table.
    """
    if files.fields is None:
        return f"the files of {source} have more than one partition specification"
    links = _links(stored, source, files.fields)
    if isinstance(links, str):
        return links
    of: dict[Partition, Target] = {}
    for partition in {*files.touched, *(file.partition for file in files.live)}:
        try:
            found = [link.target(partition, stored.view.zone) for link in links]
        except (OverflowError, ValueError):  # a year outside Python's range
            return f"a partition of {source} is too far in the past or future"
        if any(part is None for part in found):
            return f"a partition of {source} falls into more than one partition of the storage table"
        of[partition] = tuple(part for part in found if part is not None)
    return Targets(links, of, files)


def _links(stored: Stored, source: TableName, fields: tuple[PartitionField, ...]) -> tuple[Link, ...] | str:
    occurrences = [table for table in stored.block.tables if table.name == source]
    outer = any(join.kind == "FULL" or occurrences[0].id in join.tables for join in stored.block.joins)
    if len(occurrences) != 1 or outer:
        return f"{source} is read more than once, or by a join that does not return all its rows"
    if not stored.storage.partitioned_by:
        return "the storage table has no partitions"
    links = [_link(stored, field, occurrences[0].id, fields) for field in stored.storage.partitioned_by]
    if any(link is None for link in links):
        return f"the partitions of the storage table do not correspond to those of {source}"
    return tuple(link for link in links if link is not None)


def _link(stored: Stored, field: PartitionField, table: str, fields: tuple[PartitionField, ...]) -> Link | None:
    at = next((i for i, column in enumerate(stored.storage.columns) if column.name == field.column), None)
    if at is None:
        return None
    tree, kind = stored.block.outputs[at], stored.storage.columns[at].type
    columns = set(tree.find_all(exp.Column))
    if stored.block.keys is not None and tree not in stored.block.keys:
        return None
    if len(columns) != 1:
        return None
    (column,) = columns
    declared = stored.block.type_of(column)
    place = next((i for i, f in enumerate(fields) if f.column.lower() == column.name and f.transform != "void"), None)
    if column.table != table or declared is None or place is None:
        return None
    return Link(field, kind, tree, place, fields[place], column, declared.type)
