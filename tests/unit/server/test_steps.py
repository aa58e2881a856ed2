"""A coroutine runs inline while it only needs replies that arrive, and becomes a task when it waits
for anything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from proxy.server.connection import Steps
from proxy.upstream import Reply


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_it_goes_on_at_once_when_the_reply_is_there() -> None:
    async def main() -> None:
        said: list[object] = []
        replies = [Reply(), Reply()]

        async def work() -> None:
            for reply in replies:
                said.append(await reply)
                said.append(asyncio.current_task() is test)

        test = asyncio.current_task()
        steps = Steps(work())
        steps.start()
        assert said == []
        replies[1].deliver(b"early")
        replies[0].deliver(b"one")
        assert said == [b"one", True, b"early", True]  # no turn of the loop between
        await asyncio.wait_for(steps.wait(), 1)

    run(main())


def test_it_goes_on_as_a_task_behind_any_other_wait() -> None:
    async def main() -> None:
        event, reply, said = asyncio.Event(), Reply(), list[object]()

        async def work() -> None:
            await event.wait()
            async with asyncio.timeout(1):
                said.append(await reply)

        steps = Steps(work())
        steps.start()
        event.set()
        asyncio.get_running_loop().call_soon(reply.deliver, b"one")
        await steps.wait()
        assert said == [b"one"]

    run(main())


def test_an_error_comes_with_the_next_turn_of_the_loop() -> None:
    async def main() -> None:
        reply, said = Reply(), list[object]()

        async def work() -> None:
            try:
                await reply
            except ValueError as error:
                said.append(str(error))

        steps = Steps(work())
        steps.start()
        reply.fail(ValueError("no"))
        assert said == []
        await steps.wait()
        assert said == ["no"]

    run(main())


@pytest.mark.parametrize("waits", ["for a reply", "for an error on its way", "for something else", "as a new task"])
def test_it_can_be_cancelled_wherever_it_waits(waits: str) -> None:
    async def main() -> None:
        reply, never, said = Reply(), asyncio.Event(), list[str]()

        async def work() -> None:
            try:
                await (never.wait() if "else" in waits or "task" in waits else reply)
            except asyncio.CancelledError:
                said.append("cancelled")
                raise
            finally:
                await asyncio.sleep(0)
                said.append("cleared up")

        steps = Steps(work())
        steps.start()
        if "error" in waits:
            reply.fail(ValueError("no"))
        if "else" in waits:
            await asyncio.sleep(0)
        steps.cancel()
        await steps.wait()
        assert said == ["cancelled", "cleared up"]
        reply.deliver(b"late")

    run(main())
