"""Spark Thrift Server as we see it: connections, sessions on them, and the choice among several servers."""

from proxy.upstream.connection import Timeouts, Upstream
from proxy.upstream.operation import RemoteOperation, RemoteStatus
from proxy.upstream.pool import Upstreams
from proxy.upstream.session import UpstreamSession, read_handle

__all__ = ["RemoteOperation", "RemoteStatus", "Timeouts", "Upstream", "UpstreamSession", "Upstreams", "read_handle"]
