from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.upstream import Reply


def late(test: Callable[[Reply, asyncio.Task[bytes]], Coroutine[Any, Any, None]]) -> list[bytes | None]:
    """Return what still arrives if something happens while a reply is awaited."""
    came: list[bytes | None] = []

    async def main() -> None:
        reply = Reply(loop=asyncio.get_running_loop())
        waiting = asyncio.create_task(reply.or_late(came.append))
        await asyncio.sleep(0)
        await test(reply, waiting)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
    return came


@pytest.mark.parametrize("known", [True, False])
def test_a_reply_behind_a_cancel(known: bool) -> None:
    """The task has noticed the cancel, or is about to."""

    async def test(reply: Reply, waiting: asyncio.Task[bytes]) -> None:
        waiting.cancel()
        if known:
            await asyncio.sleep(0)
        reply.deliver(b"started")

    assert late(test) == [b"started"]


def test_a_cancel_behind_the_reply_that_nobody_has_seen_yet() -> None:
    async def test(reply: Reply, waiting: asyncio.Task[bytes]) -> None:
        reply.deliver(b"started")
        waiting.cancel()

    assert late(test) == [b"started"]


@pytest.mark.parametrize("cancelled_first", [True, False])
def test_an_error_in_place_of_the_reply(cancelled_first: bool) -> None:
    async def test(reply: Reply, waiting: asyncio.Task[bytes]) -> None:
        if cancelled_first:
            waiting.cancel()
            await asyncio.sleep(0)
        reply.fail(SqlError("lost"))
        waiting.cancel()

    assert late(test) == [None]


def test_nothing_is_late_that_is_waited_for() -> None:
    came: list[bytes | None] = []

    async def main() -> bytes:
        reply = Reply(loop=asyncio.get_running_loop())
        asyncio.get_running_loop().call_soon(reply.deliver, b"here")
        return await reply.or_late(came.append)

    assert (asyncio.run(main()), came) == (b"here", [])
