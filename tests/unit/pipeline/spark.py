"""A fake Spark, which stages rows on a branch like the real one, and remembers the statements that it gets."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import pyarrow as pa
from pyiceberg.table.update.snapshot import ManageSnapshots

from proxy.sql_types import spark_type
from tests.unit.catalog.lake import Lake

_PROPERTY = "spark.sql.iceberg.snapshot-property."


class FakeSpark:
    """Runner and job in one; `before_insert` is awaited when the content is about to be computed."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.statements: list[str] = []
        self.settings: Mapping[str, str] = {}
        self.returned: tuple[tuple[str, str], ...] = ()  # by the queries of views; by default what storage has
        self._branched = ""
        self._lent_main: set[str] = set()
        self.before_insert: Callable[[], Awaitable[None]] | None = None

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[FakeSpark]:
        self.settings = settings
        yield self

    async def run(self, sql: str) -> None:
        self.statements.append(sql)
        if found := re.search(r"DROP TABLE IF EXISTS lake\.(\S+) PURGE", sql):
            self.lake.iceberg.drop_table(found[1])
        if found := re.search(r"ALTER TABLE lake\.(\S+) CREATE BRANCH (\w+)", sql):
            self._branch(*found.groups())
        if found := re.search(r"(?:INSERT OVERWRITE|INSERT INTO|MERGE INTO) lake\.(\S+)\.branch_(\w+)", sql):
            only_records = sql.startswith("INSERT INTO") and sql.endswith("WHERE false")
            if self.before_insert and not only_records:
                await self.before_insert()
            table = self.lake.iceberg.load_table(found[1])
            if "REPLACE WHERE" in sql and sql.endswith("WHERE false"):
                table.delete(branch=found[2], snapshot_properties=self._properties())
                return
            count = 0 if only_records else 2
            rows = pa.table({field.name: pa.nulls(count, field.type) for field in table.schema().as_arrow()})
            table.append(rows, branch=found[2], snapshot_properties=self._properties())
            if found[1] in self._lent_main:
                self._lent_main.remove(found[1])
                with table.transaction() as transaction:
                    ManageSnapshots(transaction).remove_branch("main").commit()

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        stored = self.lake.iceberg.load_table(self._branched).schema().fields
        return self.returned or tuple((field.name, spark_type(str(field.field_type))) for field in stored)

    async def stages(self) -> None:
        return

    def _properties(self) -> dict[str, str]:
        return {key.removeprefix(_PROPERTY): value for key, value in self.settings.items() if key.startswith(_PROPERTY)}

    def _branch(self, name: str, branch: str) -> None:
        self._branched = name
        table = self.lake.iceberg.load_table(name)
        if table.metadata.current_snapshot_id is None:
            # Spark begins such a branch with an empty snapshot; pyiceberg writes to branches beside a main only.
            table.append(table.schema().as_arrow().empty_table())
            self._lent_main.add(name)
        with table.transaction() as transaction:
            head = table.metadata.current_snapshot_id
            assert head is not None
            ManageSnapshots(transaction).create_branch(head, branch).commit()
