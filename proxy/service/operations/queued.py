"""A statement that waits in the queue, or for a catalog; its client sees RUNNING until another operation has started.

    waiting ──started──▶ the states of the started operation
       ├──refused──▶ ERROR
       ├──deadline──▶ TIMEDOUT
       ├──cancelled or closed by the client, or session closed──▶ CANCELED
       └──Viewgate shuts down──▶ ERROR

The client keeps the handle of the queued operation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from proxy.hs2 import SqlError, check, read_reply, success
from proxy.hs2.generated import ttypes
from proxy.session import ClientSession, Message, Operation, OperationState

logger = logging.getLogger(__name__)

_EXECUTE_STATEMENT = 0


class QueuedOperation(Operation):
    """A statement in the queue; once the statement has started, the started operation answers the client's calls.

    `attempt` waits until the statement can be started, and returns the started operation with the reply to the client,
    or None with the upstream's refusal. `undo` is called if this operation ends without a started operation: it ends
    the attempt. `deadline`, a time of the event loop's clock, includes the time in the queue; None for no limit.
    """

    def __init__(
        self,
        session: ClientSession,
        attempt: asyncio.Task[tuple[Operation | None, bytes]],
        undo: Callable[[], None],
        deadline: float | None,
    ) -> None:
        super().__init__(session, _EXECUTE_STATEMENT)
        self._operation: Operation | None = None
        self._undo = undo
        self._task = asyncio.create_task(self._run(attempt, deadline))
        # A callback: the task may be cancelled before its first step, and then runs no code of its own.
        self._task.add_done_callback(self._ended_waiting)

    async def wait(self) -> None:
        await asyncio.wait({self._task})
        if self._operation is not None:
            await self._operation.wait()

    async def status(self, call: Message) -> bytes:
        if self._operation is None:
            await asyncio.wait({self._task}, timeout=self.held_s)
        return await self._operation.status(call) if self._operation else call.reply(self.status_response())

    async def metadata(self, call: Message) -> bytes:
        await asyncio.wait({self._task})  # for the start: the columns are known before the end
        return await self._ready().metadata(call)

    async def fetch(self, call: Message) -> bytes:
        return await self._ready().fetch(call)

    async def query_id(self, call: Message) -> bytes:
        if self._operation is None:
            return call.reply(ttypes.TGetQueryIdResp(queryId=self.handle.id))
        return await self._operation.query_id(call)

    async def cancel(self, call: Message) -> bytes:
        if self._operation is not None:
            return await self._operation.cancel(call)
        await self.abandon()
        return call.reply(ttypes.TCancelOperationResp(status=success()))

    async def close(self, call: Message) -> bytes:
        if self._operation is not None:
            return await self._operation.close(call)
        await self.abandon()
        return call.reply(ttypes.TCloseOperationResp(status=success()))

    @property
    def runs(self) -> bool:
        return super().runs or (self._operation is not None and self._operation.runs)

    async def abandon(self, error: SqlError | None = None) -> None:
        if self._operation is None:
            self.advance(OperationState.ERROR if error else OperationState.CANCELED, error)
            self._task.cancel()
            await asyncio.wait({self._task})
        if self._operation is not None:
            await self._operation.abandon(error)

    def release(self) -> None:
        if self._operation is not None:
            self._operation.release()

    async def look(self, unseen: float) -> None:
        if self._operation is not None:
            await self._operation.look(unseen)

    async def discard(self) -> None:
        if self._operation is not None:
            await self._operation.discard()

    def _ended_waiting(self, _: asyncio.Task[None]) -> None:
        if self._operation is None:
            self._undo()

    async def _run(self, attempt: asyncio.Task[tuple[Operation | None, bytes]], deadline: float | None) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                operation, reply = await attempt
            if operation is None:
                check(read_reply(reply, ttypes.TExecuteStatementResp).status)
            else:
                self._become(operation)
        except TimeoutError:
            self.advance(OperationState.TIMEDOUT)
        except SqlError as error:
            self.advance(OperationState.ERROR, error)
        except Exception as error:
            logger.exception("statement not started")
            self.advance(
                OperationState.ERROR,
                SqlError(
                    f"Viewgate could not start the statement because of an internal error ({error!r}); see the log of "
                    "Viewgate",
                    "XX000",
                ),
            )

    def _become(self, operation: Operation) -> None:
        self._operation = operation
        self.log, self.has_result_set, self.told = operation.log, operation.has_result_set, operation.told
        self.foreseen = operation.foreseen
        operation.watcher = self._follow
        if operation.done:
            self._follow(operation)

    def _follow(self, operation: Operation) -> None:
        self.advance(operation.state, operation.error)

    def _ready(self) -> Operation:
        if self._operation is None:
            raise self.error or SqlError(
                f"The operation {self.handle.id} has no result: Expected state FINISHED, but found {self.state.name}; "
                "fetch the result only after GetOperationStatus has reported FINISHED",
                "HY010",
            )
        return self._operation
