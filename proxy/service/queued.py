"""A statement that waits for its turn: RUNNING to its client, and later what it has become."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from proxy.hs2 import SqlError, check, read_reply, success
from proxy.hs2.generated import ttypes
from proxy.service.operation import RunningOperation
from proxy.session import ClientSession, Operation, OperationState

if TYPE_CHECKING:
    from proxy.service.call import Call

logger = logging.getLogger(__name__)

_EXECUTE_STATEMENT = 0


class Queued(RunningOperation):
    """Answers for itself until `start` has given it an operation, which then answers under its handle.

    The deadline (loop time) holds for the wait, too.
    """

    def __init__(
        self,
        session: ClientSession,
        start: Callable[[], Coroutine[Any, Any, tuple[RunningOperation | None, bytes]]],
        deadline: float | None,
    ) -> None:
        super().__init__(session, _EXECUTE_STATEMENT)
        self._begun: RunningOperation | None = None
        self._task = asyncio.create_task(self._begin(start, deadline))

    async def wait(self) -> None:
        await asyncio.wait({self._task})
        if self._begun is not None:
            await self._begun.wait()

    async def status(self, call: Call) -> bytes:
        if self._begun is None:
            await asyncio.wait({self._task}, timeout=self.held_s)
        return await self._begun.status(call) if self._begun else call.reply(self.status_response())

    async def metadata(self, call: Call) -> bytes:
        await self.wait()
        return await self._ready().metadata(call)

    async def fetch(self, call: Call) -> bytes:
        return await self._ready().fetch(call)

    async def query_id(self, call: Call) -> bytes:
        if self._begun is None:
            return call.reply(ttypes.TGetQueryIdResp(queryId=self.handle.id))
        return await self._begun.query_id(call)

    async def cancel(self, call: Call) -> bytes:
        if self._begun is not None:
            return await self._begun.cancel(call)
        await self.abandon()
        return call.reply(ttypes.TCancelOperationResp(status=success()))

    async def close(self, call: Call) -> bytes:
        if self._begun is not None:
            return await self._begun.close(call)
        await self.abandon()
        return call.reply(ttypes.TCloseOperationResp(status=success()))

    async def abandon(self, error: SqlError | None = None) -> None:
        if self._begun is None:
            self.advance(OperationState.ERROR if error else OperationState.CANCELED, error)
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._begun is not None:
            await self._begun.abandon(error)

    def release(self) -> None:
        if self._begun is not None:
            self._begun.release()

    async def look(self, unseen: float) -> None:
        if self._begun is not None:
            await self._begun.look(unseen)

    async def discard(self) -> None:
        if self._begun is not None:
            await self._begun.discard()

    async def _begin(
        self, start: Callable[[], Coroutine[Any, Any, tuple[RunningOperation | None, bytes]]], deadline: float | None
    ) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                begun, reply = await start()
            if begun is None:
                check(read_reply(reply, ttypes.TExecuteStatementResp).status)
            else:
                self._become(begun)
        except TimeoutError:
            self.advance(OperationState.TIMEDOUT)
        except SqlError as error:
            self.advance(OperationState.ERROR, error)
        except Exception as error:
            logger.exception("a statement could not be started")
            self.advance(OperationState.ERROR, SqlError(f"Viewgate could not start the statement: {error!r}", "XX000"))

    def _become(self, begun: RunningOperation) -> None:
        self._begun = begun
        self.log, self.has_result_set, self.told = begun.log, begun.has_result_set, begun.told
        self.foreseen = begun.foreseen
        begun.watcher = self._follow
        if begun.done:
            self._follow(begun)

    def _follow(self, begun: Operation) -> None:
        self.advance(begun.state, begun.error)

    def _ready(self) -> RunningOperation:
        if self._begun is None:
            raise self.error or SqlError(f"Expected state FINISHED, but found {self.state.name}", "HY010")
        return self._begun
