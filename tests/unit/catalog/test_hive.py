"""Names in a Hive Metastore: which of its tables are Iceberg's, and with how many calls they are found."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from hive_metastore.ttypes import MetaException, NoSuchObjectException
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.exceptions import NoSuchTableError
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TTransportException

from proxy.catalog.hive import MetastoreError
from proxy.catalog.stores import Store, open_store
from rewriter.model import TableName


class Metastore:
    """A client of a metastore with one database; it is used by one thread at a time, and remembers its calls."""

    def __init__(self, calls: list[tuple[str, ...]]) -> None:
        self.calls = calls

    def _init_thrift_transport(self) -> Any:
        return SimpleNamespace(socket=TSocket(), open=lambda: None, close=lambda: None)

    def _client(self) -> Metastore:
        return self

    def get_table(self, dbname: str, tbl_name: str) -> Any:
        raise NoSuchObjectException(f"{dbname}.{tbl_name}") if tbl_name == "gone" else MetaException("no database")

    def get_all_databases(self) -> list[str]:
        return ["shop", "default"]

    def get_all_tables(self, database: str) -> list[str]:
        return ["sales", "daily", "text"] if database == "shop" else []

    def get_tables_by_type(self, database: str, _pattern: str, kind: str) -> list[str]:
        assert kind == "VIRTUAL_VIEW"
        return ["daily", "of_hive"] if database == "shop" else []

    def get_table_objects_by_name(self, database: str, names: list[str]) -> list[Any]:
        self.calls.append((database, *names))
        if database != "shop":
            raise TApplicationException(TApplicationException.MISSING_RESULT, "unknown result")
        tables: dict[str, dict[str, str] | None] = {
            "sales": {"table_type": "ICEBERG", "metadata_location": "file:/s1"},
            "daily": {"table_type": "ICEBERG-VIEW", "metadata_location": "file:/d1"},
            "text": {"EXTERNAL": "TRUE"},
            "of_hive": None,
        }
        return [SimpleNamespace(tableName=name, parameters=tables[name]) for name in names if name in tables]


@pytest.fixture
def calls() -> list[tuple[str, ...]]:
    return []


@pytest.fixture
def store(calls: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(HiveCatalog, "_create_hive_client", staticmethod(lambda _properties: Metastore(calls)))
    return open_store("lake", {"type": "hive", "uri": "thrift://127.0.0.1:1"})


def name(*parts: str) -> TableName:
    return TableName(("lake", *parts))


def test_one_call_for_each_database_finds_all_names(store: Store, calls: list[tuple[str, ...]]) -> None:
    found = store.look([name("shop", "sales"), name("Shop", "Daily"), name("shop", "text"), name("away", "sales")])
    assert {each: (entry.kind, entry.location) for each, entry in found.items()} == {
        name("shop", "sales"): ("table", "file:/s1"),
        name("Shop", "Daily"): ("view", "file:/d1"),
    }
    assert calls == [("shop", "daily", "sales", "text"), ("away", "sales")]
    assert store.look([name("shop", "inner", "sales"), TableName(("sales",))]) == {}


def test_only_tables_and_views_of_iceberg_are_listed(store: Store) -> None:
    assert [*store.views()] == [name("shop", "daily")]
    assert [*store.relations(lambda each: each.table != "sales")] == [name("shop", "daily")]
    assert store.namespaces() == [("default",), ("shop",)]


def test_a_failed_call_is_not_taken_for_a_missing_database(store: Store) -> None:
    with pytest.raises(TApplicationException):
        store.look([name("default", "sales")])


def test_the_message_of_a_metastore_outlives_contextlib(store: Store) -> None:
    @contextmanager
    def block() -> Iterator[None]:
        yield

    said = "the Hive Metastore of the catalog lake answered MetaException: no database"
    with pytest.raises(MetastoreError, match=said), block():
        store.iceberg.load_table("shop.sales")
    with pytest.raises(NoSuchTableError):
        store.iceberg.load_table("shop.gone")


def test_columns_have_types_that_every_metastore_has_unless_the_settings_ask_for_others(
    store: Store,
) -> None:
    assert store.iceberg.properties["hive.hive2-compatible"] == "true"
    others = {"hive.hive2-compatible": "false"}
    store = open_store("lake", {"type": "Hive", "uri": "thrift://127.0.0.1:1", **others})
    assert others.items() <= store.iceberg.properties.items()


def test_each_thread_has_a_client_of_its_own(store: Store) -> None:
    both = Barrier(2)

    def client(_at: int) -> int:
        with store.iceberg._client as found:  # type: ignore[attr-defined]
            both.wait(10)
            return id(found.get_all_databases.__self__)

    with ThreadPoolExecutor(2) as threads:
        assert len({*threads.map(client, range(2))}) == 2


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Store]]:
    """Return a function that opens the store of a metastore that accepts connections and never answers."""
    monkeypatch.setattr("proxy.catalog.stores._SILENCE_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        uri = f"thrift://127.0.0.1:{server.getsockname()[1]}"
        yield lambda **properties: open_store("lake", {"type": "hive", "uri": uri, **properties})


def test_a_thread_does_not_wait_for_ever_for_a_metastore_that_is_silent(silent: Callable[..., Store]) -> None:
    store, as_ann = silent(), silent(ugi="ann:dev")
    for ask in (
        store.namespaces,
        store.views,
        lambda: store.look([name("shop", "sales")]),
        lambda: store.relations(lambda _name: True),
        lambda: store.iceberg.load_table(("shop", "sales")),
        as_ann.namespaces,  # its connections begin with the call set_ugi
    ):
        with pytest.raises(TimeoutError, match=r"the Hive Metastore of the catalog lake gave no answer within 0\.05 s"):
            ask()


def test_a_commit_has_no_time_limit(silent: Callable[..., Store]) -> None:
    with silent().iceberg._client as client, ThreadPoolExecutor(1) as thread:  # type: ignore[attr-defined]
        commit = thread.submit(client.unlock, None)
        with pytest.raises(TimeoutError):
            commit.result(0.2)
        client._socket.handle.shutdown(socket.SHUT_RDWR)
        with pytest.raises(TTransportException) as failure:
            commit.result(5)
    assert failure.value.type == TTransportException.END_OF_FILE
