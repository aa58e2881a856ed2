"""Calls in, replies out: finds the handler of a call, and turns errors into replies."""

from __future__ import annotations

import asyncio
import logging

from proxy.hs2 import SqlError, encode_reply, failure
from proxy.service.call import Call, Peer, ServiceContext
from proxy.service.handlers import HANDLERS
from proxy.session import numbered
from proxy.wire import CALL, Fault, Head, WireError, application_exception, read_head

logger = logging.getLogger(__name__)

_NAME, _FETCH_RESULTS = 8, b"FetchResults"  # where a message has the name of its call


class Service(ServiceContext):
    """TCLIService for all connections."""

    async def handle(self, peer: Peer, message: bytes) -> bytes:
        """Return the reply to a call; raise WireError if the message is no call."""
        reply = self.foreseen(peer, message)
        if reply is not None:
            return reply
        head = read_head(message)
        if head is None or head.type != CALL:
            raise WireError("a message is not a call")
        handler = HANDLERS.get(head.name)
        if handler is None:
            text = f"Invalid method name: '{head.name}'"
            return application_exception(head.name, head.seqid, Fault.UNKNOWN_METHOD, text)
        try:
            return await handler.run(Call(head, message, self, peer))
        except WireError as error:
            logger.info("%s: %s: %s", peer, head.name, error)
            return application_exception(head.name, head.seqid, Fault.PROTOCOL_ERROR, str(error))
        except SqlError as error:
            return self.refused(head, error)
        except Exception as error:
            logger.exception("%s: %s", peer, head.name)
            return self.refused(head, SqlError(f"Viewgate could not answer {head.name}: {error!r}", "XX000"))

    def foreseen(self, peer: Peer, message: bytes) -> bytes | None:
        """Return the reply that was prepared for a call; None if there is none."""
        known = None if peer.foreseen is None else peer.foreseen.knows(message)
        if known is None:
            return None
        operation, answer = known
        try:
            reply = answer() if self.sessions.uses(operation) else None
            if reply is None:
                return None
            if message.startswith(_FETCH_RESULTS, _NAME):
                self.journal.fetched(operation, reply)
            return numbered(reply, message)
        except WireError:  # in a reply of Spark's: the call's own handler says so
            return None

    async def disconnected(self, peer: Peer) -> None:
        """Close the sessions that were opened on a connection."""
        sessions, peer.sessions = peer.sessions, []
        await asyncio.gather(*(self.close_session(session) for session in sessions))

    def refused(self, head: Head, error: SqlError) -> bytes:
        """Return the reply to a call that has failed."""
        failed = HANDLERS[head.name].failed
        if failed is None:
            return application_exception(head.name, head.seqid, Fault.INTERNAL_ERROR, error.message)
        return encode_reply(head.name, head.seqid, failed(failure(error)))
