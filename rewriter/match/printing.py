"""Prints rewritings and blocks as Spark SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Ordering
from rewriter.block.opaque import is_opaque, spelled
from rewriter.delta import Read
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.rewriting import Branch, Delta, Rewriting, UnionAll
from rewriter.model import Column, Table, TableName, quoted
from rewriter.sql import expression_sql
from rewriter.timeseries import as_bucket, translate_bucket

Tree = exp.Expr

_KEYWORDS = {"LEFT": "LEFT JOIN", "SEMI": "LEFT SEMI JOIN", "ANTI": "LEFT ANTI JOIN"}


def print_rewriting(
    rewriting: Rewriting, names: Sequence[str | None], schema: Sequence[Column] | None, pins: Mapping[TableName, int]
) -> str:
    """Return a rewriting as the SQL of a SELECT over the storage table.

    `names` are the output names, None for outputs that the query does not name. If `schema` is not None, each output is
    cast to the type, and gets the name, of the column at its position. `pins` maps tables to the ids of the snapshots
    at which to read them.
    """
    items = [
        _item(output, name, schema[i] if schema else None, rewriting.storage)
        for i, (output, name) in enumerate(zip(rewriting.outputs, names, strict=True))
    ]
    held = _held(rewriting.storage, pins) if rewriting.union is None else _union_text(rewriting.union, pins)
    sources = {STORAGE_ALIAS: f"{held} AS {STORAGE_ALIAS}"}
    sources |= {table.id: _source(table, pins) for table in rewriting.tables}
    source = from_text(sources, rewriting.joins)
    text = select_text(
        items, source, rewriting.where, rewriting.group, rewriting.having, True, rewriting.sets, rewriting.distinct
    )
    if rewriting.order:
        text += " ORDER BY " + ", ".join(_ordering_text(item, rewriting.outputs) for item in rewriting.order)
    if rewriting.limit is not None:
        text += f" LIMIT {rewriting.limit}"
    return text if rewriting.offset is None else f"{text} OFFSET {rewriting.offset}"


def _union_text(union: UnionAll, pins: Mapping[TableName, int]) -> str:
    names = [column.name for column in union.columns]
    return f"({' UNION ALL '.join(_branch_text(branch, union, names, pins) for branch in union.branches)})"


def _branch_text(branch: Branch, union: UnionAll, names: Sequence[str], pins: Mapping[TableName, int]) -> str:
    if isinstance(branch, Block):
        return _block_text(branch, names, pins, spell=True)
    if isinstance(branch, Delta):
        return _block_text(branch.block, names, pins, spell=True, reads=branch.reads)
    return print_rewriting(branch, names, union.columns, pins)


def print_block(block: Block, columns: Sequence[str]) -> str:
    """Return a block as the SQL of a SELECT with the given output names, such as the query that fills a storage table.

    Buckets are printed as `timeseries(source, grain, type)`, so that parsing the text again gives the same block.
    """
    return _block_text(block, columns, {}, spell=False)


def _block_text(
    block: Block, columns: Sequence[str], pins: Mapping[TableName, int], spell: bool, reads: Sequence[Read] = ()
) -> str:
    items = [f"{expression_text(o, spell)} AS {quoted(c)}" for o, c in zip(block.outputs, columns, strict=True)]
    clauses = [read.sql() for read in reads] or [""] * len(block.tables)
    sources = {
        table.id: f"{table.name.sql()}{clause} AS {table.id}" if clause else _source(table, pins)
        for table, clause in zip(block.tables, clauses, strict=True)
    }
    source = from_text(sources, block.joins, spell)
    return select_text(items, source, block.where, block.keys or None, block.having, spell, block.sets)


def from_text(sources: Mapping[str, str], joins: Sequence[Join], spell: bool = True) -> str:
    """Return the SQL of a FROM clause without the keyword FROM, such as `a AS t0 LEFT JOIN b AS t1 ON t0.k = t1.k`.

    `sources` maps the ids of tables to their SQL, and `joins` are the outer, semi and anti joins; all other tables are
    inner-joined. With `spell`, time buckets are printed as Spark's functions, else as `timeseries(…)`.
    """
    brought = frozenset[str]().union(*(join.tables for join in joins))
    full = next((join for join in joins if join.kind == "FULL"), None)
    inner = [text for table, text in sources.items() if table not in brought]
    if full is not None:
        inner = [" FULL JOIN ".join(sources[t] for t in sources if t in full.tables) + _on(full, spell), *inner]
    if not joins:
        return ", ".join(inner)
    text = " CROSS JOIN ".join(inner)
    for join in joins:
        if join is not full:
            right = " CROSS JOIN ".join(sources[table] for table in sources if table in join.tables)
            right = f"({right})" if len(join.tables) > 1 else right
            text += f" {_KEYWORDS[join.kind]} {right}{_on(join, spell)}"
    return text


def _on(join: Join, spell: bool) -> str:
    return " ON " + " AND ".join(_operand_text(conjunct, spell) for conjunct in join.on)


def select_text(
    items: Sequence[str],
    source: str,
    where: Sequence[Tree],
    group: Sequence[Tree] | None,
    having: Sequence[Tree],
    spell: bool = True,
    sets: Sequence[Sequence[Tree]] | None = None,
    distinct: bool = False,
) -> str:
    """Return the SQL of a SELECT, from its clauses up to HAVING.

    `items` and `source` are the SQL of the select list and of FROM; `sets` are the grouping sets, None for plain keys.
    With `spell`, time buckets are printed as Spark's functions, else as `timeseries(…)`. `distinct` adds DISTINCT.
    """
    clauses = [f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(items)} FROM {source}"]
    if where:
        clauses.append("WHERE " + " AND ".join(_operand_text(part, spell) for part in where))
    if group:
        clauses.append(f"GROUP BY {group_text(group, sets, spell)}")
    if having:
        clauses.append("HAVING " + " AND ".join(_operand_text(part, spell) for part in having))
    return " ".join(clauses)


def group_text(keys: Sequence[Tree], sets: Sequence[Sequence[Tree]] | None, spell: bool) -> str:
    """Return the SQL of a GROUP BY clause without its keywords; `sets` are the grouping sets, None for plain keys.

    With `spell`, time buckets are printed as Spark's functions, else as `timeseries(…)`.
    """
    if sets is None:
        return ", ".join(expression_text(key, spell) for key in dict.fromkeys(keys))
    return f"GROUPING SETS ({', '.join(f'({group_text(each, None, spell)})' for each in sets)})"


@lru_cache(maxsize=1024)  # a plan is printed once for the verifier, and again with names and types
def expression_text(tree: Tree, spell: bool = True) -> str:
    """Return a canonical expression as SQL; time buckets become Spark's functions if `spell`, else `timeseries(…)`."""
    return expression_sql(tree, _spelled) if spell else expression_sql(tree)


def _item(output: Tree, name: str | None, column: Column | None, storage: Table) -> str:
    text = expression_text(output)
    if column is None:
        return f"{text} AS {quoted(name)}" if name is not None else text
    if column.type != "void" and _plain_type(output, storage) != column.type:
        text = f"CAST({text} AS {column.type})"
    return f"{text} AS {quoted(column.name)}"


def _plain_type(output: Tree, storage: Table) -> str | None:
    """Return the type of an output that is a storage column without any operation; None for other outputs."""
    if isinstance(output, exp.Column) and output.table == STORAGE_ALIAS:
        held = storage.column(output.name)
        return held.type if held else None
    return None


def _source(table: Occurrence, pins: Mapping[TableName, int]) -> str:
    return f"{table.text or _pinned(table.name, pins)} AS {table.id}"


def _held(storage: Table, pins: Mapping[TableName, int]) -> str:
    """Return the storage table as SQL for FROM; if some of its rows are stale, as a subquery that drops these rows.

    `pins` maps tables to the ids of the snapshots at which to read them.
    """
    read = _pinned(storage.name, pins)
    return f"({fresh_rows(storage, read)})" if storage.behind else read


def fresh_rows(storage: Table, read: str) -> str:
    """Return a query for the rows of a storage table that are not stale, by the condition `storage.only`.

    `read` is the SQL that reads the table in FROM, such as its name with VERSION AS OF.
    """
    return f"SELECT {', '.join(quoted(column.name) for column in storage.columns)} FROM {read} WHERE {storage.only}"


def _pinned(name: TableName, pins: Mapping[TableName, int]) -> str:
    return f"{name.sql()} VERSION AS OF {pins[name]}" if name in pins else name.sql()


def _operand_text(tree: Tree, spell: bool) -> str:
    text = expression_text(tree, spell)
    return f"({text})" if isinstance(tree, (exp.Or, exp.And)) else text


def _ordering_text(item: Ordering, outputs: Sequence[Tree]) -> str:
    """Return the SQL of an ORDER BY item; an item that is one of the outputs is printed as the output's position.

    If `sum(x)` is the second output, `ORDER BY sum(x) DESC` gives `2 DESC NULLS LAST`. In a query with HAVING, Spark
    would not find the expression itself if the output is cast; it finds a position in any query.
    """
    key = str(outputs.index(item.key) + 1) if item.key in outputs else expression_text(item.key)
    return f"{key} {'DESC' if item.descending else 'ASC'} NULLS {'FIRST' if item.nulls_first else 'LAST'}"


def _spelled(node: Tree) -> str | None:
    """Return the SQL of a subquery or time bucket, which canonical trees represent as calls; None for other nodes.

    `timeseries(t, 'hour', 'timestamp')` gives `date_trunc('HOUR', t)`.
    """
    if not isinstance(node, exp.Anonymous):
        return None
    if is_opaque(node):
        return spelled(node, expression_text)
    bucket = as_bucket(node)
    return translate_bucket(expression_text(bucket.source), bucket.grain, bucket.type) if bucket is not None else None
