"""A client's ExecuteStatement message, and the variants of it that go to the upstream."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.session import Handle
from proxy.wire import WireError, with_field
from proxy.wire.layout import BOOL, I64, STRING

_STATEMENT, _RUN_ASYNC, _QUERY_TIMEOUT = (1, 2), (1, 4), (1, 5)


@dataclass(frozen=True, slots=True)
class Statement:
    """What the client asked: its bytes, the text, whether it waits, and until when it may run (loop time)."""

    call: Call
    sql: str
    run_async: bool
    deadline: float | None

    @classmethod
    def of(cls, call: Call) -> Statement:
        """The statement in a call."""
        request = call.request(ttypes.TExecuteStatementReq)
        if request.statement is None:
            raise WireError("Required field 'statement' is unset!")
        limit = request.queryTimeout or 0
        deadline = asyncio.get_running_loop().time() + limit if limit > 0 else None
        return cls(call, request.statement, bool(request.runAsync), deadline)

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
