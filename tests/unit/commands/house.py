"""Runs statements against a catalog in a directory and a fake upstream that does Spark's DDL in it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, IcebergType, IntegerType, LongType, NestedField, StringType

from proxy.answering import Answers, SystemRows, system_tables
from proxy.answering.readable import Rests
from proxy.answering.virtual_tables import Described, VirtualSchema
from proxy.catalog import Catalogs
from proxy.commands import Context, Reloaded, Setting, find, operate
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Journal
from proxy.pipeline import OnCommit, Orphans, Pipeline
from proxy.session import Forward, Sessions, Worker
from proxy.statements import string_value
from proxy.upstream import Upstream as SparkUpstream
from proxy.upstream import Upstreams
from rewriter import Definitions
from rewriter.model import Session, TableName
from tests.unit.catalog.lake import ROWS, Lake, view_document
from tests.unit.pipeline.spark import FakeSpark

_TYPES: dict[str, IcebergType] = {
    "string": StringType(),
    "bigint": LongType(),
    "int": IntegerType(),
    "double": DoubleType(),
}
_PAIR = re.compile(r"('(?:[^'\\]|\\.)*') = ('(?:[^'\\]|\\.)*')")


class Upstream:
    """A fake upstream that answers DESCRIBE QUERY from `described`, and does DDL in the catalog.

    Statements that match `broken` fail; those that match `cut` are executed and then fail.
    """

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.statements: list[str] = []
        self.described: list[tuple[str, str]] = [("region", "string"), ("sum(amount)", "bigint")]
        self.broken: dict[str, SqlError] = {}
        self.cut: dict[str, BaseException] = {}

    async def query(self, sql: str) -> ResultSet:
        self.statements.append(sql)
        for pattern, error in self.broken.items():
            if re.search(pattern, sql):
                raise error
        if sql.startswith("DESCRIBE QUERY"):
            hidden = re.findall(r"AS (viewgate_\w+)", sql)
            rows = [*self.described, *((name, "bigint") for name in hidden)]
            return ResultSet.of("col_name", "data_type", "comment", rows=[(*row, None) for row in rows])
        for beginning, act in _DDL.items():
            if found := re.match(beginning, sql, re.DOTALL):
                act(self, found)
        for pattern, cut in self.cut.items():
            if re.search(pattern, sql):
                raise cut
        return ResultSet.of()

    def create_table(self, found: re.Match[str]) -> None:
        columns = re.findall(r"(`[^`]+`|\w+) (\w+)", found["columns"])
        fields = [
            NestedField(n, name.strip("`"), _TYPES[kind], required=False) for n, (name, kind) in enumerate(columns, 1)
        ]
        self.lake.iceberg.create_table(
            found["name"].removeprefix("lake."), Schema(*fields), properties=_pairs(found["tail"])
        )

    def create_view(self, found: re.Match[str]) -> None:
        name = TableName(tuple(found["name"].split(".")))
        head, query = found["tail"].split("\nAS ")
        earlier = self.lake.view_document(name)["versions"] if found["replace"] else []
        # As Iceberg does: a version that is the same as an earlier one has its number.
        same = [version["version-id"] for version in earlier if version["representations"][0]["sql"] == query]
        document = view_document(same[0] if same else len(earlier) + 1, **_pairs(head))
        document["versions"] = [*earlier, *document["versions"][len(earlier) :]]
        document["versions"][document["current-version-id"] - 1]["representations"][0]["sql"] = query
        self.lake.put_view(name, document)

    def alter_view(self, found: re.Match[str]) -> None:
        name = TableName(tuple(found["name"].split(".")))
        document = self.lake.view_document(name)
        document["properties"].update(_pairs(found["tail"]))
        self.lake.put_view(name, document)

    def unset_of_view(self, found: re.Match[str]) -> None:
        name = TableName(tuple(found["name"].split(".")))
        document = self.lake.view_document(name)
        for key in re.findall(r"'([^']+)'", found["tail"]):
            document["properties"].pop(key, None)
        self.lake.put_view(name, document)

    def drop_view(self, found: re.Match[str]) -> None:
        self.lake.drop_view(TableName(tuple(found["name"].split("."))))

    def drop_table(self, found: re.Match[str]) -> None:
        try:
            self.lake.iceberg.drop_table(found["name"].removeprefix("lake."))
        except NoSuchTableError:
            assert "IF EXISTS" in found[0]


_DDL = {
    r"CREATE TABLE (?P<name>\S+) \((?P<columns>.*?)\) USING iceberg(?P<tail>.*)": Upstream.create_table,
    r"CREATE (?P<replace>OR REPLACE )?VIEW (?P<name>\S+)(?P<tail>.*)": Upstream.create_view,
    r"ALTER VIEW (?P<name>\S+) SET(?P<tail>.*)": Upstream.alter_view,
    r"ALTER VIEW (?P<name>\S+) UNSET TBLPROPERTIES(?P<tail>.*)": Upstream.unset_of_view,
    r"DROP VIEW (?P<name>\S+)": Upstream.drop_view,
    r"DROP TABLE IF EXISTS (?P<name>\S+) PURGE": Upstream.drop_table,
}


def _pairs(text: str) -> dict[str, str]:
    return {string_value(key): string_value(value) for key, value in _PAIR.findall(text)}


class House:
    """The table sales, a pipeline, and a session in the namespace demo; `beside` are further catalogs."""

    def __init__(self, lake: Lake, *beside: Lake) -> None:
        self.lake = lake
        lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
        self.upstream = Upstream(lake)
        self.spark = FakeSpark(lake)
        self.catalogs = Catalogs([each.catalog() for each in (lake, *beside)])
        self.journal = Journal()
        self.pipeline = Pipeline(self.catalogs, self.spark, self.journal)
        self.on_commit = OnCommit(self.catalogs, self.pipeline)
        self.orphans = Orphans(self.catalogs, self.spark, alone=("lake",))
        self.system = SystemRows(self.journal, self.catalogs, lambda: self.sessions, lambda: self.upstreams, self.ask)
        self.context = Context(
            self.catalogs, self.pipeline, self.on_commit, self.orphans, cast("Any", self), self.workers,
            lambda: self.upstreams, open_to_all=True, operators=lambda: (), system=self.system, ask=self.ask,
            settings=lambda: [Setting("server.port", "10001", "10000", False)],
            journal=self.journal, reload=self.reload, restart=self.restart,
        )  # fmt: skip
        self.session = Session(
            "lake",
            ("demo",),
            {"spark.sql.ansi.enabled": "false", "spark.driver.host": "x"},
            "Asia/Tokyo",
            catalogs=frozenset(self.catalogs.names),
        )
        self.rests = Rests()
        self.log: list[str] = []
        self.reloaded = Reloaded("settings reloaded: upstream.spark-1:10000.weight")
        self.restarted = Reloaded("2 workers are being replaced one by one")
        self.sessions = Sessions(self.journal.end, self.journal.close)
        self.upstreams = Upstreams([SparkUpstream("spark-1", 10000), SparkUpstream("spark-2", 10000)])

    async def facts(self, session: Any) -> Session:
        """Return what `answering` would know of the client's session."""
        return self.session

    async def described(self, session: Any, sql: str) -> Described | None:
        """Return the virtual table that a statement describes."""
        table: Described | None = await self._answers().described(session, sql)
        return table

    async def virtual_schema(self, session: Any, sql: str, name: Sequence[str]) -> VirtualSchema | None:
        """Return the virtual schema that a statement names `name`."""
        schema: VirtualSchema | None = await self._answers().virtual_schema(session, sql, name)
        return schema

    def _answers(self) -> Any:
        answers: Any = Answers(self.catalogs, system=self.context.told)
        answers.facts = self.facts
        return answers

    async def reload(self) -> Reloaded:
        """Return the result of reading the settings again."""
        return self.reloaded

    async def restart(self) -> Reloaded:
        """Return the result of restarting the workers."""
        return self.restarted

    async def workers(self) -> dict[int, Worker | None]:
        """Return two workers: the first has ended, and the second replaces another."""
        return {1: None, 2: Worker(7, 3, 1), 102: Worker(6, 1, 0, retiring=True)}

    async def ask(self, question: bytes, about: bytes) -> Mapping[int, Any]:
        """Return only this process's rows: there are no other workers."""
        answers: Mapping[bytes, Callable[[bytes], Awaitable[Any]]] = {
            system_tables.QUESTION: self.system.answer,
            operate.KILL: partial(operate.killed, self.journal),
            operate.STEER: partial(operate.steered, [self.upstreams]),
        }
        return {1: await answers[question](about)}

    async def definitions(self) -> Definitions:
        """Return the view definitions that `answering` knows."""
        return Definitions(await self.catalogs.definitions())

    async def plan(self, session: Any, sql: str) -> Forward:
        """Return the plan that `answering` makes for a statement."""
        return Forward()

    async def run(self, sql: str) -> ResultSet:
        command = find(sql)
        assert command is not None
        session: Any = SimpleNamespace(upstream=self.upstream, for_operators=False)
        return await command.run(self.context, session, self.log.append)

    def tables(self) -> set[str]:
        return {name for _, name in self.lake.iceberg.list_tables("demo")}
