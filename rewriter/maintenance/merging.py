"""Writes the statements that merge the groups of a delta (the aggregated changed rows) into a storage table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from rewriter.block import Predicates
from rewriter.delta import netted
from rewriter.functions.trees import ROWS
from rewriter.functions.types import FRACTIONS
from rewriter.maintenance.stored import Stored
from rewriter.maintenance.text import listed, same_keys
from rewriter.match import Ask, Miss
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.printing import expression_text, select_text
from rewriter.match.rewriting import Rewriting
from rewriter.model import quoted
from rewriter.rules.roll_up import roll_up

Tree = exp.Expr


@dataclass(frozen=True)
class Merging:
    """The SQL that merges stored groups with the groups of a delta (the aggregated changed rows): a GROUP BY over both.

    `outputs` and `group` are the outputs and keys of this GROUP BY, which is the roll-up of the view to the view's own
    keys: so each view that can be rolled up can be merged.

    The methods return a statement as two texts: the text before and the text after the table's name. They take the
    storage table's snapshot id, `base`, and the queries of the delta, `parts`. If the delta is `signed`, deleted rows
    are subtracted, and groups without rows are then removed.
    """

    stored: Stored
    outputs: tuple[str, ...]
    group: tuple[Tree, ...]

    def overwrite(self, base: int, parts: Sequence[str], signed: bool) -> tuple[str, str]:
        """Return the INSERT OVERWRITE that rewrites all groups, as the text before and the text after the table's name.

        The first text is `INSERT OVERWRITE`, the second a GROUP BY over the stored and the changed rows. The statement
        is used for small storage tables, and if a MERGE cannot find the groups by their keys. `base` is the storage
        table's snapshot id, `parts` are the queries of the changed rows; with `signed`, groups whose row count becomes
        0 are removed.
        """
        old = self._old(base)
        return "INSERT OVERWRITE", self._kept(self._combined((old, *parts)), signed and bool(self.stored.keys))

    def replace(self, base: int, parts: Sequence[str], signed: bool, where: str) -> tuple[str, str]:
        """Return the INSERT … REPLACE WHERE that rewrites the partitions with changes, which `where` selects.

        The result is the text before and the text after the table's name, such as `INSERT INTO` and `REPLACE WHERE day
        = DATE '2024-01-15' SELECT …`. The statement scans these partitions and the changed rows once. `base` is the
        storage table's snapshot id, `parts` are the queries of the changed rows; with `signed`, groups whose row count
        becomes 0 are removed.
        """
        old = f"{self._old(base)} WHERE {where}"
        content = self._kept(self._combined((old, *parts)), signed and bool(self.stored.keys))
        return "INSERT INTO", f"REPLACE WHERE {where} {content}"

    def merge(self, base: int, parts: Sequence[str], signed: bool) -> tuple[str, str]:
        """Return the MERGE of only the changed groups, as the text before and the text after the table's name.

        The first text is `MERGE INTO`, the second `AS t USING (…) AS s ON t.a <=> s.a WHEN MATCHED THEN UPDATE SET *
        …`. `base` is the storage table's snapshot id, `parts` are the queries of the changed rows; with `signed`,
        groups whose row count becomes 0 are removed.
        """
        keys = [column.name for column in self.stored.keys]
        delta = " UNION ALL ".join(parts)
        touched = f"{self._old(base)} AS o LEFT SEMI JOIN ({delta}) AS d ON {same_keys(keys, 'o', 'd')}"
        source = self._combined((touched, *parts))
        rows = f"s.{quoted(self.stored.rows)}"
        actions = (
            (f"WHEN MATCHED AND {rows} = 0 THEN DELETE", "WHEN MATCHED THEN UPDATE SET *",
             f"WHEN NOT MATCHED AND {rows} > 0 THEN INSERT *")
            if signed
            else ("WHEN MATCHED THEN UPDATE SET *", "WHEN NOT MATCHED THEN INSERT *")
        )  # fmt: skip
        return "MERGE INTO", f"AS t USING ({source}) AS s ON {same_keys(keys, 't', 's')} {' '.join(actions)}"

    @property
    def joins(self) -> bool:
        """Whether a MERGE can find the stored groups by their keys.

        True if there are keys, and no key is a floating-point number.
        """
        return bool(self.stored.keys) and all(column.type not in FRACTIONS for column in self.stored.keys)

    def _old(self, base: int) -> str:
        return f"SELECT {listed(self.stored.names)} FROM {self.stored.storage.name.sql()} VERSION AS OF {base}"

    def _combined(self, parts: Sequence[str]) -> str:
        items = [f"{output} AS {quoted(name)}" for output, name in zip(self.outputs, self.stored.names, strict=True)]
        union = " UNION ALL ".join(parts)
        return select_text(items, f"({union}) AS {STORAGE_ALIAS}", (), self.group or None, ())

    def _kept(self, query: str, signed: bool) -> str:
        """Return the query; if `signed`, without the groups whose count of rows is 0."""
        if not signed:
            return query
        return f"SELECT {listed(self.stored.names)} FROM ({query}) AS s WHERE s.{quoted(self.stored.rows)} > 0"


def merging(stored: Stored, signed: bool = False) -> Merging | str:
    """Return the SQL that merges changed rows into the stored groups of a view.

    If the groups cannot be merged, return the reason as text. With `signed`, the changed rows include deleted rows,
    whose counts and sums are subtracted.
    """
    predicates = Predicates(stored.block, stored.block.where, stored.view.zone)
    found = roll_up(Ask(predicates, stored.path, {table.id: table.id for table in stored.block.tables}))
    if isinstance(found, Miss):
        return f"the view's groups cannot be merged: {found.reason} {found.detail}"
    rewriting = found.rewriting
    if rewriting.where or rewriting.having or rewriting.tables or rewriting.order:
        return "the view's groups cannot be merged: the query has outputs other than keys and aggregates"
    outputs = _signed_outputs(stored, rewriting) if signed else rewriting.outputs
    texts = (
        f"CAST({expression_text(output)} AS {column.type})"
        for output, column in zip(outputs, stored.storage.columns, strict=True)
    )
    return Merging(stored, tuple(texts), rewriting.group or ())


def _signed_outputs(stored: Stored, rewriting: Rewriting) -> tuple[Tree, ...]:
    """Return the outputs of a merge that may subtract rows; `rewriting` has the outputs of a merge that only adds rows.

    A sum of no values becomes NULL: `CASE WHEN coalesce(sum(cnt), 0) = 0 THEN NULL ELSE sum(total) END`. A negative
    count of rows raises an error in Spark. `stored` is the view with its block and storage table.
    """
    merged = dict(zip(stored.block.outputs, rewriting.outputs, strict=True))

    def checked(output: Tree) -> Tree:
        if output == ROWS:
            alarm = exp.Anonymous(
                this="raise_error", expressions=[exp.Literal.string("a group has a negative number of rows")]
            )
            negative = exp.LT(this=merged[output].copy(), expression=exp.Literal.number(0))
            return exp.Case(ifs=[exp.If(this=negative, true=alarm)], default=merged[output])
        return netted(output, stored.block, merged)

    return tuple(checked(output) for output in stored.block.outputs)
