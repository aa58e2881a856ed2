"""A client's call as bytes, and the variants of its ExecuteStatement that go to the upstream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proxy.hs2 import encode_reply, read_request
from proxy.journal import Record
from proxy.session import Handle
from proxy.wire import Head, WireError, find, find_handle, kept, value_bytes, with_field
from proxy.wire.message import BOOL, I64, STRING

S = TypeVar("S")

# In every request of the service the handle is field 1, and its identifier field 1 of that.
REQUEST_HANDLE = (1, 1, 1)
_STATEMENT, _RUN_ASYNC, _QUERY_TIMEOUT = (1, 2), (1, 4), (1, 5)


@dataclass(slots=True)
class Message:
    """The bytes of a call, its head, and the place of its handle once that is found."""

    head: Head
    message: bytes
    _places: tuple[int, int] | None = field(default=None, init=False)  # of the two parts of the handle

    def request(self, kind: type[S]) -> S:
        """Return the request, decoded."""
        return read_request(self.message, kind)

    def reply(self, response: Any) -> bytes:
        """Return the message that answers this call."""
        return encode_reply(self.head.name, self.head.seqid, response)

    def handle(self) -> Handle:
        """Return the handle that the call names; raise WireError if there is none."""
        return Handle.at(self.message, *self._found())

    def addressed_to(self, handle: Handle) -> bytes:
        """Return the message with another handle in place of its own, and every other byte as it came."""
        return handle.into(self.message, *(self._places or self._found()))

    def _found(self) -> tuple[int, int]:
        places = find_handle(self.message, REQUEST_HANDLE)
        if places is None:
            raise WireError("Required field 'sessionHandle' or 'operationHandle' is unset!")
        self._places = places
        return places


def with_handle(message: bytes, path: tuple[int, ...], handle: Handle) -> bytes:
    """Return the message with the handle whose identifier is at a path replaced; handles are all of one length."""
    places = find_handle(message, path)
    if places is None:
        raise WireError(f"no handle of 16 bytes at {path}")
    return handle.into(message, *places)


@dataclass(frozen=True, slots=True)
class Statement:
    """An ExecuteStatement: its bytes, the text, whether the client waits, its deadline (loop time), and its record."""

    call: Message
    sql: str
    run_async: bool
    deadline: float | None
    record: Record

    @classmethod
    def of(cls, call: Message, record: Callable[[str], Record]) -> Statement:
        """Return the statement in a call; raise WireError if it has no text."""
        sql, run_async, limit = _asked(call.message)
        if sql is None:
            raise WireError("Required field 'statement' is unset!")
        deadline = asyncio.get_running_loop().time() + limit if limit > 0 else None
        return cls(call, sql, run_async, deadline, record(sql))

    @property
    def expired(self) -> bool:
        """Whether its deadline has passed."""
        return self.deadline is not None and asyncio.get_running_loop().time() >= self.deadline

    def outgoing(self, upstream: Handle, sql: str | None, *, brief: bool = False) -> bytes:
        """Return the message for an upstream, with other SQL if given, and with the time left until the deadline.

        It is asynchronous, so that a running statement can be stopped; a `brief` one is as the client sent it.
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
    """Return the text, whether the client does not wait, and the seconds that it may run; 0 is no limit."""
    text, run_async, limit = (
        _value(message, path, kind) for path, kind in ((_STATEMENT, STRING), (_RUN_ASYNC, BOOL), (_QUERY_TIMEOUT, I64))
    )
    try:
        sql = None if text is None else text.decode()
    except UnicodeDecodeError as error:
        raise WireError(f"the statement is no text: {error}") from error
    return sql, any(run_async or b""), int.from_bytes(limit or b"", "big", signed=True)


def _value(message: bytes, path: tuple[int, ...], kind: int) -> bytes | None:
    """Return the bytes of a field; None if it is absent, or of another type, which Thrift skips."""
    span = find(message, path)
    return value_bytes(message, span) if span is not None and span.type == kind else None
