"""The journal as an Iceberg table: its rows, several writers of one table, and a catalog that is down."""

from __future__ import annotations

import logging
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from proxy.answering.system_tables import TABLES
from proxy.hs2 import SqlError
from proxy.journal import Cause, Journal, Record, Refresh
from proxy.journal.iceberg_table import SCHEMAS, IcebergTable
from rewriter.model import TableName
from tests.unit.catalog.lake import Lake
from tests.unit.journal.stubs import answered, refused

VIEW, NAME = TableName(("lake", "demo", "agg")), TableName(("lake", "ops", "statements"))


@pytest.fixture
def lake(tmp_path: Path) -> Any:
    made = Lake(tmp_path)
    yield made
    made.close()


def written(lake: Lake, table: str = "ops.statements") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = lake.iceberg.load_table(table).scan().to_arrow().to_pylist()
    return rows


def test_a_row_for_each_statement(lake: Lake) -> None:
    table = IcebergTable(Record, str(NAME), partial(lake.catalog().append, NAME))
    journal = Journal(writers=[table])
    answered(journal, "SELECT 'é'", VIEW)
    refused(journal, "SELEC", SqlError("syntax", "42601"))
    with journal.refreshing(VIEW, Cause.COMMIT):
        pass
    table.close()
    first, second = sorted(written(lake), key=lambda row: str(row["statement"]))
    assert (first["statement"], first["sqlstate"], first["considered"]) == ("SELEC", "42601", None)
    told = {
        "user": "ann",
        "statement": "SELECT 'é'",
        "rewritten": "SELECT 2",
        "chosen": "lake.demo.agg",
        "planned_ms": 250.0,
    }
    assert told.items() <= second.items()
    assert second["started"].tzinfo is not None
    assert table.lost == 0


def test_a_row_for_each_refresh_in_a_table_of_their_own(lake: Lake) -> None:
    name = TableName(("lake", "ops", "refreshes"))
    table = IcebergTable(Refresh, str(name), partial(lake.catalog().append, name))
    journal = Journal(writers=[table])
    answered(journal, "SELECT 1", VIEW)
    with journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        refresh.ways.append("append")
        refresh.rows = 12
    table.close()
    (row,) = written(lake, "ops.refreshes")
    told = {"view": "lake.demo.agg", "way": "append", "cause": "commit", "state": "FINISHED", "rows": 12, "error": None}
    assert told.items() <= row.items()
    assert row["ended"] >= row["started"]


@pytest.mark.parametrize(("kind", "system"), [(Record, "statements"), (Refresh, "refreshes")])
def test_it_has_the_columns_of_the_system_table(kind: type[Record], system: str) -> None:
    kinds = {
        "STRING": pa.string(),
        "TIMESTAMP": pa.timestamp("us", "UTC"),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
    }
    expected = {name: kinds[kind] for name, kind in TABLES[system].items() if name != "worker"}
    assert {field.name: field.type for field in SCHEMAS[kind]} == expected


def test_a_table_of_an_earlier_version_gets_the_new_columns(lake: Lake) -> None:
    row = dict.fromkeys(SCHEMAS[Record].names) | {"id": "1f2e"}
    lake.catalog().append(NAME, pa.Table.from_pylist([row], SCHEMAS[Record]).drop_columns(["trace_id"]))
    table = IcebergTable(Record, str(NAME), partial(lake.catalog().append, NAME))
    refused(Journal(writers=[table], traced=1.0), "SELECT 1")
    table.close()
    assert sorted(row["trace_id"] is None for row in written(lake)) == [False, True]


def test_workers_append_to_one_table(lake: Lake) -> None:
    tables = [IcebergTable(Record, str(NAME), partial(lake.catalog().append, NAME)) for _ in range(3)]
    for table in tables:
        refused(Journal(writers=[table]), "SELECT 1")
    ends = [threading.Thread(target=table.close) for table in tables]
    for end in ends:
        end.start()
    for end in ends:
        end.join()
    assert (len(written(lake)), [table.lost for table in tables]) == (3, [0, 0, 0])


def test_a_catalog_that_is_down_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    def down(_: pa.Table) -> None:
        raise RuntimeError("no catalog")

    table = IcebergTable(Record, str(NAME), down)
    record = refused(Journal(), "SELECT 1")
    table._write([record])
    table._write([record])
    table.close()
    said = [entry.getMessage() for entry in caplog.records if entry.levelno >= logging.ERROR]
    assert said == [
        (
            "journal cannot be written table=lake.ops.statements error=RuntimeError('no catalog'): statements are "
            "not affected, but records are lost until writing works again"
        )
    ]
    assert table.lost == 2
