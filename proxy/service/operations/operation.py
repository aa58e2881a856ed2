"""The calls that every operation answers, remote, local or queued."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from proxy.hs2 import ResultSet, encode_rows, success
from proxy.hs2.generated import ttypes
from proxy.hs2.protocol import status_held_s
from proxy.service.message import Message
from proxy.service.operations.status import shown_state
from proxy.session import Operation, OperationState

NO_ROWS = ResultSet.of("Result")  # of a statement without a result, as Spark describes it
_LOG = ResultSet.of("operation_log").columns


class RunningOperation(Operation):
    """An operation that answers the calls of clients on it; each method returns the reply's bytes.

    There are three ways to its end:

        the client closes it        close                 stops it; the lease ends once the upstream has forgotten it
        its session is closed       abandon, release      stops it and ends the lease: the session goes with all in it
        no client has its handle    abandon, discard      stops it, has the upstream forget it, ends the lease
    """

    @abstractmethod
    async def wait(self) -> None:
        """Return when the operation has ended, in whichever way."""

    @abstractmethod
    async def status(self, call: Message) -> bytes:
        """Answer GetOperationStatus: at once if it has ended, else after a while or when it ends."""

    @abstractmethod
    async def metadata(self, call: Message) -> bytes:
        """Answer GetResultSetMetadata, after the end."""

    @abstractmethod
    async def fetch(self, call: Message) -> bytes:
        """Answer FetchResults for rows of the result."""

    @abstractmethod
    async def query_id(self, call: Message) -> bytes:
        """Answer GetQueryId."""

    @abstractmethod
    async def cancel(self, call: Message) -> bytes:
        """Answer CancelOperation."""

    @abstractmethod
    async def close(self, call: Message) -> bytes:
        """Answer CloseOperation."""

    async def look(self, unseen: float) -> None:
        """Poll the upstream if nobody has done so for so many seconds; never raises."""
        return

    async def discard(self) -> None:
        """Have the upstream forget an operation of which no client has a handle; never raises."""
        return

    def fetch_log(self, call: Message, request: Any) -> bytes:
        """Answer FetchResults for the log: each line once, or all again after FETCH_FIRST."""
        first = request.orientation == ttypes.TFetchOrientation.FETCH_FIRST
        lines = self.log.read(request.maxRows, first=first)
        rows = encode_rows(_LOG, [(line,) for line in lines], 0, self.session.protocol)
        return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    @property
    def held_s(self) -> float:
        """The seconds for which a status call waits here for the end."""
        return status_held_s(self.session.protocol)

    def status_response(self) -> Any:
        """Return the status as known here, for the client."""
        if self.done:
            self.told.set()
        error = self.error if self.state is OperationState.ERROR else None
        return ttypes.TGetOperationStatusResp(
            status=success(),
            operationState=int(shown_state(self.state, self.session.protocol)),
            sqlState=error and error.sql_state,
            errorCode=error and error.error_code,
            errorMessage=error and error.message,
            operationStarted=self.started_ms,
            operationCompleted=self.completed_ms,
            hasResultSet=self.has_result_set,
        )

    def thrift_handle(self) -> Any:
        """Return the handle that clients get."""
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TOperationHandle(
            operationId=identifier, operationType=self.kind, hasResultSet=self.has_result_set
        )
