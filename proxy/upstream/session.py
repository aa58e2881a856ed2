"""A session on an upstream, with a connection of its own: opened, used, closed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from proxy.hs2 import (
    SESSION_HANDLE,
    ResultSet,
    SqlError,
    Unreachable,
    check,
    columns_of,
    decode_rows,
    encode_call,
    read_reply,
    reported,
)
from proxy.hs2.generated import ttypes
from proxy.hs2.status import first_message
from proxy.session import Handle, OperationState
from proxy.upstream.connection import Connection, connect
from proxy.upstream.dial import NotLetIn
from proxy.upstream.operation import UpstreamOperation, started
from proxy.upstream.place import Place
from proxy.upstream.terms import OWN, Timeouts
from proxy.wire import Transport, find, find_handle, read_map, value_bytes, with_field, write_map
from proxy.wire.message import MAP, STRING

logger = logging.getLogger(__name__)


class UpstreamSession:
    """A client session's session on an upstream server; `left` is called when the upstream session is closed."""

    __slots__ = ("_connection", "_timeouts", "handle", "left", "place")

    def __init__(self, connection: Connection, place: Place, handle: Handle, timeouts: Timeouts) -> None:
        self._connection = connection
        self._timeouts = timeouts
        self.place = place
        self.handle = handle
        self.left: Callable[[], None] | None = None

    @property
    def server(self) -> str:
        """The host and port of the upstream server."""
        return str(self.place.upstream)

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return self._connection.alive

    async def call(self, message: bytes) -> bytes:
        """Relay a message and return the reply; SqlError 08S01 if the upstream is lost."""
        return await self._connection.send(message)

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Relay a message now and return its reply; a reply after a cancel, or None in its place, goes to `late`."""
        return self._connection.send(message).or_late(late)

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Send messages at once; return the futures of their replies."""
        return self._connection.send_all(messages)

    def advise(self, advice: str) -> None:
        """Set the hint appended to connection-loss errors."""
        self._connection.advise(advice)

    async def control(self, message: bytes) -> bytes:
        """Relay a message on a connection that no statement occupies."""
        return await self.place.control.call(message)

    def take_slot(self) -> bool:
        """Return whether a statement can be started now; one that is, gives its slot back when it has ended."""
        return self.place.statements.take()

    async def wait_for_slot(self, principal: str) -> None:
        """Return when it is the principal's turn to start a statement."""
        await self.place.statements.wait(principal)

    def give_slot_back(self) -> None:
        """Take note that a statement has ended."""
        self.place.statements.give_back()

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of our own in this session and fetch all of its result; SqlError with Spark's own text."""
        await self.place.questions.wait(self.handle.id)
        try:
            return await self._ask(sql)
        finally:
            self.place.questions.give_back()

    async def _ask(self, sql: str) -> ResultSet:
        starting = asyncio.create_task(self._start(sql))
        ended = False
        try:
            # Cut off between the upstream's start and our note of it, the statement would run on for good.
            operation = await asyncio.shield(starting)
            status = await operation.wait()
            ended = True
            if status.state is not OperationState.FINISHED:
                raise _named(status.error) or SqlError(f"The statement ended as {status.state.name}", "HY008")
            schema = await operation.schema()
            rows = []
            while block := decode_rows(await operation.fetch()):
                rows += block
            return ResultSet(columns_of(schema), tuple(rows))
        finally:
            with contextlib.suppress(SqlError):
                operation = await starting
                if not ended:
                    await operation.cancel()
                await operation.close()

    async def close(self) -> None:
        """Close the upstream's session and the connection to it; never raises."""
        try:
            if self._connection.alive:
                request = ttypes.TCloseSessionReq(sessionHandle=self._thrift())
                async with asyncio.timeout(self._timeouts.close):
                    await self.call(encode_call("CloseSession", 0, request))
                self.place.closes = True
        except TimeoutError:
            # Spark closes the session of a connection that goes away, when it gets to it.
            level = logging.WARNING if self.place.closes else logging.DEBUG
            logger.log(
                level, "upstream session %s: CloseSession was not answered in %gs", self.handle.id, self._timeouts.close
            )
        except SqlError as error:
            logger.warning("upstream session not closed session=%s error=%s", self.handle.id, error)
        finally:
            self._connection.close()
            left, self.left = self.left, None
            if left is not None:
                left()

    async def _start(self, sql: str) -> UpstreamOperation:
        request = ttypes.TExecuteStatementReq(sessionHandle=self._thrift(), statement=sql, runAsync=True)
        reply = await self.call(encode_call("ExecuteStatement", 0, request))
        return UpstreamOperation(self, started(reply).handle)

    def _thrift(self) -> object:
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TSessionHandle(sessionId=identifier)


def _named(error: SqlError | None) -> SqlError | None:
    """Return Spark's error without its stack frames, which tell users nothing."""
    return error and reported(first_message(error.message), error.sql_state, error.error_code)


def read_handle(message: bytes, path: tuple[int, ...]) -> Handle | None:
    """Return the handle whose identifier is at a path of a message."""
    places = find_handle(message, path)
    return None if places is None else Handle.at(message, *places)


_REJECTED = "08004"
_USERNAME, _PASSWORD, _CONFIGURATION, _NAMESPACE = (1, 2), (1, 3), (1, 4), b"use:database"
_PROXY_USER = b"hive.server2.proxy.user"


async def open_session(
    place: Place, user: str | None, message: bytes, timeouts: Timeouts
) -> tuple[UpstreamSession, bytes]:
    """Relay an OpenSession for a user, or for ourselves: the session, and the upstream's reply.

    Raise SqlError 08S01 if it is not to be had.
    """
    upstream = place.upstream
    login = upstream.user or user or OWN
    password = upstream.password or login
    if upstream.link.transport is Transport.NOSASL:  # nothing but the call says who it is
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
            raise Unreachable(f"{upstream.named} has opened a session without giving a handle")
    except TimeoutError as error:
        connection.close()
        kind = Unreachable if connection.heard else NotLetIn
        raise kind(f"{upstream.named} opens no session in time; try again later") from error
    except BaseException as error:
        well = connection.alive
        connection.close()
        if isinstance(error, Unreachable) and well:  # it is there for other clients
            raise SqlError(error.message, _REJECTED) from error
        raise
    place.version = response.serverProtocolVersion
    return UpstreamSession(connection, place, handle, timeouts), reply


def _acting_for(message: bytes, user: str) -> bytes:
    """Return the OpenSession request of a login that acts for another user."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    entries = [entry for entry in entries if entry[0] != _PROXY_USER]
    return with_field(message, _CONFIGURATION, MAP, write_map([*entries, (_PROXY_USER, user.encode())]))


def without_namespace(message: bytes) -> bytes | None:
    """Return the OpenSession without its initial namespace; None if it names none."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    others = [(key, value) for key, value in entries if key != _NAMESPACE]
    return with_field(message, _CONFIGURATION, MAP, write_map(others)) if len(others) < len(entries) else None
