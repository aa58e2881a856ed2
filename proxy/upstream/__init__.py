"""Connects to Spark Thrift Servers, the upstreams: connections, sessions, operations, and the choice of a server.

`terms` configure a server's address, transport and share of the load. `dial` opens a network connection and
`connection` logs in on it. A `session` has one connection and runs operations. `place` tracks one server: its load, its
health, and the slots that limit its concurrent statements, with a fair queue. `pool` chooses a server for a new
session, queues sessions that must wait, and checks the servers' health. `attachment` gives a client session its
upstream session while it needs one, and recreates it on another one later.
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
