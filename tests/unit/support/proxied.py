"""A proxy before a fake Spark, and its clients: PyHive's generated client, and one that sends raw bytes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import uvloop

from proxy.catalog import Catalogs
from proxy.hs2 import encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.server import Entrance, Limits, Server
from proxy.service import Service
from proxy.service.call import Budget
from proxy.session import ClientSession, Forward, Plan
from proxy.statements import classify
from proxy.upstream import Terms, Timeouts, Upstream, Upstreams
from proxy.wire import Authenticated, FrameReader, SaslClient, Transport, frame
from tests.unit.support.fake_spark import FakeSpark

R = TypeVar("R")
QUICK = Timeouts(connect=2, handshake=0.3, open=2, close=2)


@dataclass
class Planned:
    """Answers with the plan that a test has set for a text, else forwards; `ended` collects the outcomes."""

    plans: dict[str, Plan] = field(default_factory=dict)
    ended: list[bool] = field(default_factory=list)
    sessions: list[ClientSession] = field(default_factory=list)
    movings: list[ClientSession] = field(default_factory=list)

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        self.sessions.append(session)
        return self.plans.get(sql) or Forward(ended=self.ended.append, replay=classify(sql).effect.replay)

    def moved(self, session: ClientSession) -> None:
        self.movings.append(session)


@dataclass
class Proxied:
    """Everything that a test examines."""

    spark: FakeSpark
    server: Server
    port: int
    planned: Planned
    sparks: tuple[FakeSpark, ...] = ()  # all of them

    @property
    def open_operations(self) -> int:
        return sum(len(session.operations) for session in self.server.service.sessions.all)


@contextlib.asynccontextmanager
async def proxied(
    limits: Limits | None = None,
    planned: Planned | None = None,
    catalogs: Catalogs | None = None,
    terms: Sequence[Terms] = (Terms(),),
    timeouts: Timeouts = QUICK,
    ports: Mapping[Transport, int] | None = None,
    **entrance: Any,
) -> AsyncIterator[Proxied]:
    """Yield a running proxy before one fake Spark for each of the terms; at its end no sessions are left on them."""
    planned = planned or Planned()
    async with contextlib.AsyncExitStack() as running:
        sparks = [await running.enter_async_context(FakeSpark()) for _ in terms]
        where = [Upstream("127.0.0.1", spark.port, terms=own) for spark, own in zip(sparks, terms, strict=True)]
        upstreams = Upstreams(where, timeouts)
        service = Service(upstreams, planned, lambda user, configuration: (user, configuration), catalogs=catalogs)
        server = Server(Entrance(service, limits=limits or Limits(grace=0.2), **entrance), port=0, ports=ports)
        port = await server.start()
        try:
            yield Proxied(sparks[0], server, port, planned, tuple(sparks))
        finally:
            await server.stop()
        await until(lambda: not any(spark.connections for spark in sparks if spark.tidy))
        assert not any(spark.sessions for spark in sparks)
        assert service.sessions.all == []
        assert upstreams.waiting == 0
        assert service.prefetch.left == Budget().left
        counts = [(p.sessions, p.opening, p.statements.taken, p.questions.taken) for p in upstreams.places]
        assert counts == [(0, 0, 0, 0)] * len(sparks)


def with_proxy(test: Callable[[Proxied], Coroutine[Any, Any, R]], limits: Limits | None = None, **entrance: Any) -> R:
    """Run a coroutine function against a new proxy, on the event loop that `viewgate serve` uses."""

    async def main() -> R:
        async with asyncio.timeout(20):
            async with proxied(limits, **entrance) as running:
                return await test(running)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds that has no event."""
    while not condition():
        await asyncio.sleep(0.005)


class RawClient:
    """Sends messages and returns replies, as bytes."""

    def __init__(self, port: int, user: str = "bob") -> None:
        self.port = port
        self.user = user
        self.frames = FrameReader(1 << 24)

    async def __aenter__(self) -> RawClient:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        sasl = SaslClient(self.user, "x")
        self.writer.write(sasl.greeting)
        while not (event := sasl.next_event()):
            data = await self.reader.read(1000)
            if not data:  # reading on at the end of a stream never waits, so that the test would hang
                raise ConnectionResetError
            sasl.receive_data(data)
        assert isinstance(event, Authenticated)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    async def call(self, message: bytes) -> bytes:
        self.writer.write(frame(message))
        return await self.reply()

    async def reply(self) -> bytes:
        while (reply := self.frames.next_event()) is None:
            data = await self.reader.read(65536)
            if not data:
                raise ConnectionResetError
            self.frames.receive_data(data)
        return reply

    async def ask(self, name: str, request: Any, response: type[Any]) -> Any:
        """Make a call from structs."""
        return read_reply(await self.call(encode_call(name, 7, request)), response)

    async def open_session(self, protocol: int = 10) -> Any:
        """Return a session's handle."""
        request = ttypes.TOpenSessionReq(client_protocol=protocol)
        return (await self.ask("OpenSession", request, ttypes.TOpenSessionResp)).sessionHandle

    async def execute(self, session: Any, sql: str, *, run_async: bool = True, timeout: int = 0) -> Any:
        """Return the response to a statement."""
        request = ttypes.TExecuteStatementReq(
            sessionHandle=session, statement=sql, runAsync=run_async, queryTimeout=timeout
        )
        return await self.ask("ExecuteStatement", request, ttypes.TExecuteStatementResp)

    async def status(self, operation: Any) -> Any:
        """Return the response to one status poll."""
        request = ttypes.TGetOperationStatusReq(operationHandle=operation)
        return await self.ask("GetOperationStatus", request, ttypes.TGetOperationStatusResp)

    async def end(self, operation: Any) -> Any:
        """Return the final status."""
        while (status := await self.status(operation)).operationState == 1:
            pass
        return status

    async def schema(self, operation: Any) -> Any:
        """Return the columns of a result."""
        request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
        return (await self.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp)).schema

    async def close(self, operation: Any) -> None:
        """Close an operation."""
        request = ttypes.TCloseOperationReq(operationHandle=operation)
        await self.ask("CloseOperation", request, ttypes.TCloseOperationResp)

    async def fetch(self, operation: Any, *, log: bool = False, orientation: int = 0, rows: int = 100) -> Any:
        """Return the response to one fetch."""
        request = ttypes.TFetchResultsReq(
            operationHandle=operation, orientation=orientation, maxRows=rows, fetchType=int(log)
        )
        return await self.ask("FetchResults", request, ttypes.TFetchResultsResp)

    async def first_column(self, operation: Any, **how: Any) -> list[Any]:
        """Return the strings in the first column of one fetch."""
        values: list[Any] = (await self.fetch(operation, **how)).results.columns[0].stringVal.values
        return values
