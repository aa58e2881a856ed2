"""What a materialized view stores, the SQL that computes it, and what a refresh has to compute of it."""

from rewriter.maintenance.columns import misplaced, used_columns
from rewriter.maintenance.decision import Decision, Kind, full
from rewriter.maintenance.definition import Definition, define
from rewriter.maintenance.dependencies import Dependency, dependencies, stale_files
from rewriter.maintenance.pin import pin, qualified
from rewriter.maintenance.plan import plan
from rewriter.maintenance.stored import stored

__all__ = [
    "Decision",
    "Definition",
    "Dependency",
    "Kind",
    "define",
    "dependencies",
    "full",
    "misplaced",
    "pin",
    "plan",
    "qualified",
    "stale_files",
    "stored",
    "used_columns",
]
