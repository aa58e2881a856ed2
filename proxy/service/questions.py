"""Who asks the upstream how an operation is: Spark holds each question, and takes the next one behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Questions:
    """Those for the status of one operation, the client's and our own."""

    def __init__(self) -> None:
        self._out = 0
        self._last = asyncio.get_running_loop().time()
        self._none_of_ours = asyncio.Event()
        self._none_of_ours.set()

    def none_for(self, seconds: float) -> bool:
        """Whether nobody asks, nor has been answered for so long."""
        return not self._out and asyncio.get_running_loop().time() - self._last >= seconds

    async def asked(self, answer: Awaitable[T]) -> T:
        """The answer to one, which is out until then."""
        self._out += 1
        try:
            return await answer
        finally:
            self._out -= 1
            self._last = asyncio.get_running_loop().time()

    @contextmanager
    def ours(self) -> Iterator[None]:
        """While one of our own is out, and until note was taken of its answer."""
        self._none_of_ours.clear()
        try:
            yield
        finally:
            self._none_of_ours.set()

    async def shared(self) -> bool:
        """Wait for the answer to ours; False if there is none out, so that the client has to ask for itself."""
        if self._none_of_ours.is_set():
            return False
        await self._none_of_ours.wait()
        return True
