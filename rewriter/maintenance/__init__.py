"""The content of a materialized view, the SQL that computes the content, and the choice of an incremental refresh.

`define` turns the query of CREATE MATERIALIZED VIEW into a definition, and `plan` chooses how to refresh a view.
`narrowed`, `covers`, `united` and `fresh_part` are for partial storage tables, which have only some of the view's rows.
`kept` is for retention. `dependencies` and `derived_partitions` are for the partitions of storage tables.
"""

from rewriter.maintenance.columns import misplaced, used_columns
from rewriter.maintenance.decision import Decision, Delta, full
from rewriter.maintenance.definition import Definition, define
from rewriter.maintenance.dependencies import Dependency, dependencies, stale_files
from rewriter.maintenance.fresh_part import FreshPart, fresh_part
from rewriter.maintenance.layout import derived_partitions, inherited_order
from rewriter.maintenance.partial_storage import covers, narrowed, united
from rewriter.maintenance.pin import pin, qualified
from rewriter.maintenance.plan import plan
from rewriter.maintenance.retention import Kept, kept
from rewriter.maintenance.stored import Stored, stored
from rewriter.model.refresh_kind import Kind

__all__ = [
    "Decision",
    "Definition",
    "Delta",
    "Dependency",
    "FreshPart",
    "Kept",
    "Kind",
    "Stored",
    "covers",
    "define",
    "dependencies",
    "derived_partitions",
    "fresh_part",
    "full",
    "inherited_order",
    "kept",
    "misplaced",
    "narrowed",
    "pin",
    "plan",
    "qualified",
    "stale_files",
    "stored",
    "united",
    "used_columns",
]
