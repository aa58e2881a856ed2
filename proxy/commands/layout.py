"""The layout of a new view's storage: as the statement says, else as its sources are laid out."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import rewriter
from proxy.catalog import Catalog
from proxy.commands.properties import inherited, recorded_settings
from proxy.commands.shape import Shape
from proxy.hs2 import SqlError
from rewriter.model import Column, MaterializedView, PartitionField, Session, SortField, Table, TableName, quoted
from rewriter.script import layout_problem

_DISTRIBUTION = "write.distribution-mode"
_FANOUT = "write.spark.fanout.enabled"
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Layout:
    """Partitions and order as Spark's statements have them, and the properties of how files are written."""

    partitioned_by: str = ""
    ordered_by: str = ""
    properties: tuple[tuple[str, str], ...] = ()

    @property
    def written(self) -> dict[str, str]:
        """The properties, and that rows come to the files partition by partition.

        Else each task that writes would have a file open for each partition that it meets, and memory for it.
        """
        return dict(self.properties) | ({_FANOUT: "false"} if self.partitioned_by else {})

    def ordering(self, storage: TableName, properties: dict[str, str]) -> Iterator[str]:
        """Yield the statements that order storage without changing how rows are spread over writing tasks."""
        if self.ordered_by:
            yield f"ALTER TABLE {storage.sql()} WRITE LOCALLY ORDERED BY {self.ordered_by}"
            spread = properties.get(_DISTRIBUTION, "hash" if self.partitioned_by else "none")
            yield f"ALTER TABLE {storage.sql()} SET TBLPROPERTIES ('{_DISTRIBUTION}' = '{spread}')"


def check_layout(view: TableName, made: Shape, given: tuple[str, str]) -> None:
    """Raise SqlError for partitions or an order that the storage cannot have, before anything is made."""
    columns = [Column(column.name, column.type) for column in made.columns]
    for clause, text in zip(("PARTITIONED BY", "ORDERED BY"), given, strict=True):
        problem = layout_problem(clause, text, str(view), columns) if text else ""
        if problem:
            raise SqlError(problem, "42P10")


async def layout(catalog: Catalog, storage: TableName, made: Shape, facts: Session, given: tuple[str, str]) -> Layout:
    """Return the partitions and order that the user has `given`, else those of the tables that the view reads.

    Partitions from any of them where a target of its own for each would pay; order and properties from one alone.
    """
    partitioned_by, ordered_by = given
    found = await catalog.current(made.sources)
    sources = [table for table in found.values() if isinstance(table, Table)]
    held = await _stored(catalog, storage, made, facts, sources)
    alone = made.sources[0] if len(made.sources) == 1 else None
    properties = await catalog.properties(alone) if alone is not None else {}
    if held is not None and not partitioned_by:
        partitioned_by = await _partitions(catalog, held, sources)
    if held is not None and not ordered_by and alone is not None:
        ordered_by = _order_text(rewriter.inherited_order(held, await catalog.order(alone)))
    kept = inherited(properties, [column.name for column in made.columns])
    return Layout(partitioned_by, ordered_by, tuple(kept.items()))


async def _stored(
    catalog: Catalog, storage: TableName, made: Shape, facts: Session, sources: Sequence[Table]
) -> rewriter.Stored | None:
    """Return the expected content of the storage, where it is plain to see."""
    view = MaterializedView(
        name=storage,
        uuid="",
        version=0,
        query=made.query,
        storage_query=made.storage_query,
        storage=storage,
        columns=tuple(Column(column.name, column.type) for column in made.columns),
        catalog=facts.catalog,
        namespace=facts.namespace,
        settings=json.loads(recorded_settings(facts)),
    )
    columns = tuple(Column(column.name, column.type) for column in made.storage_columns)
    known = {table.name: table.columns for table in sources}
    held = rewriter.stored(await catalog.read_through(view), Table(storage, "", columns, ()), known)
    return None if isinstance(held, str) else held


async def _partitions(catalog: Catalog, held: rewriter.Stored, sources: Sequence[Table]) -> str:
    for table in sorted(sources, key=lambda table: table.size or 0, reverse=True):
        if not table.partitioned_by or table.snapshot_id is None:
            continue
        try:
            files = await catalog.files(table.name, table.snapshot_id, table.snapshot_id)
            found = rewriter.derived_partitions(held, table, files)
        except Exception:  # manifests come from any writer; without them storage has no partitions
            _logger.exception("files unreadable table=%s", table.name)
            continue
        if found:
            return ", ".join(map(_partition_text, found))
    return ""


def _partition_text(field: PartitionField) -> str:
    column = quoted(field.column)
    return column if field.transform == "identity" else f"{field.transform}s({column})"


def _order_text(order: Sequence[SortField]) -> str:
    return ", ".join(
        f"{quoted(field.column)} {('ASC', 'DESC')[field.descending]} NULLS {('LAST', 'FIRST')[field.nulls_first]}"
        for field in order
    )
