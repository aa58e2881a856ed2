"""The data pipeline: refreshes the storage of materialized views on Spark."""

from proxy.pipeline.connect_runner import ConnectRunner
from proxy.pipeline.embedded_runner import EmbeddedRunner
from proxy.pipeline.history import Span, freshness
from proxy.pipeline.on_commit import OnCommit
from proxy.pipeline.orphans import Orphans
from proxy.pipeline.pipeline import Pipeline
from proxy.pipeline.runner import Runner
from proxy.pipeline.schedule import Schedule
from proxy.pipeline.stages import stages_of
from proxy.pipeline.statements import pin, relations
from proxy.pipeline.status import Status, status
from proxy.pipeline.steps import UP_TO_DATE, Asked
from proxy.pipeline.thrift_runner import ThriftRunner
from proxy.pipeline.watching import Begun

__all__ = [
    "UP_TO_DATE",
    "Asked",
    "Begun",
    "ConnectRunner",
    "EmbeddedRunner",
    "OnCommit",
    "Orphans",
    "Pipeline",
    "Runner",
    "Schedule",
    "Span",
    "Status",
    "ThriftRunner",
    "freshness",
    "pin",
    "relations",
    "stages_of",
    "status",
]
