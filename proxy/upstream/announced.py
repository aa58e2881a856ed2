"""What a reply says of the operation that it announces: read in one place, and once, for it keeps a client waiting."""

from __future__ import annotations

from typing import NamedTuple

from proxy.hs2 import OPERATION_HANDLE, Interrupted, SqlError, check, read_reply, succeeded
from proxy.hs2.generated import ttypes
from proxy.session import Handle
from proxy.wire import find, find_handle, kept, read_i32

_KIND, _HAS_RESULT_SET = (0, 2, 2), (0, 2, 3)


class Announced(NamedTuple):
    """A started operation: the reply, and where the two parts of its handle begin there."""

    reply: bytes
    guid: int
    secret: int

    @classmethod
    def of(cls, reply: bytes) -> Announced | None:
        """What was started; None if the reply is an error's, SqlError 08S01 if it names no handle."""
        if not _succeeded(reply):
            return None
        places = find_handle(reply, OPERATION_HANDLE)
        if places is None:
            raise _no_handle()
        return cls(reply, *places)

    @property
    def handle(self) -> Handle:
        """The handle that the upstream gave it."""
        return Handle.at(*self)

    @property
    def kind(self) -> int:
        """What kind of operation it is, without which its handle is not valid to Spark."""
        return _kind(self.reply)

    @property
    def has_result_set(self) -> bool:
        """Whether there are rows to fetch, as far as the upstream knows."""
        return _has_result_set(self.reply)

    def under(self, handle: Handle) -> bytes:
        """The reply with another handle in the place of the upstream's."""
        return handle.into(*self)


def started(reply: bytes) -> Announced:
    """The operation that a reply announces; the error that it reports instead."""
    announced = Announced.of(reply)
    if announced is None:
        check(read_reply(reply, ttypes.TExecuteStatementResp).status)
        raise _no_handle()
    return announced


_succeeded = kept(succeeded)


@kept
def _kind(reply: bytes) -> int:
    kind = find(reply, _KIND)
    return 0 if kind is None else read_i32(reply, kind)


@kept
def _has_result_set(reply: bytes) -> bool:
    told = find(reply, _HAS_RESULT_SET)
    return told is None or reply[told.start] != 0


def _no_handle() -> SqlError:
    return Interrupted("Spark has started an operation without giving a handle.", "Try again.", "08S01")
