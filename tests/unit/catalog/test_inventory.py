"""What is listed of a catalog on SQLite, and what is cached of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from proxy.catalog import Kind, Listed
from proxy.catalog.documents import read
from proxy.catalog.refresh_state import STORAGE_OF
from rewriter.model import TableName
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, STORAGE, Lake, view_document


def everything(name: TableName) -> bool:
    return True


def test_kinds_and_storage_whoever_made_it(lake: Lake) -> None:
    left_over = TableName(("lake", "demo", "left_over"))
    lake.iceberg.create_table("demo.sales", ROWS.schema)
    lake.iceberg.create_table("demo.agg__storage", ROWS.schema)
    lake.iceberg.create_table("demo.left_over", ROWS.schema, properties={STORAGE_OF: "demo.gone"})
    lake.put_view(AGG, view_document(**MATERIALIZED))
    kinds = {one.name: one.kind for one in asyncio.run(lake.catalogs().inventory(everything))}
    assert kinds == {
        SALES: Kind.TABLE,
        STORAGE: Kind.STORAGE,
        left_over: Kind.STORAGE,
        AGG: Kind.MATERIALIZED_VIEW,
    }


def test_namespaces_are_those_with_properties_and_those_with_tables(lake: Lake) -> None:
    lake.put_view(TableName(("lake", "by", "view", "alone")), view_document())
    assert asyncio.run(lake.catalog().namespaces()) == [("by", "view"), ("demo",)]


def test_metadata_is_read_once_for_each_location(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(location: str, properties: dict[str, str]) -> object:
        reads.append(Path(location).name)
        return read(location, properties)

    monkeypatch.setattr("proxy.catalog.stores.read", counted)
    table = lake.iceberg.create_table("demo.sales", ROWS.schema)
    lake.iceberg.create_table("demo.other", ROWS.schema)
    catalog = lake.catalogs()

    def listed() -> list[Listed]:
        return asyncio.run(catalog.inventory(lambda name: name == SALES))

    listed()
    first = len(reads)
    listed()
    assert len(reads) == first == 1
    table.append(ROWS)
    asyncio.run(catalog.inventory(everything))
    asyncio.run(catalog.inventory(everything))
    assert len(reads) == 3


def test_what_was_dropped_is_gone_and_what_is_broken_hides_nothing(lake: Lake) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema)
    lake.put_view(TableName(("lake", "demo", "broken")), b"no json")
    lake.put_view(AGG, view_document())
    catalog = lake.catalogs()
    assert [one.name for one in asyncio.run(catalog.inventory(everything))] == [AGG, SALES]
    lake.drop_view(AGG)
    assert [one.name for one in asyncio.run(catalog.inventory(everything))] == [SALES]
