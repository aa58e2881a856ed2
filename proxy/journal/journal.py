"""Records the queued and running statements and refreshes of this process, and the last ones that ended.

The methods by which the record of a statement is written, in order:

    receive ──▶ begin ──▶ end (of its execution) ──▶ close (nothing more is fetched)
       └──▶ refuse

The state of a record is PENDING until `Record.begun` records that the statement runs. For a queued statement, that is
after `begin`; for any other statement, just before `begin`.

The sinks count a statement only when its outcome is final, because a count cannot be undone. A statement without rows
is counted when its execution ends. A statement with rows is counted when its first rows are fetched, or when the
statement is closed, whichever is first. Before the first fetch, the statement may still fail, or the original statement
may run in place of the rewritten one.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from proxy.hs2 import SqlError, fetch_error, rows_in, succeeded
from proxy.hs2.status import first_message
from proxy.journal.record import Record, Trace, read_trace, trace_in_comment
from proxy.journal.refresh import Cause, Refresh
from proxy.journal.texts import kept_message
from proxy.journal.usage import Usage
from proxy.journal.writer import Writer
from proxy.session import ClientSession, Handle, Operation, OperationState
from rewriter.model import TableName

_log = logging.getLogger(__name__)

_SOON = 0.05  # seconds after which a closed statement is logged
MOST = 1000  # the number of ended statements, and of ended refreshes, that are kept
_SAID = "Viewgate: "
_OF_THE_CALL = ("HY106", "HYC00")  # SQLSTATEs of a fetch with an unsupported orientation


class Sink(Protocol):
    """A receiver of each record of the journal; its methods must not block."""

    def ended(self, record: Record) -> None:
        """Receive the record of a statement whose outcome is final, or that was refused."""
        ...

    def closed(self, record: Record) -> None:
        """Receive the record of a closed statement; its number of rows and its state do not change any more."""
        ...

    def refreshed(self, refresh: Refresh) -> None:
        """Receive the record of a refresh that has ended."""
        ...


class Journal:
    """The records of the running and ended statements and refreshes of this process.

    - `sinks`, `writers`: receive the record of each statement and refresh at its end; a writer may lose records
    - `most`: the number of ended statements, and of ended refreshes, that are kept
    - `literals`: if false, each literal is replaced by `?` in all recorded texts, also in errors
    - `traced`: the share (0 to 1) of statements without a client's trace that get a new trace
    """

    def __init__(
        self,
        sinks: Sequence[Sink] = (),
        most: int = MOST,
        writers: Sequence[Writer] = (),
        *,
        literals: bool = True,
        traced: float = 0.0,
    ) -> None:
        self._usage = Usage()
        self._writers = writers
        self._sinks: tuple[Sink, ...] = (self._usage, *sinks, *writers)
        self._literals = literals
        self._traced = traced
        self._running: dict[bytes, Record] = {}
        self._unclosed: dict[bytes, Record] = {}
        self._ended: deque[Record] = deque(maxlen=most)
        self._closed: list[Record] = []
        self._queued: list[Refresh] = []
        self._refreshing: list[Refresh] = []
        self._refreshed: deque[Refresh] = deque(maxlen=most)

    def __iter__(self) -> Iterator[Record]:
        """Yield the records of statements: first those not ended, then the ended ones, each group latest first."""
        yield from reversed([*self._running.values()])
        yield from reversed([*self._ended])

    def add(self, sink: Sink) -> None:
        """Add a sink, which gets all later records."""
        self._sinks = (*self._sinks, sink)

    @property
    def usage(self) -> Usage:
        """The statistics of the use of each view since the start of this process."""
        self.flush()
        return self._usage

    @property
    def lost(self) -> int:
        """The number of records that the writers could not write."""
        return sum(writer.lost for writer in self._writers)

    @property
    def running(self) -> int:
        """The number of queued and running statements."""
        return len(self._running)

    def receive(self, session: ClientSession, sql: str, traceparent: str = "") -> Record:
        """Return the record of a statement that has just arrived; the caller must call `begin` or `refuse` next.

        `traceparent` is the trace in the header of the client's call; a trace in a comment of the statement takes
        precedence.
        """
        trace = trace_in_comment(sql) or read_trace(traceparent)
        if trace is None and random.random() < self._traced:  # noqa: S311  # a sample, and no secret
            trace = Trace.new()
        return Record(session.id, session.user, sql, literals=self._literals, trace=trace, client=session.client)

    def begin(self, operation: Operation, record: Record) -> None:
        """Record that an operation has started to run a statement."""
        record.id, record.operation = operation.handle.id, operation
        self._running[operation.handle.guid] = record
        if operation.done:
            self.end(operation)

    def end(self, operation: Operation) -> None:
        """Record the end of an operation's execution.

        Do nothing if the operation has no record, or if the end was recorded before.
        """
        record = self._running.pop(operation.handle.guid, None)
        if record is None:
            return
        record.operation = None
        record.state = operation.state if operation.done else OperationState.CLOSED
        record.failed(operation.error)
        record.answered(next((s.removeprefix(_SAID) for s in operation.log.lines if s.startswith(_SAID)), ""))
        record.executed()
        self._unclosed[operation.handle.guid] = record
        self._ended.append(record)
        if record.state is not OperationState.FINISHED or not operation.has_result_set:
            self._close(operation.handle.guid)

    def fetched(self, operation: Handle, reply: bytes) -> None:
        """Record the rows in a reply to a client's fetch; if the reply is an error, record the statement's failure."""
        record = self._unclosed.get(operation.guid)
        if record is None:
            return
        if succeeded(reply):
            record.fetched(rows_in(reply), len(reply))
            self._count(record)
        elif (error := fetch_error(reply)) is not None:
            self.not_fetched(operation, error)

    def not_fetched(self, operation: Handle, error: SqlError) -> None:
        """Record that the rows of a statement could not be fetched.

        Do nothing if the error is about the fetch call itself, such as an unsupported orientation.
        """
        record = self._unclosed.get(operation.guid)
        if record is not None and error.sql_state not in _OF_THE_CALL:
            record.state = OperationState.ERROR
            record.failed(error)
            self._count(record)

    def close(self, operation: Operation) -> None:
        """Record that an operation is closed, so that its client fetches nothing more."""
        self.end(operation)
        self._close(operation.handle.guid)

    def refuse(self, record: Record, error: SqlError | None, state: OperationState = OperationState.ERROR) -> None:
        """Record that a statement was never started.

        `error` is the reason for the refusal, None if the client disconnected. `state` is the final state of the
        statement.
        """
        record.id = Handle.new().id
        record.refused(error, state)
        self._ended.append(record)
        self._count(record)
        self._tell(record)

    @property
    def refreshes(self) -> Iterator[Refresh]:
        """The records of refreshes: the queued, then the running, then the ended ones, each group latest first."""
        yield from reversed([*self._queued])
        yield from reversed([*self._refreshing])
        yield from reversed([*self._refreshed])

    @contextmanager
    def queued(self, views: Iterable[TableName], cause: Cause) -> Iterator[Callable[[TableName], None]]:
        """List a refresh of each view as queued (state PENDING) during the `with` block.

        Yield a function that removes a view's refresh from the list, to be called when the refresh starts.
        """
        waiting = {view: Refresh(view, cause, state=OperationState.PENDING) for view in views}
        self._queued += waiting.values()

        def leave(view: TableName) -> None:
            if (refresh := waiting.pop(view, None)) is not None:
                self._queued.remove(refresh)

        try:
            yield leave
        finally:
            for view in [*waiting]:
                leave(view)

    @contextmanager
    def refreshing(self, view: TableName, cause: Cause) -> Iterator[Refresh]:
        """Yield the record of a refresh that the `with` block performs; record the end when the block ends or fails."""
        refresh = Refresh(view, cause)
        self._refreshing.append(refresh)
        try:
            yield refresh
        except asyncio.CancelledError:
            refresh.ended(OperationState.CANCELED)
            raise
        except Exception as failure:
            state = failure.sql_state if isinstance(failure, SqlError) else None
            said = kept_message(first_message(str(failure)), state, literals=self._literals)
            refresh.ended(OperationState.ERROR, said)
            raise
        else:
            refresh.ended(OperationState.FINISHED)
        finally:
            self._refreshing.remove(refresh)
            self._refreshed.append(refresh)
            _log.info("%s", refresh)
            for sink in self._sinks:
                sink.refreshed(refresh)

    def _count(self, record: Record) -> None:
        """Pass a statement to the sinks to be counted; do nothing if it has been counted before."""
        if not record.counted:
            record.counted = True
            for sink in self._sinks:
                sink.ended(record)

    def _close(self, guid: bytes) -> None:
        record = self._unclosed.pop(guid, None)
        if record is not None:
            record.ended_again(OperationState.CANCELED)
            self._count(record)
            self._tell(record)

    def flush(self) -> None:
        """Log the statements that were closed since the last flush, and pass their records to the sinks."""
        closed, self._closed = self._closed, []
        for record in closed:
            _log.info("%s", record)
            for sink in self._sinks:
                sink.closed(record)

    def _tell(self, record: Record) -> None:
        """Log a closed statement and pass its record to the sinks 50 ms later, together with statements closed
        meanwhile.

        The delay keeps this work from delaying the reply for which the client waits.
        """
        self._closed.append(record)
        if len(self._closed) > 1:
            return
        try:
            asyncio.get_running_loop().call_later(_SOON, self.flush)
        except RuntimeError:  # there is no event loop that would be delayed
            self.flush()
