"""Opens a session on an upstream server: connects, logs in as the session's user, and calls OpenSession."""

from __future__ import annotations

import asyncio

from proxy.hs2 import SESSION_HANDLE, SqlError, Unreachable, check, encode_call, read_reply
from proxy.hs2.codec import V11
from proxy.hs2.generated import ttypes
from proxy.upstream.connection import connect
from proxy.upstream.dial import NotLetIn
from proxy.upstream.policy import Place
from proxy.upstream.session import UpstreamSession, read_handle
from proxy.upstream.terms import OWN, Timeouts
from proxy.wire import Transport, find, read_map, value_bytes, with_field, write_map
from proxy.wire.message import MAP, STRING

_REJECTED = "08004"
# The request for a session of Viewgate's own.
OWN_SESSION = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=V11, configuration={}))
_USERNAME, _PASSWORD, _CONFIGURATION = (1, 2), (1, 3), (1, 4)
_PROXY_USER = b"hive.server2.proxy.user"


async def open_session(
    place: Place, user: str | None, message: bytes, timeouts: Timeouts
) -> tuple[UpstreamSession, bytes]:
    """Open a session on a server; return the session, and the server's reply to OpenSession.

    `place` is the server. `message` is the OpenSession request; `user` is None for a session of Viewgate itself. Raise
    Unreachable (08S01) if the server cannot be reached or does not reply in time. Raise SqlError if a working server
    refuses the session; the SQLSTATE 08S01 of such a refusal is replaced by 08004.
    """
    upstream = place.upstream
    login = upstream.user or user or OWN
    password = upstream.password or login
    if upstream.link.transport is Transport.NOSASL:  # without SASL, only the call names the user
        message = with_field(message, _USERNAME, STRING, login.encode())
        message = with_field(message, _PASSWORD, STRING, password.encode())
    if upstream.link.impersonate and user is not None:
        message = _acting_for(message, user)
    connection = await connect(upstream, login, password, timeouts, place.pulse)
    try:
        async with asyncio.timeout(timeouts.open):
            reply = await connection.call(message)
        response = read_reply(reply, ttypes.TOpenSessionResp)
        check(response.status)
        handle = read_handle(reply, SESSION_HANDLE)
        if handle is None:
            raise Unreachable(
                f"{upstream.named} accepted OpenSession but returned no session handle; see the log of the server"
            )
    except TimeoutError as error:
        connection.close()
        kind = Unreachable if connection.heard else NotLetIn
        raise kind(f"{upstream.named} did not open a session within {timeouts.open:g} s; try again later") from error
    except BaseException as error:
        well = connection.alive
        connection.close()
        if isinstance(error, Unreachable) and well:  # the server works for other clients
            raise SqlError(error.message, _REJECTED) from error
        raise
    place.version = response.serverProtocolVersion
    return UpstreamSession(connection, place, handle, timeouts), reply


def _acting_for(message: bytes, user: str) -> bytes:
    """Return the OpenSession message with hive.server2.proxy.user set, which asks the server to act for the user."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    entries = [entry for entry in entries if entry[0] != _PROXY_USER]
    return with_field(message, _CONFIGURATION, MAP, write_map([*entries, (_PROXY_USER, user.encode())]))
