"""Calls from one worker to another, on connections of their own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.service import Peer
from proxy.wire import FrameReader, frame
from proxy.workers import Neighbours
from proxy.workers.neighbours import opened, place
from tests.unit.support.proxied import until

MINE, YOURS = b"\0\1", b"\0\2"
ANN = Peer("ann", "10.0.0.1:5", traceparent="00-1-2-01")


class Neighbour:
    """A worker that answers each call with the call, when a test allows it."""

    def __init__(self) -> None:
        self.connections: set[asyncio.StreamWriter] = set()
        self.asked: list[str] = []
        self.let = asyncio.Event()
        self.let.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        frames = FrameReader(1000)
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1000):
                frames.receive_data(data)
                while (payload := frames.next_event()) is not None:
                    peer, message = opened(payload)
                    assert peer.traceparent == ANN.traceparent
                    self.asked.append(str(peer))
                    await self.let.wait()
                    writer.write(frame(message))
        self.connections.discard(writer)
        writer.close()

    async def die(self) -> None:
        for writer in self.connections:
            writer.transport.abort()
        await until(lambda: not self.connections)


def beside(folder: Path, test: Callable[[Neighbours, Neighbour], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        neighbour, neighbours = Neighbour(), Neighbours(folder, MINE)
        async with asyncio.timeout(10), await asyncio.start_unix_server(neighbour.serve, place(folder, YOURS)):
            await test(neighbours, neighbour)
            neighbours.close()
            await neighbour.die()

    asyncio.run(main())


def test_calls_follow_each_other_on_one_connection_and_say_who_calls(tmp_path: Path) -> None:
    async def test(neighbours: Neighbours, neighbour: Neighbour) -> None:
        for call in (b"one", b"two"):
            assert await neighbours.call(YOURS, ANN, call) == call
        assert len(neighbour.connections) == 1
        assert neighbour.asked == [str(ANN)] * 2

    beside(tmp_path, test)


def test_calls_at_the_same_time_have_connections_of_their_own_and_few_are_kept(tmp_path: Path) -> None:
    async def test(neighbours: Neighbours, neighbour: Neighbour) -> None:
        neighbour.let.clear()
        calls = [asyncio.create_task(neighbours.call(YOURS, ANN, b"%d" % number)) for number in range(50)]
        await until(lambda: len(neighbour.asked) == len(calls))
        neighbour.let.set()
        assert await asyncio.gather(*calls) == [b"%d" % number for number in range(50)]
        await until(lambda: len(neighbour.connections) <= 16)

    beside(tmp_path, test)


def test_who_goes_away_leaves_no_answer_to_the_next_call(tmp_path: Path) -> None:
    async def test(neighbours: Neighbours, neighbour: Neighbour) -> None:
        neighbour.let.clear()
        leaver = asyncio.create_task(neighbours.call(YOURS, ANN, b"left"))
        await until(lambda: neighbour.asked)
        leaver.cancel()
        neighbour.let.set()
        assert await neighbours.call(YOURS, ANN, b"next") == b"next"

    beside(tmp_path, test)


def test_connections_to_a_worker_that_has_ended_are_let_go_when_others_are_made(tmp_path: Path) -> None:
    async def test(neighbours: Neighbours, neighbour: Neighbour) -> None:
        other = Neighbour()
        mark = b"\1\2"
        async with await asyncio.start_unix_server(other.serve, place(tmp_path, mark)):
            await neighbours.call(YOURS, ANN, b"before")
            (line,) = neighbours._idle[YOURS]
            await neighbour.die()
            await until(lambda: line.ended)
            await neighbours.call(mark, ANN, b"after")
            assert set(neighbours._idle) == {mark}
            assert line._writer.transport.is_closing()
            neighbours.close()
            await other.die()

    beside(tmp_path, test)


def test_a_worker_that_is_not_there_has_taken_its_sessions_along(tmp_path: Path) -> None:
    async def test(neighbours: Neighbours, _neighbour: Neighbour) -> None:
        with pytest.raises(SqlError, match="The session is lost"):
            await neighbours.call(b"\1\2", ANN, b"call")

    beside(tmp_path, test)
