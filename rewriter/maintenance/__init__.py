"""What a materialized view stores, and the SQL that computes it."""

from rewriter.maintenance.definition import Definition, define
from rewriter.maintenance.pin import pin

__all__ = ["Definition", "define", "pin"]
