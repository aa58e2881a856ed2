"""Spark Thrift Server as we see it: connections, sessions on them, and the choice among several servers."""

from proxy.upstream.connection import Timeouts, Upstream
from proxy.upstream.operation import RemoteOperation, RemoteStatus
from proxy.upstream.pool import Upstreams
from proxy.upstream.progress import Progress, Stage, progress_response, unknown
from proxy.upstream.session import UpstreamSession, read_handle

__all__ = [
    "Progress",
    "RemoteOperation",
    "RemoteStatus",
    "Stage",
    "Timeouts",
    "Upstream",
    "UpstreamSession",
    "Upstreams",
    "progress_response",
    "read_handle",
    "unknown",
]
