"""The way to a session on an upstream: a connection, its handshake, OpenSession."""

from __future__ import annotations

import asyncio

from proxy.hs2 import SESSION_HANDLE, SqlError, check, read_reply
from proxy.hs2.generated import ttypes
from proxy.upstream.connection import Timeouts, connect
from proxy.upstream.place import LOST, Place
from proxy.upstream.session import UpstreamSession, read_handle
from proxy.wire import find, read_map, value_bytes, with_field, write_map
from proxy.wire.layout import MAP

_REJECTED = "08004"
_CONFIGURATION, _NAMESPACE = (1, 4), b"use:database"


async def open_session(place: Place, user: str, message: bytes, timeouts: Timeouts) -> tuple[UpstreamSession, bytes]:
    """Relay an OpenSession for a user: the session, and the upstream's reply; SqlError 08S01 if it is not to be had."""
    upstream = place.upstream
    login = upstream.user or user
    connection = await connect(upstream, login, upstream.password or login, timeouts, place.pulse)
    try:
        async with asyncio.timeout(timeouts.open):
            reply = await connection.call(message)
        response = read_reply(reply, ttypes.TOpenSessionResp)
        check(response.status)
        handle = read_handle(reply, SESSION_HANDLE)
        if handle is None:
            raise SqlError(f"{upstream.named} has opened a session without giving a handle", LOST)
    except TimeoutError as error:
        connection.close()
        raise SqlError(f"{upstream.named} opens no session in time; try again later", LOST) from error
    except BaseException as error:
        well = connection.alive
        connection.close()
        if isinstance(error, SqlError) and error.sql_state == LOST and well:  # it is there for other clients
            raise SqlError(error.message, _REJECTED) from error
        raise
    place.version = response.serverProtocolVersion
    return UpstreamSession(connection, place, handle, timeouts), reply


def without_namespace(message: bytes) -> bytes | None:
    """The same OpenSession without the namespace to begin in; None if it names none."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    others = [(key, value) for key, value in entries if key != _NAMESPACE]
    return with_field(message, _CONFIGURATION, MAP, write_map(others)) if len(others) < len(entries) else None
