"""One call, as its handler sees it: the message, and what its handle stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from proxy.hs2 import encode_reply, read_request
from proxy.service.operation import RunningOperation
from proxy.service.peer import Peer
from proxy.session import ClientSession, Handle
from proxy.wire import Head, WireError, find_handle

if TYPE_CHECKING:
    from proxy.service.service import Service

S = TypeVar("S")

# In every request of the service the handle is field 1, and its identifier field 1 of that.
REQUEST_HANDLE = (1, 1, 1)


@dataclass(slots=True)
class Call:
    """A call from a peer."""

    service: Service
    peer: Peer
    head: Head
    message: bytes
    _places: tuple[int, int] | None = None  # of the two parts of the handle, once it is found

    def request(self, kind: type[S]) -> S:
        """The request, decoded."""
        return read_request(self.message, kind)

    def reply(self, response: Any) -> bytes:
        """The message that answers this call."""
        return encode_reply(self.head.name, self.head.seqid, response)

    def session(self) -> ClientSession:
        """The session that the request names, if this peer's principal has opened it."""
        return self.service.sessions.find(self._handle(), self.peer.user)

    def operation(self) -> RunningOperation:
        """The operation that the request names, if it belongs to a session of this peer's principal."""
        operation = self.service.sessions.find_operation(self._handle(), self.peer.user)
        assert isinstance(operation, RunningOperation)
        return operation

    def addressed_to(self, handle: Handle) -> bytes:
        """The message with the upstream's handle in place of ours, and every other byte as it came."""
        return handle.into(self.message, *(self._places or self._found()))

    def _handle(self) -> Handle:
        return Handle.at(self.message, *self._found())

    def _found(self) -> tuple[int, int]:
        places = find_handle(self.message, REQUEST_HANDLE)
        if places is None:
            raise WireError("Required field 'sessionHandle' or 'operationHandle' is unset!")
        self._places = places
        return places


def with_handle(message: bytes, path: tuple[int, ...], handle: Handle) -> bytes:
    """The message with the handle whose identifier is at a path replaced; handles are all of one length."""
    places = find_handle(message, path)
    if places is None:
        raise WireError(f"no handle of 16 bytes at {path}")
    return handle.into(message, *places)
