"""Spark Thrift Server as we see it: connections, sessions on them, and the choice among several servers.

`terms` say where servers are, how they are spoken to, and how much they get. `dial` makes a way to one. A `connection`
is logged in, a `session` has one, and runs operations. `place` is one server, with the slots for the statements that it
runs at a time and the fair queue before them, and `pool` all of them: which one gets a session, who waits, which ones
are well. `attachment` is what a client session holds: an upstream session while there is use for it, replayed on
another one later.
"""

from proxy.upstream.attachment import Attachment
from proxy.upstream.connection import Reply
from proxy.upstream.place import Place
from proxy.upstream.pool import Steering, Upstreams, in_session, watch
from proxy.upstream.progress import Progress, Stage, progress_response, unknown
from proxy.upstream.session import Announced, RemoteStatus, UpstreamOperation, UpstreamSession, read_handle, started
from proxy.upstream.terms import OWN, Link, Terms, Tickets, Timeouts, Tls, Upstream

__all__ = [
    "OWN",
    "Announced",
    "Attachment",
    "Link",
    "Place",
    "Progress",
    "RemoteStatus",
    "Reply",
    "Stage",
    "Steering",
    "Terms",
    "Tickets",
    "Timeouts",
    "Tls",
    "Upstream",
    "UpstreamOperation",
    "UpstreamSession",
    "Upstreams",
    "in_session",
    "progress_response",
    "read_handle",
    "started",
    "unknown",
    "watch",
]
