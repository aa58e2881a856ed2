"""Recognizes queries that Spark answers from a table's metadata alone, so that no view can be cheaper."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.block import Block
from rewriter.freshness import Relations
from rewriter.model import Table

_PUSH_DOWN = "spark.sql.iceberg.aggregate-push-down.enabled"


def counted_by_metadata(block: Block, relations: Relations, settings: Mapping[str, str]) -> bool:
    """Return whether Spark answers a block from metadata: count(*) of one unfiltered table without delete files.

    Return False for other aggregates, because they need column statistics, which files may lack. `settings` are the
    session's settings.
    """
    if settings.get(_PUSH_DOWN, "true").lower() != "true" or len(block.tables) != 1 or block.joins or block.where:
        return False
    table = relations.get(block.tables[0].name)
    return (
        isinstance(table, Table)
        and table.delete_files == 0
        and block.keys == ()
        and not (block.having or block.order)
        and all(_counts_rows(output) for output in block.outputs)
    )


def _counts_rows(output: exp.Expr) -> bool:
    return (
        isinstance(output, exp.Anonymous)
        and output.name == "count"
        and len(output.expressions) == 1
        and isinstance(output.expressions[0], exp.Star)
    )
