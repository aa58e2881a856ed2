"""Calls relayed from another worker, at a worker whose clients already hold the maximum of memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.service import Peer
from proxy.wire import frame
from proxy.workers import Neighbours, RelayedCalls
from proxy.workers.neighbours import place
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

MINE, YOURS = b"\0\1", b"\0\2"


class Echo(RelayedCalls):
    """Answers each call with as many bytes."""

    async def answer(self, event: bytes) -> bytes:
        return frame(bytes(len(event)))


def test_a_long_call_is_answered_where_other_clients_fill_the_buffers(tmp_path: Path) -> None:
    async def test(proxied: Proxied) -> None:
        held = proxied.server._entrance.held
        await proxied.server.listen_within(place(tmp_path, YOURS), Echo)
        neighbours = Neighbours(tmp_path, MINE)
        async with RawClient(proxied.port) as hoarder:
            request = ttypes.TExecuteStatementReq(statement="x" * 400_000)
            hoarder.writer.write(frame(encode_call("ExecuteStatement", 7, request))[:-1])
            await until(lambda: held.bytes > 400_000)
            relaying = asyncio.create_task(neighbours.call(YOURS, Peer("ann", "10.0.0.1:5"), bytes(8_000_000)))
            assert len(await relaying) > 8_000_000
        neighbours.close()
        await until(lambda: held.bytes == 0)

    with_proxy(test, Limits(grace=0.2, buffers=600_000))
