"""Spark Thrift Server as we see it: connections, sessions on them, and the choice among several servers.

`connection` is logged in, each call on it is answered by a `reply`, `session` has one, `operation` runs in it once a
reply has `announced` it. `place` is one server and `pool` all of them: who gets a session, and who waits. `attachment`
is what a client session holds: an upstream session while there is use for it. `health` looks whether servers are well.
Of a place, `opening` opens the sessions, `control` is a connection that no statement occupies, `slots` are its
statements, and `fair_queue` tells whose turn it is.
"""

from proxy.upstream.announced import Announced, started
from proxy.upstream.attachment import Attachment
from proxy.upstream.connection import Terms, Timeouts, Upstream
from proxy.upstream.health import watch
from proxy.upstream.operation import RemoteStatus, UpstreamOperation
from proxy.upstream.place import Place
from proxy.upstream.pool import Steering, Upstreams
from proxy.upstream.progress import Progress, Stage, progress_response, unknown
from proxy.upstream.reply import Reply
from proxy.upstream.session import UpstreamSession, read_handle

__all__ = [
    "Announced",
    "Attachment",
    "Place",
    "Progress",
    "RemoteStatus",
    "Reply",
    "Stage",
    "Steering",
    "Terms",
    "Timeouts",
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
