"""Operations that Viewgate answers itself: a task computes the result, and a cursor moves over the result's rows."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

from proxy.hs2 import ResultSet, SqlError, encode_rows, success, table_schema
from proxy.hs2.generated import ttypes
from proxy.pipeline import Begun
from proxy.service.operations.running import ProgressBar
from proxy.session import NO_ROWS, ClientSession, Local, Message, Operation, OperationState

logger = logging.getLogger(__name__)

_EXECUTE_STATEMENT = 0


class LocalOperation(Operation):
    """An operation that Viewgate answers: it runs the function `Local.run` of a plan.

    The operation ends when the function ends, when the client cancels, or after `timeout` seconds (None for no limit).
    `kind` is Thrift's type of the operation.
    """

    def __init__(
        self, session: ClientSession, plan: Local, timeout: float | None = None, kind: int = _EXECUTE_STATEMENT
    ) -> None:
        super().__init__(session, kind)
        self._result = NO_ROWS
        self._next = 0
        self._progress_bar = ProgressBar(self.started_ms)
        self._refreshes = Begun()
        self._task = asyncio.create_task(self._refreshes.followed(partial(self._run, plan, timeout)))

    async def wait(self) -> None:
        await asyncio.wait({self._task})

    async def status(self, call: Message) -> bytes:
        await asyncio.wait({self._task}, timeout=self.held_s)
        response = self.status_response()
        if not self.done:
            response.progressUpdateResponse = await self._progress_bar.told(call, self._refreshes.stages)
        return call.reply(response)

    async def metadata(self, call: Message) -> bytes:
        await self.wait()
        schema = table_schema(self._finished().columns, first=0 if self.kind == _EXECUTE_STATEMENT else 1)
        return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))

    async def fetch(self, call: Message) -> bytes:
        request = call.request(ttypes.TFetchResultsReq)
        result = self._finished()
        start = self._start(request.orientation, max(request.maxRows or 0, 0))
        rows = result.rows[start : start + max(request.maxRows or 0, 0)]
        self._next = start + len(rows)
        row_set = encode_rows(result.columns, rows, start, self.session.protocol)
        return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=row_set))

    async def query_id(self, call: Message) -> bytes:
        return call.reply(ttypes.TGetQueryIdResp(queryId=self.handle.id))

    async def cancel(self, call: Message) -> bytes:
        await self.abandon()
        return call.reply(ttypes.TCancelOperationResp(status=success()))

    async def close(self, call: Message) -> bytes:
        await self.abandon()
        return call.reply(ttypes.TCloseOperationResp(status=success()))

    async def abandon(self, error: SqlError | None = None) -> None:
        self.advance(OperationState.ERROR if error else OperationState.CANCELED, error)
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _run(self, plan: Local, timeout: float | None) -> None:
        try:
            async with asyncio.timeout(timeout) as limit:
                self._result = await plan.run(self.log.add)
            self.advance(OperationState.FINISHED)
        except asyncio.CancelledError:
            self.advance(OperationState.CANCELED)
            raise
        except SqlError as error:
            self.advance(OperationState.ERROR, error)
        except Exception as error:
            if limit.expired():
                self.advance(OperationState.TIMEDOUT)
                return
            logger.exception("statement of Viewgate's own failed")
            self.advance(
                OperationState.ERROR,
                SqlError(
                    f"Viewgate could not answer the statement because of an internal error ({error!r}); see the log of "
                    "Viewgate",
                    "XX000",
                ),
            )

    def _finished(self) -> ResultSet:
        if self.state is not OperationState.FINISHED:
            raise self.error or SqlError(
                f"The operation {self.handle.id} has no result: Expected state FINISHED, but found {self.state.name}; "
                "fetch the result only after GetOperationStatus has reported FINISHED",
                "HY010",
            )
        return self._result

    def _start(self, orientation: Any, count: int) -> int:
        """Return the index of the first row to send for a FetchResults of `count` rows.

        `orientation` is one of the three fetch orientations that Spark supports: the next rows, the previous rows, or
        the first rows. Raise SqlError HY106 for any other orientation.
        """
        starts = {
            ttypes.TFetchOrientation.FETCH_NEXT: self._next,
            ttypes.TFetchOrientation.FETCH_PRIOR: max(self._next - 2 * count, 0),
            ttypes.TFetchOrientation.FETCH_FIRST: 0,
        }
        if orientation not in starts:
            name = ttypes.TFetchOrientation(orientation).name
            # As Spark's server answers, byte for byte: tests/clients.
            raise SqlError(f"The fetch type {name} is not supported for this resultset", "HY106")
        return starts[orientation]
