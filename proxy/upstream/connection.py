"""One connection to an upstream: SASL PLAIN, then calls that are answered in the order in which they were sent."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from proxy.hs2 import ConnectionLost, LoginRefused, SqlError, Unreachable
from proxy.upstream.dial import NotLetIn, dial, foreign, tls_failure
from proxy.upstream.terms import Timeouts, Upstream
from proxy.wire import (
    Authenticated,
    FrameReader,
    MessageReader,
    Refused,
    SaslClient,
    WireError,
    frame,
    is_whole,
    name_of,
)

_REPLY_LIMIT = 1 << 31  # a reply is as long as the rows that a client asked for
_SHORT = 64 * 1024  # bytes of a message that is looked through in no time
_ENDS = bytes(3)  # how a reply does: of the call, of the response, and of what is in that


class Pulse:
    """The time of a server's last reply, on any of its connections."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = float("-inf")


class Reply(asyncio.Future[bytes]):
    """A future that `asyncio` knows as one. `resume`, if set, is called at once when there is a result or an error.

    `call` is what it answers; how long it may take depends on that. `late`, if set, gets what comes in after whoever
    waited was cancelled: the message, or None for an error.
    """

    call = b""
    resume: Callable[[], Any] | None = None
    late: Callable[[bytes | None], None] | None = None

    def deliver(self, message: bytes) -> None:
        """Take the reply, unless nobody wants it any more; to be called by a connection when it has read that."""
        if not self.done():
            self.set_result(message)
            self._go_on()
        elif self.late is not None:
            self.late(message)

    def fail(self, error: Exception) -> None:
        """Take an error in its place."""
        if not self.done():
            self.set_exception(error)
            self.get_loop().call_soon(self._go_on)  # a connection may be closed by anybody, in the midst of anything
        elif self.late is not None:
            self.late(None)

    async def or_late(self, late: Callable[[bytes | None], None]) -> bytes:
        """Return the reply; if the waiting task is cancelled, pass the reply to `late`."""
        self.late = late  # now: it may come in between a task's cancel and the turn in which the task hears of that
        try:
            return await self
        except asyncio.CancelledError:
            if not self.cancelled():
                late(None if self.exception() else self.result())
            raise

    def _go_on(self) -> None:
        resume, self.resume = self.resume, None
        if resume is not None:
            resume()


class Connection(asyncio.Protocol):
    """A connection that is logged in. A call that nobody waits for any more still takes its reply from the line."""

    def __init__(self, upstream: Upstream, sasl: SaslClient, timeouts: Timeouts, pulse: Pulse) -> None:
        self._loop = asyncio.get_running_loop()  # kept: to ask for it is a system call each time
        self._upstream = upstream
        self._sasl: SaslClient | None = sasl
        self._timeouts = timeouts
        self._pulse = pulse
        self._frames = FrameReader(_REPLY_LIMIT)
        self._pieces: MessageReader | None = None
        self._longest = 0  # message that has come in a frame of its own, as long as all have
        self._waiting: deque[Reply] = deque()
        self._since = 0.0  # when the upstream began with the first of those
        self._watch: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._lost: SqlError | None = None
        self._advice = "Try again."
        self.ready: asyncio.Future[None] = self._loop.create_future()

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return self._lost is None

    async def call(self, message: bytes) -> bytes:
        """Send a message and return its reply."""
        return await self.send(message)

    def send(self, message: bytes) -> Reply:
        """Send a message; calls may overlap, the upstream takes one after the other."""
        (reply,) = self.send_all((message,))
        return reply

    def send_all(self, messages: Sequence[bytes]) -> list[Reply]:
        """Send several messages at once, for which the upstream is woken once."""
        replies = [self._expected(message) for message in messages]
        self._write(b"".join([frame(message) for message in messages]))
        return replies

    def advise(self, advice: str) -> None:
        """Set the hint appended to connection-loss errors."""
        self._advice = advice

    def close(self) -> None:
        """Close the connection; calls that still wait fail."""
        self._fail(self._error("was closed"))
        if self._transport is not None:
            self._transport.close()

    def begin(self, transport: asyncio.Transport) -> None:
        """Log in on a connection that has just been made."""
        self._transport = transport
        if self._sasl is not None:
            transport.write(self._sasl.greeting)

    def data_received(self, data: bytes) -> None:
        try:
            if self._sasl is not None:
                if (wrong := foreign(data)) is not None:
                    self._break(Unreachable(f"{self._upstream.named} {wrong}"))
                    return
                self._sasl.receive_data(data)
                self._shake_hands(self._sasl)
            else:
                self._frames.receive_data(data)
            self._deliver()
        except WireError as error:
            self._break(self._error(f"sent what cannot be understood ({error})"))

    def connection_lost(self, exc: Exception | None) -> None:
        if isinstance(exc, ssl.SSLError):  # a server that wants a certificate of ours says so behind the handshake
            self._fail(Unreachable(f"{self._upstream.named}: {tls_failure(exc)}"))
        if self._sasl is not None and self._lost is None:
            closed = f"{self._upstream.named} closes connections before the login"
            wants = " it wants a certificate of [upstream.tls]," if self._upstream.link.tls is not None else ""
            self._fail(NotLetIn(f"{closed}: it is not well,{wants} or all its threads are busy; try again later"))
        self._fail(self._error("has closed the connection" if exc is None else f"is lost ({exc})"))

    def _expected(self, message: bytes) -> Reply:
        """Return the reply to a message that is sent now."""
        reply = Reply(loop=self._loop)
        reply.call = message
        if self._lost is not None:
            reply.fail(self._lost)
            return reply
        if not self._waiting:
            self._since = self._loop.time()
        self._waiting.append(reply)
        if self._watch is None:
            self._watch = self._loop.call_later(self._timeouts.shortest, self._look)
        return reply

    def _write(self, data: bytes) -> None:
        if self._lost is None and self._transport is not None:
            self._transport.write(data)

    def _shake_hands(self, sasl: SaslClient) -> None:
        event = sasl.next_event()
        if isinstance(event, Refused):
            self._break(LoginRefused(f"{self._upstream.named} refuses the login: {event.reason}"))
        elif isinstance(event, Authenticated):
            self._sasl = None
            self._frames.receive_data(event.rest)
            if not self.ready.done():
                self.ready.set_result(None)

    def _deliver(self) -> None:
        while (payload := self._frames.next_event()) is not None:
            if self._pieces is None and self._is_whole(payload):
                self._answer(payload)
                continue
            if self._pieces is None:
                self._pieces = MessageReader(_REPLY_LIMIT)
            self._pieces.receive_data(payload)
            while (message := self._pieces.next_event()) is not None:
                self._answer(message)
            if not self._pieces.buffered:
                self._pieces = None

    def _is_whole(self, payload: bytes) -> bool:
        """Return whether a frame holds one message and nothing else, as the Java servers that we know flush them.

        Others may take several frames for one, or put several into one. To look through 10,000 rows takes longer than
        all else that is done about them. So it is not done where one message is awaited, one as long has come in one
        frame, none has ever come in another way, and this one ends like one.
        """
        length = len(payload)
        if _SHORT < length <= self._longest and len(self._waiting) == 1 and payload.endswith(_ENDS):
            return True
        whole = is_whole(payload)
        if not whole:
            self._longest = -1
        elif self._longest >= 0:
            self._longest = max(self._longest, length)
        return whole

    def _answer(self, message: bytes) -> None:
        if not self._waiting:
            raise WireError("a reply that nobody asked for")
        reply = self._waiting.popleft()
        self._since = self._pulse.at = self._loop.time()
        reply.deliver(message)

    def _look(self) -> None:
        """End the connection if its first call is overdue, else look again when it would be.

        One timer goes from call to call, instead of one made and cancelled for each.
        """
        self._watch = None
        if not self._waiting:
            return
        name = name_of(self._waiting[0].call)
        limit = self._timeouts.of(name)
        left = self._since + limit - self._loop.time()
        if left > 0:
            self._watch = self._loop.call_later(min(left, self._timeouts.shortest), self._look)
        else:
            self._break(self._error(f"has not answered {name.decode('utf-8', 'replace')} for {limit:g} s"))

    def _error(self, what: str) -> SqlError:
        return ConnectionLost(f"{self._upstream.named} {what}.", self._advice)

    def _break(self, error: SqlError) -> None:
        self._fail(error)
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, error: SqlError) -> None:
        self._lost = self._lost or error
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if not self.ready.done():
            self.ready.set_exception(self._lost)
            self.ready.exception()  # not every waiter is still there to see it
        while self._waiting:
            self._waiting.popleft().fail(self._lost)


async def connect(upstream: Upstream, user: str, password: str, timeouts: Timeouts, pulse: Pulse) -> Connection:
    """Return a connection that is logged in; raise SqlError 08S01 if there is none in time."""
    connection = Connection(upstream, SaslClient(user, password), timeouts, pulse)
    transport = await dial(upstream, connection, timeouts)
    try:
        connection.begin(transport)
        async with asyncio.timeout(timeouts.handshake):
            await connection.ready
    except TimeoutError as error:
        connection.close()
        raise NotLetIn(
            f"{upstream.named} accepts connections but no logins: all its threads are busy; try again later"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection
