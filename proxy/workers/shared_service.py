"""The Thrift service of one worker among several, which relays a call with another worker's handle to that worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any

from proxy.hs2 import SqlError, read_request
from proxy.hs2.generated import ttypes
from proxy.server import Caller, Conversation, Entrance
from proxy.service import HANDLERS, Peer, Service
from proxy.session import REQUEST_HANDLE, Worker
from proxy.statements import classify
from proxy.wire import CALL, FrameReader, Refused, WireError, find_handle, frame, read_head
from proxy.workers.neighbours import Gone, Neighbours, number_of, opened, told_apart

_MARK = 14  # the offset of the mark in a handle's id, in bytes
_HEADER = 256 * 1024  # bytes; more than the caller's name and address can take
_NOBODY = Peer("")
_PATIENCE = 5.0  # seconds in which a healthy worker answers

# Calls on a statement: if the worker that ran it has ended, no other worker knows its text.
_ON_STATEMENTS = frozenset(
    {"GetOperationStatus", "GetResultSetMetadata", "FetchResults", "CancelOperation", "CloseOperation"}
)

# Questions that one worker asks another; relayed calls do not begin like them. A newline separates a question from its
# argument.
_AT_REST, _TOLD, _HOW = b"at rest?", b"told?", b"how?"
_ABOUT = b"\n"


class SharedService(Service):
    """The Thrift service of one worker process, which relays a call with another worker's handle to that worker.

    The handles that this service creates contain the worker's mark (generation and number). `count` is the number of
    workers; `parts` are the arguments of Service.
    """

    def __init__(self, neighbours: Neighbours, count: int, *parts: Any) -> None:
        super().__init__(*parts)
        self.mark = neighbours.own
        self.prefetch = self.prefetch.part(count)
        self._neighbours = neighbours
        self._count = count
        self._retiring = False
        self._told = asyncio.Event()
        self.answers[_AT_REST] = lambda _: self.sessions.rest()
        self.answers[_TOLD] = lambda _: self._told.wait()
        self.answers[_HOW] = self._how

    async def handle(self, peer: Peer, message: bytes) -> bytes:
        mark = self._elsewhere(message)
        if mark is None:
            return await super().handle(peer, message)
        try:
            return await self._neighbours.call(mark, peer, message)
        except SqlError as error:
            head = read_head(message)
            assert head is not None
            return self.refused(head, _told(error, head.name, message) if isinstance(error, Gone) else error)

    async def here(self, peer: Peer, message: bytes) -> bytes:
        """Return the reply to a call that another worker has relayed to this worker."""
        return await super().handle(peer, message)

    async def ask(self, question: bytes, patience: float, about: bytes = b"") -> dict[int, Any]:
        there = await self._all(question + _ABOUT + about, patience)
        there[self.mark] = await self.answers[question](about)
        numbers = told_apart(there)
        return {numbers[mark]: answer for mark, answer in there.items()}

    async def workers(self) -> Mapping[int, Worker | None]:
        """Return a description of each worker by its number.

        The description is None for a worker that has ended or does not answer within five seconds.
        """
        there = {number: Worker(*told) for number, told in (await self.ask(_HOW, _PATIENCE)).items()}
        return {**dict.fromkeys(range(1, self._count + 1)), **there}

    async def retire(self, patience: float) -> None:
        """Wait until this worker has no session left, or until `patience` seconds have passed."""
        self._retiring = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self.sessions.gone()

    async def rest(self) -> None:
        """Wait until no statement runs in any worker: a client of this worker may have a session in another worker.

        A worker that retires waits only for its own statements.
        """
        await asyncio.gather(super().rest(), *([] if self._retiring else [self._all(_AT_REST)]))

    async def stop_statements(self, patience: float) -> None:
        await super().stop_statements(patience)
        self._told.set()
        if self._retiring:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._all(_TOLD)

    async def close(self) -> None:
        await super().close()
        self._neighbours.close()

    def _elsewhere(self, message: bytes) -> bytes | None:
        """Return the mark (generation and number) of the other worker whose handle a call contains.

        Return None if this worker answers the call.
        """
        try:
            head = read_head(message)
            places = find_handle(message, REQUEST_HANDLE)
        except WireError:
            return None
        if head is None or places is None or head.type != CALL or head.name not in HANDLERS:
            return None
        mark = message[places[0] + _MARK : places[0] + _MARK + 2]
        return mark if mark != self.mark and 1 <= number_of(mark) <= self._count else None

    async def _how(self, _: bytes) -> Worker:
        return self.worker._replace(retiring=self._retiring)

    async def _all(self, question: bytes, patience: float | None = None) -> dict[bytes, Any]:
        """Return the replies of the other workers to an encoded request, by the workers' marks (generation and number).

        A worker that does not answer within `patience` seconds (None for no limit) is absent.
        """

        async def asked(mark: bytes) -> bytes:
            async with asyncio.timeout(patience):
                return await self._neighbours.call(mark, _NOBODY, question)

        marks = self._neighbours.others
        answers = await asyncio.gather(*(asked(mark) for mark in marks), return_exceptions=True)
        answered = zip(marks, answers, strict=True)
        return {mark: json.loads(answer) for mark, answer in answered if isinstance(answer, bytes)}


def _told(gone: Gone, name: str, message: bytes) -> SqlError:
    """Return the error for a call to a worker that has ended.

    The message says whether the statement may have been executed. `name` and `message` are the name and the bytes of
    the call. `gone` is the error of the relay.
    """
    if name == "ExecuteStatement" and gone.sent:
        sql = read_request(message, ttypes.TExecuteStatementReq).statement
        return gone.uncertain() if classify(sql).may_write else gone
    if name in _ON_STATEMENTS:
        return SqlError(
            f"{gone.what} Open a new session. If the statement writes, it may have been executed; check before you run "
            "it again.",
            gone.sql_state,
        )
    return gone


class RelayedCalls(Conversation):
    """The receiving side of relayed calls: each frame contains a client (Peer) and the call that the client made.

    Any process that can connect to the Unix socket is trusted, because the socket is in a private directory.
    """

    def __init__(self, entrance: Entrance, caller: Caller) -> None:
        super().__init__(entrance, caller)
        self._frames = FrameReader(entrance.limits.message + _HEADER)

    @property
    def buffered(self) -> int:
        return self._frames.buffered

    def receive_data(self, data: bytes) -> None:
        self._frames.receive_data(data)

    def next_event(self) -> bytes | None:
        return self._frames.next_event()

    async def answer(self, event: bytes) -> bytes | Refused:
        service = self._entrance.service
        assert isinstance(service, SharedService)
        self.peer, message = opened(event)
        question, _, about = message.partition(_ABOUT)
        answer = service.answers.get(question)
        if answer is None:
            return frame(await service.here(self.peer, message))
        return frame(json.dumps(await answer(about)).encode())
