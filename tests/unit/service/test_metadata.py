"""Metadata calls, against a real catalog on SQLite and a Spark that lists its own objects."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import DecimalType, ListType, LongType, NestedField, StringType, StructType, TimestamptzType

from proxy.catalog.refresh_state import STORAGE_OF
from proxy.hs2 import ResultSet, SqlError, decode_rows, encode_call
from proxy.hs2.generated import ttypes
from proxy.service import Peer
from rewriter.model import TableName
from rewriter.model.constraints import FOREIGN_KEYS, PRIMARY_KEY
from tests.unit.catalog.lake import AGG, MATERIALIZED, Lake, view_document
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

SALES = Schema(
    NestedField(1, "id", LongType(), required=True, doc="the order's number"),
    NestedField(2, "Country", StringType()),
    NestedField(3, "price", DecimalType(10, 2)),
    NestedField(4, "at", TimestamptzType()),
    NestedField(
        5, "place", StructType(NestedField(6, "x", LongType(), required=True), NestedField(7, "y", LongType()))
    ),
    NestedField(8, "tags", ListType(9, StringType())),
)
ID = Schema(NestedField(1, "id", LongType(), required=True))
SPARKS = {
    "GetSchemas": ResultSet.of("s", "c", rows=[("default", ""), ("global_temp", "")]),
    "GetTables": ResultSet.of(
        *"abcdefghij",
        rows=[
            ("", "default", "t1", "TABLE", "own", *[None] * 5),
            ("", None, "mine", "VIEW", "", *[None] * 5),
        ],
    ),
    "GetColumns": ResultSet.of(
        *(f"c{n}" for n in range(16)),
        "position int",
        *(f"d{n}" for n in range(6)),
        rows=[(None, "default", "t1", "x", *[None] * 12, 1, *[None] * 6)],
    ),
    "GetFunctions": ResultSet.of("name"),
}  # fmt: skip

Ask = Callable[..., Coroutine[Any, Any, list[tuple[Any, ...]]]]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(tmp_path)
    keys = {
        PRIMARY_KEY: "id",
        FOREIGN_KEYS: "(`Country`) REFERENCES countries (id), (id, at) references other.t (a, b)",
    }
    lake.iceberg.create_table("demo.sales", SALES, properties={"comment": "all of them", **keys})
    lake.iceberg.create_table("demo.countries", ID)
    lake.iceberg.create_table("demo.agg__storage", ID)
    lake.iceberg.create_table("demo.left_over", ID, properties={STORAGE_OF: "demo.gone"})
    lake.put_view(AGG, view_document(**MATERIALIZED, comment="by region"))
    lake.put_view(TableName(("lake", "demo", "plain")), view_document())
    lake.put_view(TableName(("lake", "demo", "broken")), b"{}")
    yield lake
    lake.close()


def browsing(lake: Lake, test: Callable[[Proxied, Ask], Coroutine[Any, Any, None]]) -> None:
    """Run a test with a function that returns the rows of a call, by the call's name and arguments."""

    async def main(proxied: Proxied) -> None:
        proxied.spark.listings |= SPARKS
        async with RawClient(proxied.port) as client:
            session = await client.open_session()

            async def ask(name: str, **arguments: Any) -> list[tuple[Any, ...]]:
                kind = getattr(ttypes, f"T{name}Req", ttypes.TGetSchemasReq)
                response = await client.ask(
                    name, kind(sessionHandle=session, **arguments), ttypes.TExecuteStatementResp
                )
                assert response.status.statusCode == 0, response.status
                rows: list[tuple[Any, ...]] = []
                while block := decode_rows((await client.fetch(response.operationHandle, rows=3)).results):
                    rows += block
                await client.close(response.operationHandle)
                return rows

            await test(proxied, ask)
            assert proxied.spark.operations == {}
            assert proxied.open_operations == 0

    catalog = lake.catalogs()
    with_proxy(main, catalogs=catalog)
    catalog.close()


@pytest.mark.parametrize("catalog", [None, ""])
def test_what_a_client_asks_for_that_goes_away_is_closed(lake: Lake, catalog: str | None) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.listings |= SPARKS
        proxied.spark.held["GetTables"] = asyncio.Event()
        async with RawClient(proxied.port) as client:
            request = ttypes.TGetTablesReq(sessionHandle=await client.open_session(), catalogName=catalog)
            service = proxied.server.service
            asking = asyncio.create_task(service.handle(Peer("bob"), encode_call("GetTables", 1, request)))
            await proxied.spark.called("GetTables")
            asking.cancel()
            proxied.spark.held.pop("GetTables").set()
            await until(lambda: proxied.spark.sent("CloseOperation"))
            await until(lambda: not proxied.spark.operations)
            assert proxied.open_operations == 0

    shared = lake.catalogs()
    with_proxy(test, catalogs=shared)
    shared.close()


def test_catalogs_and_schemas_are_those_of_iceberg_and_of_spark(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        assert await ask("GetCatalogs") == [("lake",), ("spark_catalog",)]
        ours, own, temporary = ("demo", "lake"), ("default", "spark_catalog"), ("global_temp", "")
        assert await ask("GetSchemas") == [temporary, ours, own]
        assert await ask("GetSchemas", schemaName="de%", catalogName="LAKE") == [ours]
        assert await ask("GetSchemas", schemaName="x%", catalogName="lake") == []
        assert await ask("GetSchemas", catalogName="spark_catalog") == [temporary, own]
        # What has no catalog is all that Spark has, as it says it.
        assert await ask("GetSchemas", catalogName="") == list(SPARKS["GetSchemas"].rows)

    browsing(lake, test)


def listed(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [row[1:4] for row in rows]


def test_tables_have_kinds_comments_and_an_order(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        assert [row[:5] for row in await ask("GetTables")] == [
            ("lake", "demo", "agg", "MATERIALIZED VIEW", "by region"),
            ("lake", "demo", "countries", "TABLE", ""),
            ("lake", "demo", "sales", "TABLE", "all of them"),
            ("spark_catalog", "default", "t1", "TABLE", "own"),
            ("", None, "mine", "VIEW", ""),
            ("lake", "demo", "plain", "VIEW", ""),
        ]
        ours = {"catalogName": "lake"}
        assert listed(await ask("GetTables", **ours, schemaName="demo", tableName=r"s\_les")) == []
        assert listed(await ask("GetTables", **ours, schemaName="demo", tableName="S_les")) == [
            ("demo", "sales", "TABLE")
        ]
        assert await ask("GetTables", **ours, schemaName="dem") == []
        everything = await ask("GetTables")
        for anything in ("%", "", None, "*", ".*"):  # the last is impyla's
            assert await ask("GetTables", schemaName=anything, tableName=anything) == everything
        assert await ask("GetTables", catalogName="") == list(SPARKS["GetTables"].rows)

    browsing(lake, test)


@pytest.mark.parametrize(
    ("types", "kinds"),
    [
        (["TABLE", "VIEW"], {"agg": "VIEW", "plain": "VIEW", "sales": "TABLE", "countries": "TABLE"}),
        (["VIEW"], {"agg": "VIEW", "plain": "VIEW"}),
        (["MATERIALIZED VIEW"], {"agg": "MATERIALIZED VIEW"}),
        (["MATERIALIZED_VIEW"], {"agg": "MATERIALIZED_VIEW"}),
        (["SYSTEM TABLE"], {"agg__storage": "SYSTEM TABLE", "left_over": "SYSTEM TABLE"}),
        (["LOCAL TEMPORARY"], {}),
    ],
)
def test_tables_are_what_a_tool_asks_for(lake: Lake, types: list[str], kinds: dict[str, str]) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        assert {row[2]: row[3] for row in await ask("GetTables", catalogName="lake", tableTypes=types)} == kinds

    browsing(lake, test)


def test_table_types_are_all_that_can_be_asked_for(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        assert await ask("GetTableTypes") == [("MATERIALIZED VIEW",), ("SYSTEM TABLE",), ("TABLE",), ("VIEW",)]

    browsing(lake, test)


def test_columns_are_described_as_spark_does(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        rows = await ask("GetColumns", tableName="sales")
        assert rows[-1][:4] == ("spark_catalog", "default", "t1", "x")
        assert {row[:3] for row in rows[:-1]} == {("lake", "demo", "sales")}
        assert [row[3:] for row in rows[:-1]] == [
            described("id", -5, "BIGINT", 8, None, 10, 0, "the order's number", 1),
            described("Country", 12, "STRING", None, None, None, 1, "", 2),
            described("price", 3, "DECIMAL(10,2)", 8, 2, 10, 1, "", 3),
            described("at", 93, "TIMESTAMP", 8, 6, None, 1, "", 4),
            described("place", 2002, "STRUCT<x: BIGINT NOT NULL, y: BIGINT>", 16, None, None, 1, "", 5),
            described("tags", 2003, "ARRAY<STRING>", None, None, None, 1, "", 6),
        ]
        ours = {"catalogName": "lake", "schemaName": "demo"}
        assert [row[3] for row in await ask("GetColumns", **ours, tableName="sales", columnName="COUN%")] == ["Country"]
        assert [row[3] for row in await ask("GetColumns", **ours, tableName="agg")] == ["region", "sum(amount)"]

    browsing(lake, test)


def described(
    name: str, code: int, kind: str, size: Any, digits: Any, radix: Any, nullable: int, remarks: str, position: int
) -> tuple[Any, ...]:
    known = (name, code, kind, size, None, digits, radix, nullable, remarks, None, None, None, None, position)
    return (*known, "YES" if nullable else "NO", None, None, None, None, "NO")


def test_columns_of_storage_are_for_those_who_name_it(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        exact = r"agg\_\_storage"
        assert [row[2] for row in await ask("GetColumns", catalogName="lake", tableName=exact)] == ["agg__storage"]
        tables = {row[2] for row in await ask("GetColumns", catalogName="lake", tableName="%")}
        assert tables == {"agg", "plain", "sales", "countries"}

    browsing(lake, test)


def test_keys_are_those_that_tables_declare(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        assert await ask("GetPrimaryKeys", schemaName="demo", tableName="SALES") == [
            ("lake", "demo", "sales", "id", 1, None)
        ]
        assert await ask("GetPrimaryKeys", tableName="s%") == []
        assert await ask("GetPrimaryKeys", catalogName="spark_catalog", tableName="sales") == []
        to_countries = ("lake", "demo", "countries", "id", "lake", "demo", "sales", "Country", 1, 3, 3, None, None, 7)
        first = ("lake", "other", "t", "a", "lake", "demo", "sales", "id", 1, 3, 3, None, None, 7)
        second = ("lake", "other", "t", "b", "lake", "demo", "sales", "at", 2, 3, 3, None, None, 7)
        assert await ask("GetCrossReference", foreignTableName="sales") == [to_countries, first, second]
        assert await ask("GetCrossReference", parentTableName="countries") == [to_countries]
        assert await ask("GetCrossReference", parentTableName="sales") == []

    browsing(lake, test)


def test_functions_are_asked_with_the_wildcard_that_spark_understands(lake: Lake) -> None:
    async def test(proxied: Proxied, ask: Ask) -> None:
        await ask("GetFunctions", functionName="abs%")
        (sent,) = proxied.spark.sent("GetFunctions")
        assert b"abs*" in sent

    browsing(lake, test)


@pytest.mark.parametrize("version", [0, 4, 5, 10])
def test_clients_of_every_version_get_the_same_rows(lake: Lake, version: int) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.listings |= SPARKS
        async with RawClient(proxied.port) as client:
            request = ttypes.TGetTablesReq(sessionHandle=await client.open_session(version))
            handle = (await client.ask("GetTables", request, ttypes.TExecuteStatementResp)).operationHandle
            assert len(decode_rows((await client.fetch(handle)).results)) == 6

    catalog = lake.catalogs()
    with_proxy(test, catalogs=catalog)
    catalog.close()


def test_an_error_of_spark_is_the_answer(lake: Lake) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.listings["GetTables"] = SqlError("the metastore is away", "08S01")
        async with RawClient(proxied.port) as client:
            request = ttypes.TGetTablesReq(sessionHandle=await client.open_session())
            response = await client.ask("GetTables", request, ttypes.TExecuteStatementResp)
            assert (response.status.statusCode, response.status.sqlState) == (3, "08S01")
            assert response.status.errorMessage == "the metastore is away"
            assert proxied.open_operations == 0

    catalog = lake.catalogs()
    with_proxy(test, catalogs=catalog)
    catalog.close()
