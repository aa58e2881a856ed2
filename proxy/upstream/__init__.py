"""Connects to Spark Thrift Servers, called upstreams: connections, sessions, operations, and the choice of a server.

`terms` has the settings of a server: address, transport, login, limits. `dial` opens a network connection and
`connection` logs in on it. A `session` has one connection and runs operations; `opening` opens a session. `policy` is
the admission policy: which server gets a new session, and which sessions and statements wait. `pool` carries the policy
out: it opens sessions, queues sessions that must wait, parks idle sessions, and checks the servers' health.
`attachment` opens the upstream session of a client session when a statement needs one, and closes the upstream session
while the client session is idle. The next upstream session gets the old session's state by a session replay.
"""

from proxy.upstream.attachment import Attachment, without_namespace
from proxy.upstream.connection import Reply
from proxy.upstream.policy import Place
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
    "without_namespace",
]
