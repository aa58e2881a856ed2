"""Recorded bytes of real clients: calls of all kinds, logins, and HTTP requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proxy.session import REQUEST_HANDLE, Handle, with_handle
from proxy.wire import find_handle, with_field
from proxy.wire.message import I32

_KIND = (1, 1, 2)


@dataclass(frozen=True)
class Sent:
    """Bytes that a client sent; `what` is the call's name, or `login` or `http`."""

    client: str
    what: str
    data: bytes

    def addressed_to(self, session: Handle, statement: Handle) -> bytes:
        """Return the call with its handle, if it has one, replaced by a valid handle."""
        if find_handle(self.data, REQUEST_HANDLE) is None:
            return self.data
        if self.what not in OF_OPERATIONS:
            return with_handle(self.data, REQUEST_HANDLE, session)
        # Some were about what lists something, which is another kind of operation.
        return with_field(with_handle(self.data, REQUEST_HANDLE, statement), _KIND, I32, bytes(4))


# Those whose handle is an operation's; all others' is a session's.
OF_OPERATIONS = frozenset(
    {
        *("GetOperationStatus", "CancelOperation", "CloseOperation", "CloseImpalaOperation"),
        *("GetResultSetMetadata", "FetchResults", "GetLog", "GetQueryId"),
    }
)


def _read(line: str) -> Sent:
    client, what, data = line.split()
    return Sent(client.replace("_", " "), what, bytes.fromhex(data))


ALL = [_read(line) for line in Path(__file__).with_name("corpus.txt").read_text().splitlines() if line[0] != "#"]
CALLS = [sent for sent in ALL if sent.what not in ("login", "http")]
