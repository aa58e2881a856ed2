"""A client's ExecuteStatement message, and the variants of it that go to the upstream."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from proxy.hs2 import read_request
from proxy.hs2.generated import ttypes
from proxy.journal import Record
from proxy.service.call import Call
from proxy.session import ClientSession, Handle
from proxy.wire import WireError, kept, with_field
from proxy.wire.layout import BOOL, I64, STRING

_STATEMENT, _RUN_ASYNC, _QUERY_TIMEOUT = (1, 2), (1, 4), (1, 5)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as it came: bytes, text, whether it waits, until when it may run (loop time); and its record."""

    call: Call
    sql: str
    run_async: bool
    deadline: float | None
    record: Record

    @classmethod
    def of(cls, call: Call, session: ClientSession) -> Statement:
        """The statement in a call."""
        sql, run_async, limit = _asked(call.message)
        if sql is None:
            raise WireError("Required field 'statement' is unset!")
        deadline = asyncio.get_running_loop().time() + limit if limit > 0 else None
        return cls(call, sql, run_async, deadline, call.service.journal.receive(session, sql))

    @property
    def expired(self) -> bool:
        """Whether its time is over."""
        return self.deadline is not None and asyncio.get_running_loop().time() >= self.deadline

    def outgoing(self, upstream: Handle, sql: str | None, *, brief: bool = False) -> bytes:
        """The message for an upstream: with other SQL if given, in what is left of its time.

        It is asynchronous, or nobody could stop the statement; unless that is `brief`, and as the client would have it.
        """
        message = self.call.addressed_to(upstream)
        if not self.run_async and not brief:
            message = with_field(message, _RUN_ASYNC, BOOL, b"\x01")
        if sql is not None:
            message = with_field(message, _STATEMENT, STRING, sql.encode())
        if self.deadline is None:
            return message
        # Whole seconds, and 0 would mean no limit at all.
        left = max(1, round(self.deadline - asyncio.get_running_loop().time()))
        return with_field(message, _QUERY_TIMEOUT, I64, left.to_bytes(8, "big"))


@kept
def _asked(message: bytes) -> tuple[str | None, bool, int]:
    """The text, whether the client does not wait, and the seconds that it may run; 0 is no limit."""
    request = read_request(message, ttypes.TExecuteStatementReq)
    return request.statement, bool(request.runAsync), request.queryTimeout or 0
