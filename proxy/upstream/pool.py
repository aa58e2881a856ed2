"""The upstreams that there are, and the choice among them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from proxy.hs2 import SESSION_HANDLE, SqlError, check, read_reply
from proxy.hs2.generated import ttypes
from proxy.upstream.connection import Timeouts, Upstream, connect
from proxy.upstream.control import Control
from proxy.upstream.session import UpstreamSession, read_handle

logger = logging.getLogger(__name__)

_LOST = "08S01"


class Upstreams:
    """Opens sessions on the first upstream that takes them, in the order given."""

    def __init__(self, upstreams: Sequence[Upstream], timeouts: Timeouts | None = None) -> None:
        if not upstreams:
            raise ValueError("at least one upstream is needed")
        self._timeouts = timeouts or Timeouts()
        self._controls = {upstream: Control(upstream, self._timeouts) for upstream in upstreams}

    async def open(self, user: str, message: bytes) -> tuple[UpstreamSession, bytes]:
        """Relay an OpenSession for a user: the session, and the upstream's reply."""
        problem = SqlError("there is no upstream", _LOST)
        for upstream in self._controls:
            try:
                return await self._open(upstream, user, message)
            except SqlError as error:
                if error.sql_state != _LOST:
                    raise
                logger.warning("%s", error.message)
                problem = error
        raise problem

    def close(self) -> None:
        """Close what is shared by sessions."""
        for control in self._controls.values():
            control.close()

    async def _open(self, upstream: Upstream, user: str, message: bytes) -> tuple[UpstreamSession, bytes]:
        login = upstream.user or user
        connection = await connect(upstream, login, upstream.password or login, self._timeouts)
        try:
            async with asyncio.timeout(self._timeouts.open):
                reply = await connection.call(message)
            check(read_reply(reply, ttypes.TOpenSessionResp).status)
            handle = read_handle(reply, SESSION_HANDLE)
            if handle is None:
                raise SqlError(f"{upstream.named} has opened a session without giving a handle", _LOST)
        except TimeoutError as error:
            connection.close()
            raise SqlError(f"{upstream.named} opens no session in time; try again later", _LOST) from error
        except BaseException:
            connection.close()
            raise
        return UpstreamSession(connection, self._controls[upstream], handle, self._timeouts), reply
