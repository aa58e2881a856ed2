"""The columns of a constant statement, which a pool's SELECT 1 asks for again and again."""

from __future__ import annotations

from proxy.hs2 import succeeded
from proxy.session import ClientSession, Handle


class ConstantColumns:
    """Those of one run; the reply that tells them is good for the next one, as long as nothing else runs in between."""

    __slots__ = ("_moment", "_session", "_under")

    def __init__(self, session: ClientSession, upstream: Handle, sql: str) -> None:
        self._session = session
        self._moment = session.disturbances.moment
        self._under = upstream, self._moment, sql  # all that they depend on

    @property
    def known(self) -> bytes | None:
        """The reply at the same statement's last run, if nothing can have changed it."""
        kept = self._session.habits.schema
        if kept is None or self._moment is None or self._moment != self._session.disturbances.moment:
            return None
        return kept[1] if kept[0] == self._under else None

    def keep(self, reply: bytes) -> None:
        """Have it known at the next run."""
        if succeeded(reply):
            self._session.habits.schema = self._under, reply
