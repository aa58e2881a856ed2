"""Common functions of the metadata calls: get Viewgate's and Spark's rows, merge them, and return a finished operation.

Spark lists one catalog, `spark_catalog`, and leaves the catalog's name empty in the rows; Viewgate adds its Iceberg
catalogs. A call that names a catalog is answered from that catalog. In JDBC, an empty catalog name means objects
without a catalog. Spark regards all its objects as objects without a catalog, so a call with an empty name is relayed
to Spark.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from proxy.catalog import Catalog, Catalogs, Listed
from proxy.hs2 import ResultSet, SqlError, decode_rows, success
from proxy.hs2.generated import ttypes
from proxy.hs2.patterns import matcher
from proxy.service.call import Call
from proxy.service.operations.local import LocalOperation
from proxy.service.operations.remote import RemoteOperation
from proxy.service.operations.run import Execution
from proxy.session import REQUEST_HANDLE, Forward, Lease, LiveUpstream, Local, Log, OperationState, with_handle
from proxy.upstream import Announced, UpstreamOperation, started
from proxy.wire import WireError
from rewriter.model import TableName

Row = tuple[Any, ...]

SPARK_CATALOG = "spark_catalog"
_GLOBAL_TEMPORARY = "global_temp"


@dataclass(frozen=True, slots=True)
class Sides:
    """The catalogs that a metadata call covers.

    `ours` are those of Viewgate's catalogs that the call covers; `sparks` says whether the call covers Spark's catalog.
    """

    all: Catalogs
    ours: Sequence[Catalog]
    sparks: bool

    async def inventory(self, wanted: Callable[[TableName], bool]) -> list[Listed]:
        """Return the tables and views of Viewgate's catalogs whose names `wanted` accepts, ordered by name."""
        return await self.all.inventory(wanted, self.ours)


def sides(call: Call, catalog: str | None) -> Sides:
    """Return the catalogs whose names match the catalog pattern of a call; None as pattern matches all catalogs."""
    fits = matcher(catalog)
    ours = call.service.catalogs or Catalogs(())
    return Sides(ours, [each for each in ours if fits(each.name)], fits(SPARK_CATALOG))


def known_to_spark_alone(call: Call, catalog: str | None) -> bool:
    """Return whether a metadata call must be relayed to Spark; `catalog` is the catalog name in the call.

    A call must be relayed if Viewgate has no catalog, or if the catalog name in the call is an empty text. A call
    without a catalog name (None) concerns all catalogs.
    """
    return call.service.catalogs is None or catalog == ""


def names(schema: str | None, table: str | None) -> Callable[[TableName], bool]:
    """Return a function that tests whether a table's name matches the patterns `schema` and `table` of a call.

    A pattern that is None or empty matches every name.
    """
    fits_schema, fits_table = matcher(schema), matcher(table)
    return lambda name: fits_table(name.table) and fits_schema(schema_of(name))


def schema_of(name: TableName) -> str:
    """Return the namespace of a table as one text, with dots between its levels."""
    return ".".join(name.namespace)


async def relay_metadata(call: Call, message: bytes | None = None) -> bytes:
    """Relay a metadata call to Spark; return Spark's reply with the handle of a new operation of Viewgate.

    If `message` is given, `message` is sent in place of the client's message. If Spark reports an error, return Spark's
    reply unchanged.
    """
    session = call.session()
    with Lease(session) as lease:
        upstream = await lease.hold()
        reply = await _asked(call, upstream, with_handle(message or call.message, REQUEST_HANDLE, upstream.handle))
        announced = Announced.of(reply)
        if announced is None:
            return reply
        operation = RemoteOperation(Execution(session, lease.handed_over(), Forward(), kind=announced.kind))
    operation.runs_as(announced)
    operation.advance(OperationState.FINISHED)
    await call.service.add_operation(operation)
    return announced.under(operation.handle)


async def answer(call: Call, kind: int, header: ResultSet, rows: Callable[[], Awaitable[Iterable[Row]]]) -> bytes:
    """Return the reply to a metadata call: the handle of a finished operation whose result has the rows of `rows`.

    `rows` computes the rows, `header` gives the columns, and `kind` is Thrift's type of the operation. Raise SqlError
    if `rows` fails or is cancelled.
    """
    session = call.session()

    async def run(_log: Log) -> ResultSet:
        return ResultSet(header.columns, tuple(await rows()))

    operation = LocalOperation(session, Local(run), kind=kind)
    await call.service.add_operation(operation)
    await call.service.wait(operation)
    if operation.state is not OperationState.FINISHED:
        await call.service.close_operation(operation)
        raise operation.error or SqlError(f"{call.head.name} was cancelled: repeat the call", "HY008")
    return call.reply(ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle()))


async def spark_rows(call: Call) -> list[Row]:
    """Relay a metadata call to Spark and return all rows of the result; raise SqlError if Spark refuses the call."""
    with Lease(call.session()) as lease:
        upstream = await lease.hold()
        reply = await _asked(call, upstream, call.addressed_to(upstream.handle))
        announced = started(reply)
        remote = UpstreamOperation(upstream, announced.handle, announced.kind)
        rows: list[Row] = []
        try:
            while block := decode_rows(await remote.fetch()):
                rows += block
        finally:
            await remote.close()
        return rows


async def _asked(call: Call, upstream: LiveUpstream, message: bytes) -> bytes:
    """Send a message to Spark and return the reply.

    If the client leaves before the reply arrives, close the operation that Spark has started.
    """

    def late(reply: bytes | None) -> None:
        if reply is not None:
            call.service.spawn(_close(upstream, reply))

    return await upstream.call_or_late(message, late)


async def _close(upstream: LiveUpstream, reply: bytes) -> None:
    """Close the operation whose handle is in a reply of Spark; do nothing if the reply has no handle."""
    with contextlib.suppress(SqlError, WireError):
        announced = started(reply)
        await UpstreamOperation(upstream, announced.handle, announced.kind).close()


def named(row: Row, catalog_at: int, schema_at: int) -> Row:
    """Return a row of Spark's result with `spark_catalog` filled in as the name of the catalog.

    With the positions 0 and 1, `("", "demo", "t")` gives `("spark_catalog", "demo", "t")`. `catalog_at` and `schema_at`
    are the positions of the two names in the row. The row of a temporary view, local or global, is returned unchanged,
    because a temporary view belongs to no catalog.
    """
    if row[schema_at] in (None, "", _GLOBAL_TEMPORARY):
        return row
    return (*row[:catalog_at], SPARK_CATALOG, *row[catalog_at + 1 :])


async def merged(
    ours: Callable[[], list[Row]], sparks: Iterable[Row], order: Sequence[int], identity: int
) -> list[Row]:
    """Return Viewgate's and Spark's rows together, sorted by the columns at the positions in `order`.

    `ours` computes Viewgate's rows, and `sparks` are Spark's rows. If rows agree in their first `identity` columns,
    only Viewgate's row is kept. The work is done in a thread, because there may be a hundred thousand rows.
    """

    def make() -> list[Row]:
        rows, theirs = ours(), list(sparks)
        if not theirs:
            return sorted(rows, key=itemgetter(*order))
        seen = {row[:identity] for row in rows}
        rows += [row for row in theirs if row[:identity] not in seen]
        return sorted(rows, key=lambda row: tuple("" if row[at] is None else row[at] for at in order))

    return await asyncio.to_thread(make)
