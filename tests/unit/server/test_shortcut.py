"""A client that polls the status repeatedly, and what it may do in between."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from proxy.hs2 import encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.server import connection, shortcut
from proxy.wire import frame
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

MANY = 50
FINISHED = ttypes.TOperationState.FINISHED_STATE


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow more time for what a driver does within microseconds."""
    monkeypatch.setattr(connection, "_SOON", 5)
    monkeypatch.setattr(shortcut, "_MOMENT", 0.3)


async def finished(client: RawClient) -> Any:
    operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
    await client.end(operation)
    return operation


def with_many_asked(
    then: Callable[[Proxied, RawClient, Any], Coroutine[Any, Any, None]],
) -> Callable[[Proxied], Coroutine[Any, Any, None]]:
    """Run a client that polls its finished statement many times, which takes one more descriptor, and continues.

    It runs in a thread of its own, because the server's thread waits for it.
    """

    async def test(proxied: Proxied) -> None:
        await asyncio.to_thread(asyncio.run, asking(proxied))

    async def asking(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = await finished(client)
            before = descriptors()
            for seqid in range(MANY):
                assert read_reply(
                    await client.call(asked(operation, seqid)), ttypes.TGetOperationStatusResp
                ).operationState == FINISHED  # fmt: skip
            assert descriptors() == before + 1
            await then(proxied, client, operation)
            await until(lambda: descriptors() <= before)

    return test


def asked(operation: Any, seqid: int) -> bytes:
    return encode_call("GetOperationStatus", seqid, ttypes.TGetOperationStatusReq(operationHandle=operation))


async def rows(proxied: Proxied, client: RawClient, operation: Any) -> None:
    assert await client.first_column(operation) == ["SELECT 1"]


async def in_pieces(proxied: Proxied, client: RawClient, operation: Any) -> None:
    for byte in frame(asked(operation, 9)):
        client.writer.write(bytes([byte]))
        await asyncio.sleep(0)
    await client.reply()


async def several_at_once(proxied: Proxied, client: RawClient, operation: Any) -> None:
    client.writer.write(frame(asked(operation, 9)) * MANY)
    assert len({await client.reply() for _ in range(MANY)}) == 1


async def closed(proxied: Proxied, client: RawClient, operation: Any) -> None:
    await client.close(operation)
    assert (await client.status(operation)).status.statusCode == 3


@pytest.mark.parametrize("then", [rows, in_pieces, several_at_once, closed])
def test_whatever_else_it_asks_is_answered(then: Callable[..., Coroutine[Any, Any, None]]) -> None:
    with_proxy(with_many_asked(then))


def test_an_operation_that_another_connection_has_closed_is_no_more() -> None:
    async def then(proxied: Proxied, client: RawClient, operation: Any) -> None:
        async with RawClient(proxied.port) as other:
            await closed(proxied, other, operation)
            assert (await client.status(operation)).status.statusCode == 3
        await until(lambda: len(proxied.server._connections) == 1)

    with_proxy(with_many_asked(then))


@pytest.mark.parametrize("abruptly", [True, False])
def test_one_that_goes_away_leaves_nothing(abruptly: bool) -> None:
    async def test(proxied: Proxied) -> None:
        before = descriptors()

        async def then(_: Proxied, client: RawClient, operation: Any) -> None:
            if abruptly:
                client.writer.transport.abort()
            else:
                client.writer.close()
            await until(lambda: not (proxied.server._connections or proxied.spark.sessions))

        await with_many_asked(then)(proxied)
        await until(lambda: descriptors() == before)

    with_proxy(test)


def test_a_server_that_stops_closes_it() -> None:
    async def test(proxied: Proxied) -> None:
        loop = asyncio.get_running_loop()

        async def then(_: Proxied, client: RawClient, operation: Any) -> None:
            asyncio.run_coroutine_threadsafe(proxied.server.stop(), loop).result()
            with pytest.raises(ConnectionError):
                await client.reply()

        await with_many_asked(then)(proxied)

    with_proxy(test)


def test_without_a_descriptor_to_spare_it_is_answered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(_: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "dup", none_left)

    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = await finished(client)
            for seqid in range(MANY):
                await client.call(asked(operation, seqid))

    with_proxy(test)


def test_a_client_that_takes_its_time_takes_no_shortcut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_SOON", 0)

    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = await finished(client)
            before = descriptors()
            for seqid in range(MANY):
                await client.call(asked(operation, seqid))
                assert descriptors() == before

    with_proxy(test)
