"""Refreshes materialized views: Spark jobs compute a view's rows and write them to the view's storage table."""

from proxy.pipeline.on_commit import OnCommit
from proxy.pipeline.pipeline import IN_BACKGROUND, Pipeline
from proxy.pipeline.runner import Runner, ThriftRunner
from proxy.pipeline.schedule import Schedule
from proxy.pipeline.spark_runners import ConnectRunner, EmbeddedRunner, stages_of
from proxy.pipeline.statements import pin, relations
from proxy.pipeline.status import UNREADABLE, Span, Status, freshness, of_each, status, status_or_outage
from proxy.pipeline.steps import UP_TO_DATE, Asked
from proxy.pipeline.upkeep import Orphans
from proxy.pipeline.watching import Begun

__all__ = [
    "IN_BACKGROUND",
    "UNREADABLE",
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
    "of_each",
    "pin",
    "relations",
    "stages_of",
    "status",
    "status_or_outage",
]
