"""An operation that a test ends."""

from __future__ import annotations

from proxy.hs2 import SqlError
from proxy.session import Message, Operation, OperationState


class Stub(Operation):
    """An operation without a client."""

    async def abandon(self, error: SqlError | None = None) -> None:
        self.advance(OperationState.ERROR if error else OperationState.CANCELED, error)

    async def wait(self) -> None:
        raise AssertionError

    async def status(self, call: Message) -> bytes:
        raise AssertionError

    metadata = fetch = query_id = cancel = close = status
