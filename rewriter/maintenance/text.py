"""Generates parts of refresh statements as SQL text: a SELECT over snapshots, a column list, an equality of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block
from rewriter.delta import Read
from rewriter.match.printing import expression_text, from_text, select_text
from rewriter.model import quoted

Tree = exp.Expr


def block_text(block: Block, columns: Sequence[str], reads: Sequence[Read]) -> str:
    """Return a block as a SELECT that Spark can run; `columns` name the outputs, `reads` says how to read each table.

    >>> from rewriter.block import Occurrence
    >>> from rewriter.delta import At
    >>> from rewriter.model import TableName
    >>> sales = Occurrence("t0", TableName(("lake", "demo", "sales")), "s", ())
    >>> block_text(Block((sales,), (), (exp.column("id", "t0"),), ("id",)), ["id"], [At(7)])
    'SELECT t0.id AS id FROM lake.demo.sales VERSION AS OF 7 AS t0'
    """
    items = [
        f"{expression_text(output)} AS {quoted(name)}" for output, name in zip(block.outputs, columns, strict=True)
    ]
    tables = zip(block.tables, reads, strict=True)
    sources = {table.id: f"{table.name.sql()}{read.sql()} AS {table.id}" for table, read in tables}
    return select_text(items, from_text(sources, block.joins), block.where, block.keys or None, block.having)


def filtered(block: Block, condition: str) -> Block:
    """Return a block with one more WHERE condition, given as SQL over the block's columns (qualified by table id)."""
    return replace(block, where=(*block.where, exp.Paren(this=exp.Var(this=condition))))


def listed(columns: Sequence[str], alias: str = "") -> str:
    """Return column names as a SELECT list, qualified by `alias` if given.

    >>> listed(["a", "sum(b)"], "v")
    'v.a, v.`sum(b)`'
    """
    prefix = f"{alias}." if alias else ""
    return ", ".join(prefix + quoted(column) for column in columns)


def same_keys(keys: Sequence[str], left: str, right: str) -> str:
    """Return the condition that rows of two tables, given by their aliases `left` and `right`, have equal keys.

    NULL equals NULL.

    >>> same_keys(["a"], "t", "s")
    't.a <=> s.a'
    """
    return " AND ".join(f"{left}.{quoted(key)} <=> {right}.{quoted(key)}" for key in keys)
