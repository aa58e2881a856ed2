"""Spark Thrift Server as we see it: connections, sessions on them, and the choice among several servers.

`terms` say where servers are, how they are spoken to, and how much they get. `dial` makes a way to one. A `connection`
is logged in, a `session` has one, an `operation`
runs in it. `place` is one server and `pool` all of them: which one gets a session, and who waits; `slots` are the
statements that a server runs at a time, and the fair queue before them. `attachment` is what a client session holds:
an upstream session while there is use for it, made again by `kept`. `health` looks whether servers are well.
"""

from proxy.upstream.attachment import Attachment
from proxy.upstream.connection import Reply
from proxy.upstream.health import watch
from proxy.upstream.operation import Announced, RemoteStatus, UpstreamOperation, started
from proxy.upstream.place import Place
from proxy.upstream.pool import Steering, Upstreams
from proxy.upstream.progress import Progress, Stage, progress_response, unknown
from proxy.upstream.session import UpstreamSession, read_handle
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
    "progress_response",
    "read_handle",
    "started",
    "unknown",
    "watch",
]
