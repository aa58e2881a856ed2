"""Looks up tables and views, with the locations of their metadata files, in an Iceberg catalog.

In a SQL database (SQLite, PostgreSQL), one SELECT returns the metadata locations of all names. pyiceberg does not
support views in a SQL catalog, so the catalog's table `iceberg_tables` is read directly.

In a REST catalog each name costs a call, so calls run in parallel. If the server sends an ETag for a table or view, the
next lookup sends the ETag, and the server answers without metadata if nothing has changed. pyiceberg itself does not
use ETags.

`hive` has the store for a Hive Metastore, whose client is imported only if the settings ask for it.

`open_store` creates a store from the settings; its errors name the setting to change.
"""

from __future__ import annotations

import gzip
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from json import JSONDecodeError
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

from cachetools import LRUCache
from pydantic import ValidationError
from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import Endpoints, IdentifierKind, RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NotInstalledError,
    OAuthError,
    UnauthorizedError,
)
from pyiceberg.typedef import Identifier
from pyiceberg.types import strtobool
from requests import RequestException, Response
from requests.adapters import DEFAULT_POOLSIZE, HTTPAdapter
from sqlalchemy import Engine, Row, TextClause, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from proxy.catalog.documents import Entry, decode, read
from rewriter.model import TableName


class CatalogError(Exception):
    """The error raised if the catalog cannot be used as configured; its message says which setting to change."""


class Unreachable(CatalogError):
    """The error raised if the catalog cannot be opened now, but possibly later with the same settings."""


class Store(Protocol):
    """The calls to an Iceberg catalog. The calls block, and several threads may call at the same time."""

    name: str
    lower_names: bool  # whether the catalog knows names in lower case only, and finds them in any case

    @property
    def poll_ms(self) -> int:
        """The time after which the definitions of views are read again, in milliseconds."""
        ...

    @property
    def iceberg(self) -> IcebergCatalog:
        """The catalog of pyiceberg, for all operations that pyiceberg supports."""
        ...

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the catalog entry of each name that exists; other names are left out."""
        ...

    def views(self) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all views, plain and materialized."""
        ...

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces of the catalog, nested ones included."""
        ...

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all tables and views whose names `wanted` accepts."""
        ...

    def close(self) -> None:
        """Close the connections to the catalog, and stop the threads."""
        ...


_COLUMNS = "table_namespace, table_name, iceberg_type, metadata_location"
_ALL = text(f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog")
_VIEWS = text(f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog AND iceberg_type = 'VIEW'")
# A namespace without properties is recorded only in its tables.
_NAMESPACES = text(
    "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = :catalog "
    "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = :catalog"
)


class SqlStore:
    """An Iceberg catalog in a SQL database, read from the rows of its table `iceberg_tables`."""

    poll_ms = 500
    lower_names = False

    def __init__(self, iceberg: SqlCatalog) -> None:
        self.name, self.iceberg = iceberg.name, iceberg
        self._engine = _reading(iceberg)

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the catalog entry of each name that exists, by a single SELECT; other names are left out."""
        wanted = {name for name in names if len(name.parts) > 2}
        if not wanted:
            return {}
        spaces = {".".join(name.namespace) for name in wanted}
        tables = {name.table for name in wanted}
        keys = {f"n{at}": space for at, space in enumerate(spaces)} | {f"t{at}": each for at, each in enumerate(tables)}
        found = self._entries(_lookup(len(spaces), len(tables)), keys)
        return {name: entry for name, entry in found.items() if name in wanted}

    def views(self) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all views, plain and materialized."""
        return self._entries(_VIEWS, {})

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces of the catalog, sorted."""
        with self._engine.connect() as connection:
            found = connection.execute(_NAMESPACES, {"catalog": self.iceberg.name}).scalars().all()
        return sorted(tuple(name.split(".")) for name in found)

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all tables and views whose names `wanted` accepts."""
        return {name: entry for name, entry in self._entries(_ALL, {}).items() if wanted(name)}

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()
        self.iceberg.close()

    def _entries(self, query: TextClause, keys: Mapping[str, str]) -> dict[TableName, Entry]:
        with self._engine.connect() as connection:
            rows = connection.execute(query, {"catalog": self.iceberg.name, **keys}).all()
        return dict(self._named(rows))

    def _named(self, rows: Iterable[Row[Any]]) -> Iterable[tuple[TableName, Entry]]:
        for row in rows:
            namespace, name, kind, location = tuple(row)
            found = Entry(
                kind="view" if kind == "VIEW" else "table",
                location=location,
                load=partial(read, location, self.iceberg.properties),
            )
            yield TableName((self.iceberg.name, *namespace.split("."), name)), found


def _reading(iceberg: SqlCatalog) -> Engine:
    """Return an engine for single SELECTs on a catalog's database, whose connections begin no transactions.

    With transactions, the drivers of most databases send BEGIN before a SELECT and ROLLBACK after it: three round trips
    instead of one. SQLite begins no transaction for a SELECT.
    """
    if iceberg.engine.dialect.name == "sqlite":
        return iceberg.engine
    ping = strtobool(iceberg.properties.get("pool_pre_ping", "false"))
    return create_engine(iceberg.engine.url, isolation_level="AUTOCOMMIT", pool_pre_ping=ping)


@lru_cache(256)  # to create the SELECT took a third of the time of a lookup
def _lookup(spaces: int, tables: int) -> TextClause:
    """Return the SELECT for this number of namespaces and of table names.

    The SELECT returns the tables with one of these names in any of these namespaces.
    """
    in_spaces = ", ".join(f":n{at}" for at in range(spaces))
    named = ", ".join(f":t{at}" for at in range(tables))
    return text(
        f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog AND table_namespace IN ({in_spaces}) "
        f"AND table_name IN ({named})"
    )


Kind = Literal["table", "view"]

_SAME = 304
_MISSING = 404
_AWAY = (502, 503, 504)  # a load balancer's replies for a server that is down
_CALLERS = 8  # the most threads that call a store at once: those of `reach`
_SILENCE_S = 60  # without a reply, after which a thread gives up a call
# A server that compresses replies compares the ETag with that of a compressed reply, which never matches.
_UNCOMPRESSED = {"Accept-Encoding": "identity"}
_ENDPOINTS: Mapping[Kind, tuple[str, IdentifierKind]] = {
    "table": (Endpoints.load_table, IdentifierKind.TABLE),
    "view": (Endpoints.load_view, IdentifierKind.VIEW),
}


class Loaded(NamedTuple):
    """The last reply of the REST catalog for a name: its ETag, the metadata location, and the gzipped body."""

    tag: str
    location: str
    body: bytes

    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = decode(self.body)["metadata"]
        return metadata


class RestStore:
    """An Iceberg catalog behind a REST server.

    Replies are parsed here, because pyiceberg drops those fields of a view's metadata that it does not know.
    """

    poll_ms = 10_000
    lower_names = False

    def __init__(self, iceberg: RestCatalog, parallel: int = 16, remembered: int = 1024) -> None:
        self.name, self.iceberg = iceberg.name, iceberg
        self._loaded: LRUCache[tuple[TableName, Kind], Loaded] = LRUCache(remembered)
        self._lock = threading.Lock()
        # The session is pyiceberg's own, with its login, and with its adapters: one of them signs requests to AWS. If
        # a pool is smaller than the number of calls at once, each further call opens a connection for itself alone.
        for adapter in iceberg._session.adapters.values():
            if isinstance(adapter, HTTPAdapter):
                adapter.init_poolmanager(DEFAULT_POOLSIZE, parallel + _CALLERS)
        # A commit has no time limit, because it may succeed after a time-out.
        iceberg._session.get = partial(iceberg._session.get, timeout=_SILENCE_S)  # type: ignore[method-assign]
        self._threads = ThreadPoolExecutor(parallel, "catalog-rest")

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the catalog entry of each name that exists, by parallel calls; other names are left out."""
        wanted = [name for name in names if len(name.parts) > 2]
        found = self._threads.map(self._find, wanted)
        return {name: entry for name, entry in zip(wanted, found, strict=True) if entry is not None}

    def views(self) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all views, plain and materialized."""
        names = [TableName((self.iceberg.name, *view)) for space in self._namespaces(()) for view in self._views(space)]
        found = self._threads.map(self._view, names)
        return {name: entry for name, entry in zip(names, found, strict=True) if entry is not None}

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces of the catalog, nested ones included, sorted."""
        return sorted(self._namespaces(()))

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all tables and views whose names `wanted` accepts."""
        found = self._threads.map(lambda space: (*self._tables(space), *self._views(space)), self.namespaces())
        names = {TableName((self.iceberg.name, *name)) for listed in found for name in listed}
        return self.look([name for name in sorted(names) if wanted(name)])

    def close(self) -> None:
        """Close the connections to the catalog, and stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.iceberg.close()

    def _find(self, name: TableName) -> Entry | None:
        return self._load(name, "table") or self._view(name)

    def _view(self, name: TableName) -> Entry | None:
        return self._load(name, "view")

    def _load(self, name: TableName, kind: Kind) -> Entry | None:
        endpoint, identifier = _ENDPOINTS[kind]
        path = self.iceberg._split_identifier_for_path(name.parts[1:], identifier)
        with self._lock:
            last = self._loaded.get((name, kind))
        headers = _UNCOMPRESSED | ({"If-None-Match": last.tag} if last else {})
        reply = self.iceberg._session.get(self.iceberg.url(endpoint, **path), headers=headers)
        if reply.status_code == _SAME and last:
            return Entry(kind, last.location, last.metadata)
        if reply.status_code == _MISSING:
            return None
        if reply.status_code in _AWAY:
            raise ConnectionError(
                f"the REST catalog {self.iceberg.name} answers with HTTP {reply.status_code}; see the catalog's log"
            )
        if not reply.ok:
            raise CatalogError(
                f"the REST catalog {self.iceberg.name} answers with HTTP {reply.status_code} for {name}; see the "
                "catalog's log"
            )
        loaded: dict[str, Any] = reply.json()
        self._remember(name, kind, loaded["metadata-location"], reply)
        return Entry(kind, loaded["metadata-location"], lambda: loaded["metadata"])

    def _remember(self, name: TableName, kind: Kind, location: str, reply: Response) -> None:
        """Cache a reply that has an ETag; without an ETag, the server cannot confirm later that the reply is still
        valid.
        """
        if tag := reply.headers.get("ETag"):
            with self._lock:
                self._loaded[name, kind] = Loaded(tag, location, gzip.compress(reply.content, 1))

    def _namespaces(self, parent: Identifier) -> Iterator[Identifier]:
        for namespace in self.iceberg.list_namespaces(parent):
            yield namespace
            yield from self._namespaces(namespace)

    def _tables(self, namespace: Identifier) -> list[Identifier]:
        try:
            return list(self.iceberg.list_tables(namespace))
        except NoSuchNamespaceError:  # dropped after it was listed
            return []

    def _views(self, namespace: Identifier) -> list[Identifier]:
        try:
            return list(self.iceberg.list_views(namespace))
        except NoSuchNamespaceError:  # dropped after it was listed
            return []


_EXAMPLES = {
    "sql": "postgresql+psycopg2://user:password@db.example.org/iceberg",
    "rest": "https://catalog.example.org",
    "hive": "thrift://metastore.example.org:9083",
}
_POSTGRES = (
    "PostgreSQL needs its driver: run pip install '.[postgres]' in Viewgate's sources, and give "
    "a uri that begins with postgresql+psycopg2://"
)


def check_properties(name: str, properties: Mapping[str, str]) -> None:
    """Raise CatalogError, which names the setting to change, if a catalog cannot have these pyiceberg properties."""
    kind, uri = properties.get("type", "").lower(), properties.get("uri", "")
    if kind not in _EXAMPLES:
        raise CatalogError(
            f"catalog {name}: type is {repr(kind) if kind else 'missing'}: it must be sql, rest or hive, because "
            "Viewgate reads views only from these catalogs"
        )
    if not uri:
        raise CatalogError(f'catalog {name}: uri is missing: set it, for example uri = "{_EXAMPLES[kind]}"')
    if kind == "sql":
        _check_database(name, uri)


def open_store(name: str, properties: Mapping[str, str]) -> Store:
    """Return the store for a catalog by its `type` (sql, rest or hive); `properties` are its pyiceberg properties.

    Raise CatalogError, which names the setting to change, if the catalog cannot be opened; raise Unreachable if a
    later attempt with the same settings may succeed.
    """
    check_properties(name, properties)
    uri = properties["uri"]
    try:
        iceberg = load_catalog(
            name, **{**_DEFAULTS.get(properties["type"].lower(), {}), **properties, "uri": _ending(uri)}
        )
    except NotInstalledError as failure:
        raise CatalogError(f"catalog {name}: {_POSTGRES if 'postgres' in uri else failure}") from failure
    except Exception as failure:  # drivers, files and networks each have errors of their own
        kind = CatalogError if _is_permanent(failure) else Unreachable
        raise kind(
            f"catalog {name}: {_shown(uri)} cannot be opened: {_reply_or_reason(failure)}; check "
            f"{'uri, warehouse' if 'warehouse' in properties else 'uri'} and the login in [catalog]"
        ) from failure
    return _store(iceberg)


# pyiceberg's error for a reply that is not in JSON, or is none of the replies that the REST specification has.
_NO_ICEBERG_ERROR = re.compile(r"RESTError (\d+): Received unexpected JSON Payload: (.*), errors: ", re.DOTALL)
_SHOWN_OF_REPLY = 100


def _reply_or_reason(failure: Exception) -> str:
    """Return the reason why a catalog cannot be opened: a REST server's reply if no Iceberg catalog would send it."""
    if (reply := _NO_ICEBERG_ERROR.match(str(failure))) is not None:
        return f"the reply is HTTP {reply[1]}, {' '.join(reply[2].split())[:_SHOWN_OF_REPLY]!r}"
    if isinstance(failure, ValidationError):
        return "the reply is not that of an Iceberg REST catalog"
    return reason(failure)


# Without this property, pyiceberg writes the type `timestamp with local time zone`, which a metastore of Hive 2
# refuses. Iceberg in Spark, which has a client of Hive 2, writes `timestamp` to a metastore of any version.
_DEFAULTS: Mapping[str, Mapping[str, str]] = {"hive": {"hive.hive2-compatible": "true"}}

# For psycopg2: how long a connection to a server that no longer answers lasts. Without a limit, such connections, one
# more with each probe during an outage, would take all places in the pool, also after the server is back.
_LIMITS = {"connect_timeout": "60", "keepalives_idle": "60", "tcp_user_timeout": "60000"}


def _ending(uri: str) -> str:
    """Return the URI of a PostgreSQL database with limits after which dead connections end; other URIs unchanged.

    Limits in the URI are kept.

    >>> _ending("postgresql+psycopg2://ann:pw@db/x?connect_timeout=5&keepalives_idle=9")
    'postgresql+psycopg2://ann:pw@db/x?connect_timeout=5&keepalives_idle=9&tcp_user_timeout=60000'
    >>> _ending("sqlite:////data/catalog.db")
    'sqlite:////data/catalog.db'
    """
    if not uri.startswith("postgresql"):
        return uri
    url = make_url(uri)
    if url.get_driver_name() != "psycopg2":
        return uri
    return url.update_query_dict({**_LIMITS, **url.query}).render_as_string(hide_password=False)


# PostgreSQL's replies to a login; psycopg2 has no SQLSTATE for them.
_REFUSED = re.compile(r'password authentication failed|no password supplied|(role|database) ".*" does not exist')


def _is_permanent(failure: Exception) -> bool:
    """Return whether a catalog that failed to open with this error fails until its settings are changed.

    >>> _is_permanent(ImportError("No module named 'psycopg2'")), _is_permanent(ConnectionRefusedError())
    (True, False)
    """
    if isinstance(failure, DBAPIError):
        return _REFUSED.search(str(failure.orig)) is not None
    refused = (ForbiddenError, OAuthError, UnauthorizedError)
    # A server's reply that is no JSON is a ValueError, too: a gateway's error page, for example.
    invalid = isinstance(failure, ArgumentError | ValueError) and not isinstance(failure, JSONDecodeError)
    return invalid or isinstance(failure, (ImportError, *refused))


def _store(iceberg: IcebergCatalog) -> Store:
    if isinstance(iceberg, SqlCatalog):
        return SqlStore(iceberg)
    if isinstance(iceberg, RestCatalog):
        return RestStore(iceberg)
    from proxy.catalog.hive import hive_store

    return hive_store(iceberg, _SILENCE_S)


def _check_database(name: str, uri: str) -> None:
    """Raise CatalogError for an invalid `uri`, or for a SQLite file that does not exist or cannot be used.

    Without this check, SQLite would create an empty database.
    """
    try:
        url = make_url(uri)
    except (ArgumentError, ValueError) as error:  # ValueError: the port is not a number
        raise CatalogError(
            f"catalog {name}: uri is {_shown(uri)!r}: it must be a database URL such as {_EXAMPLES['sql']}"
        ) from error
    memory = not url.database or url.database == ":memory:" or "uri" in url.query
    if url.get_backend_name() != "sqlite" or memory:
        return
    file = url.database or ""
    if not os.path.isfile(file):  # Path.is_file raises PermissionError if its directory must not be read
        raise CatalogError(
            f"catalog {name}: uri is {uri!r}, and there is no file {file} that Viewgate's user can see: give the path "
            "of the file that Spark's catalog uses, with four slashes if it is absolute (sqlite:////data/catalog.db)"
        )
    if not os.access(file, os.R_OK):
        raise CatalogError(
            f"catalog {name}: Viewgate's user may not read the file {file}: change the permissions of the "
            "file, or the user"
        )


_PASSWORD = re.compile(r"^((?:[^/@:]*://)?[^:@]*):.*@", re.DOTALL)
_QUESTION = re.compile(r"\?.*", re.DOTALL)


def _shown(uri: str) -> str:
    """Return a URI without its password and without its query parameters, which can be tokens; the URI need not be
    valid.

    >>> _shown("postgresql://ann:secret@db/x"), _shown("ann:secret@db"), _shown("https://db:x/?token=abc")
    ('postgresql://ann:***@db/x', 'ann:***@db', 'https://db:x/?***')
    """
    return _QUESTION.sub("?***", _PASSWORD.sub(r"\1:***@", uri))  # a password can have a ? as well


def reason(failure: BaseException) -> str:
    """Return an error's message on one line.

    For a SQLAlchemy error, return the database driver's own message; for an error of the HTTP client, the innermost
    cause and the server's address.
    """
    if isinstance(failure, RequestException) and failure.request is not None:
        server = urlsplit(str(failure.request.url)).netloc.rpartition("@")[2]
        return f"{_innermost(failure)} ({server})"
    return _on_one_line(failure.orig if isinstance(failure, DBAPIError) else failure)


def _innermost(failure: BaseException) -> str:
    """Return the message of an HTTP client's innermost cause: of urllib3's error, or of the network's."""
    while (cause := _cause(failure)) is not None:
        failure = cause
    return getattr(failure, "strerror", None) or _on_one_line(failure)


def _cause(failure: BaseException) -> BaseException | None:
    """Return the error that a library has wrapped in another one; requests and urllib3 do this in three ways."""
    wrapped = (failure.__cause__, getattr(failure, "reason", None), *failure.args)
    return next((each for each in wrapped if isinstance(each, BaseException)), None)


def _on_one_line(failure: BaseException | None) -> str:
    """Return an error's message on one line, without the indented lines, on which PostgreSQL's driver asks back."""
    lines = (line for line in str(failure).splitlines() if not line.startswith("\t"))
    return " ".join(" ".join(lines).split()) or type(failure).__name__
