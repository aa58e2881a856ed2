"""Looks up tables and views in a Hive Metastore.

Iceberg tables and views are entries in the metastore's list of tables: the parameter `table_type` of an entry tells
Iceberg tables and views from other tables, and `metadata_location` is the path of the metadata file. One call for each
database returns the entries of all names. pyiceberg does not support views in a Hive Metastore, so this module reads
the entries itself, by the Thrift client of pyiceberg.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from hive_metastore import ttypes
from pyiceberg.catalog import METADATA_LOCATION, TABLE_TYPE
from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.catalog.hive import HiveCatalog
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TTransportException

from proxy.catalog.documents import Entry, read
from rewriter.model import TableName

_HIVE_KINDS: Mapping[str, Literal["table", "view"]] = {"iceberg": "table", "iceberg-view": "view"}

# The errors that a metastore may answer, without the two that pyiceberg handles: AlreadyExists and NoSuchObject.
_ANSWERS = (
    ttypes.InvalidObjectException,
    ttypes.InvalidOperationException,
    ttypes.MetaException,
    ttypes.NoSuchLockException,
    ttypes.NoSuchTxnException,
    ttypes.TxnAbortedException,
)


class MetastoreError(Exception):
    """An error that a Hive Metastore has answered, with the metastore's message.

    Thrift's own exceptions are immutable: contextlib, which sets the traceback of an exception, would replace them by a
    TypeError without the message.
    """


class _Calls:
    """The calls over one connection to a metastore.

    A read (a call whose name starts with `get_`) fails after `silence` seconds without a reply. A commit has no time
    limit: after a time-out, it would be unknown whether the commit has succeeded.
    """

    def __init__(self, client: Any, socket: TSocket, silence: float) -> None:
        self._client = client
        self._socket = socket
        self._silence = silence

    def __getattr__(self, call: str) -> Any:
        self._socket.setTimeout(1000 * self._silence if call.startswith("get_") else None)
        return getattr(self._client, call)


class _HiveClients(threading.local):
    """A context manager that connects to the metastore; each thread has its own pyiceberg client.

    Threads cannot share a client, because a client has one connection at a time. A read fails after `silence` seconds
    without a reply.
    """

    def __init__(self, iceberg: HiveCatalog, silence: float) -> None:
        self._silence = silence
        self._name = iceberg.name
        self._client = iceberg._create_hive_client(dict(iceberg.properties))

    def __enter__(self) -> _Calls:
        transport = self._client._transport = self._client._init_thrift_transport()
        # pyiceberg wraps the socket into a transport with a buffer or with SASL.
        socket = next(wrapped for wrapped in vars(transport).values() if isinstance(wrapped, TSocket))
        socket.setTimeout(1000 * self._silence)
        try:
            transport.open()  # with SASL, the login is read
            return _Calls(self._client._client(), socket, self._silence)  # may call set_ugi
        except BaseException as failure:
            self.__exit__(None, failure, None)
            raise

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._client._transport.close()
        if isinstance(error, TTransportException) and error.type == TTransportException.TIMED_OUT:
            raise TimeoutError(
                f"the Hive Metastore of the catalog {self._name} gave no answer within {self._silence:g} s; see the "
                "metastore's log"
            ) from error
        if isinstance(error, _ANSWERS):
            raise MetastoreError(
                f"the Hive Metastore of the catalog {self._name} answered {type(error).__name__}: {error.message}"
            ) from error


class HiveStore:
    """An Iceberg catalog in a Hive Metastore, read from the parameters of the metastore's tables.

    The metastore stores names in lower case; names are looked up ignoring case. A read fails after `silence`
    seconds without a reply.
    """

    poll_ms = 10_000
    lower_names = True

    def __init__(self, iceberg: HiveCatalog, silence: float) -> None:
        self.name, self.iceberg = iceberg.name, iceberg
        self._clients = _HiveClients(iceberg, silence)
        iceberg._client = self._clients  # type: ignore[assignment]  # used by its calls as a context only

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the catalog entry of each name that exists, by one call for each database."""
        keys = {name: (name.parts[1].lower(), name.table.lower()) for name in names if len(name.parts) == 3}
        wanted: dict[str, set[str]] = {}
        for database, table in keys.values():
            wanted.setdefault(database, set()).add(table)
        with self._clients as client:
            found = {
                (database, table): entry
                for database, tables in wanted.items()
                for table, entry in self._entries(client, database, sorted(tables))
            }
        return {name: found[key] for name, key in keys.items() if key in found}

    def views(self) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all views, plain and materialized."""
        with self._clients as client:
            return dict(self._all(client, lambda database: client.get_tables_by_type(database, "*", "VIRTUAL_VIEW")))

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return the databases of the metastore, sorted."""
        with self._clients as client:
            return sorted((database,) for database in client.get_all_databases())

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all tables and views whose names `wanted` accepts."""
        with self._clients as client:
            found = self._all(client, client.get_all_tables)
            return {name: entry for name, entry in found if wanted(name)}

    def close(self) -> None:
        """Do nothing: each call has closed its connection."""

    def _all(self, client: Any, tables: Callable[[str], list[str]]) -> Iterator[tuple[TableName, Entry]]:
        for database in client.get_all_databases():
            for table, entry in self._entries(client, database, tables(database)):
                yield TableName((self.iceberg.name, database, table)), entry

    def _entries(self, client: Any, database: str, tables: Sequence[str]) -> Iterator[tuple[str, Entry]]:
        """Yield the entry of each Iceberg table or view among `tables` (names in a database), with its name.

        Yield nothing if the database does not exist.
        """
        try:
            rows = client.get_table_objects_by_name(database, list(tables)) if tables else []
        except TApplicationException:  # the client's version of the protocol has no name for the error of Hive 2 and 3
            if database in client.get_all_databases():
                raise
            return
        for row in rows:
            parameters: Mapping[str, str] = row.parameters or {}
            kind = _HIVE_KINDS.get(parameters.get(TABLE_TYPE, "").lower())
            location = parameters.get(METADATA_LOCATION)
            if kind is not None and location is not None:
                yield row.tableName, Entry(kind, location, partial(read, location, self.iceberg.properties))


def hive_store(iceberg: IcebergCatalog, silence: float) -> HiveStore:
    """Return the store for `iceberg`, pyiceberg's catalog of a Hive Metastore.

    A read from the metastore fails after `silence` seconds without a reply.
    """
    assert isinstance(iceberg, HiveCatalog)
    return HiveStore(iceberg, silence)
