"""The data pipeline: what brings the storage of materialized views up to date, on Spark."""

from proxy.pipeline.embedded_runner import EmbeddedRunner
from proxy.pipeline.on_commit import OnCommit
from proxy.pipeline.orphans import Orphans
from proxy.pipeline.pipeline import Log, Pipeline, Refreshed
from proxy.pipeline.runner import Job, Runner
from proxy.pipeline.schedule import Schedule
from proxy.pipeline.statements import pin, relations
from proxy.pipeline.status import Status, status
from proxy.pipeline.thrift_runner import ThriftRunner

__all__ = [
    "EmbeddedRunner",
    "Job",
    "Log",
    "OnCommit",
    "Orphans",
    "Pipeline",
    "Refreshed",
    "Runner",
    "Schedule",
    "Status",
    "ThriftRunner",
    "pin",
    "relations",
    "status",
]
