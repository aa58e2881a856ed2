"""What a materialized view stores, the SQL that computes it, and what a refresh has to compute of it."""

from rewriter.maintenance.decision import Decision, Kind, full
from rewriter.maintenance.definition import Definition, define
from rewriter.maintenance.pin import pin
from rewriter.maintenance.plan import plan

__all__ = ["Decision", "Definition", "Kind", "define", "full", "pin", "plan"]
