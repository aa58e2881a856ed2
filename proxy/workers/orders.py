"""The supervisor's orders to a worker, sent over the worker's standard input.

The first order is a Task, which tells the worker its number and settings. The end of the input has the effect of STOP:
the worker ends after its running statements.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO, Any

from proxy.commands import Reloaded
from proxy.config import Config

_LENGTH = 4
_PATIENCE = 10.0  # seconds to wait for the supervisor's reply
RELOAD, RESTART = "reload", "restart"  # the lines that a worker prints as requests to the supervisor


class Order(Enum):
    """The supervisor's orders to a worker to end.

    STOP ends the worker after its running statements, HURRY at once, and RETIRE when its last session has ended.
    """

    STOP = "stop"
    HURRY = "hurry"
    RETIRE = "retire"


@dataclass(frozen=True)
class Task:
    """The task of a worker: the settings, the worker's number (from 1), and its generation.

    All workers listen on `port`, reach each other through sockets in `directory`, and sign cookies with the same key.
    """

    settings: Config
    number: int
    generation: int
    port: int
    directory: Path
    cookie_key: bytes = field(repr=False)

    @property
    def mark(self) -> bytes:
        """The worker's generation and number, the last two bytes of the handles that the worker creates."""
        return bytes((self.generation, self.number))


def written(order: Order | Task | Config | tuple[str, Reloaded]) -> bytes:
    """Encode an order, a task, changed settings, or the reply to a request, to be sent to a worker."""
    data = pickle.dumps(order)
    return len(data).to_bytes(_LENGTH, "big") + data


class Orders:
    """A reader of the supervisor's orders from a pipe."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    @classmethod
    async def through(cls, pipe: IO[Any]) -> Orders:
        """Connect to the reading end of a pipe; return an object that reads the orders from this pipe."""
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        return cls(reader)

    async def next(self) -> Any:
        """Wait for the next order and return this order; return STOP at the end of the input."""
        try:
            length = int.from_bytes(await self._reader.readexactly(_LENGTH), "big")
            return pickle.loads(await self._reader.readexactly(length))  # noqa: S301  # our own supervisor's
        except asyncio.IncompleteReadError:
            return Order.STOP

    async def follow(
        self,
        adopt: Callable[[Config], None],
        others: Mapping[Order, Callable[[], None]],
        answered: Callable[[str, Reloaded], None],
    ) -> None:
        """Execute orders until the end of the input.

        `adopt` is called with changed settings. `answered` is called with the name of a request of this worker and the
        supervisor's reply. `others` maps each Order to the function that executes the order.
        """
        while True:
            order = await self.next()
            if isinstance(order, Config):
                adopt(order)
            elif isinstance(order, tuple):
                answered(*order)
            else:
                others[order]()
            if self._reader.at_eof():
                return


class Asking:
    """A sender of this worker's requests (RELOAD and RESTART) to the supervisor; `ask` sends the name of a request."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._waiting: dict[str, list[asyncio.Future[Reloaded]]] = {}

    async def request(self, what: str) -> Reloaded:
        """Send the request `what` (RELOAD or RESTART) to the supervisor and return the reply.

        If no reply comes within ten seconds, return a refusal.
        """
        answer: asyncio.Future[Reloaded] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(what, []).append(answer)
        self._ask(what)
        try:
            async with asyncio.timeout(_PATIENCE):
                return await answer
        except TimeoutError:
            return Reloaded("the supervisor of the workers does not answer: see the log of Viewgate", refused=True)

    def answered(self, what: str, told: Reloaded) -> None:
        """Deliver the supervisor's reply `told` to all waiting requests with the name `what`."""
        for answer in self._waiting.pop(what, ()):
            if not answer.done():
                answer.set_result(told)
