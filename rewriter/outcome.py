"""The decision about a statement (which blocks are answered from which views), and the SQL to run as a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rewriter.block import Block
from rewriter.match import Match, Miss, Reason
from rewriter.match.printing import print_rewriting
from rewriter.model import Column, MaterializedView, TableName
from rewriter.rules import LIVE
from rewriter.scans import Estimate
from rewriter.sql import Edit, SelectBlock, SelectSpan, Statement, splice, splice_within
from rewriter.verify import UNVERIFIED, Verdict


@dataclass(frozen=True)
class Attempt:
    """The result of trying one view on one block.

    - `verdict`: "chosen", "not chosen" (the view matches but another plan is cheaper) or "missed" (the view does not
      match)
    - `reason`, `detail`: why the view is not used; for a chosen view, `reason` is None and `detail` describes the rows
      read from the view
    - `block`: the block's text
    - `estimate`: the cost of the plan
    """

    view: TableName
    verdict: str
    rule: str = ""
    reason: Reason | None = None
    detail: str = ""
    block: str = ""
    estimate: Estimate | None = field(default=None, compare=False)

    @property
    def live(self) -> bool:
        """Whether the view answers, and its rows are read together with the rows changed since its refresh."""
        return self.verdict == "chosen" and self.rule in LIVE

    def missed(self, miss: Miss) -> Attempt:
        """Return this attempt as a miss, with the reason and detail of `miss`."""
        return replace(self, verdict="missed", reason=miss.reason, detail=miss.detail)


@dataclass(frozen=True)
class Replacement:
    """A query block answered from a view.

    - `original`: the block's own SQL as Spark can run it; the replacement must return the same column names and types
    - `query`: the normalized block
    - `subqueries`: nested blocks outside the match; each is kept as written, or rewritten separately
    - `storages`: the storage tables that the plan reads
    - `pins`: the snapshots at which the plan reads its relations
    - `verdict`: the result of verifying that the plan is equivalent to the block
    """

    block: SelectBlock
    view: MaterializedView
    rule: str
    match: Match
    query: Block
    original: str
    pins: Mapping[TableName, int]
    subqueries: tuple[SelectBlock, ...] = ()
    storages: tuple[TableName, ...] = ()
    verdict: Verdict = UNVERIFIED

    def text(self, schema: Sequence[Column] | None, texts: Mapping[str, str]) -> str:
        """Return the SELECT over the view's storage table that replaces the block.

        The outputs get the column names and types of `schema`; None leaves the types to Spark. `texts` has the SQL to
        put in place of each subquery's text.
        """
        rewriting = self.match.rewriting.with_texts(texts) if texts else self.match.rewriting
        return print_rewriting(rewriting, self.query.names, schema, self.pins)


@dataclass(frozen=True)
class Outcome:
    """The decision about a statement.

    - `statement`: the statement; if views were expanded, the expanded statement
    - `replacements`: the blocks answered from views
    - `tried`: the attempts at all views
    - `spelled`: the edits that make the statement valid in Spark (`timeseries` calls translated)
    - `pins`: the edits that pin the relations outside the replacements to the snapshots of the decision
    - `alone`: if the rewritten statement reads only one relation, the snapshot id of this relation; otherwise empty
    - `typed`: if views were expanded, the user's own statement as Spark can run it
    - `as_of_ms`: the time of the data, in milliseconds since 1970, if the answer is an earlier state within a staleness
      bound; else None
    """

    statement: Statement
    replacements: tuple[Replacement, ...] = ()
    tried: tuple[Attempt, ...] = ()
    spelled: tuple[Edit, ...] = field(default=())
    pins: tuple[Edit, ...] = field(default=())
    alone: Mapping[TableName, int] = field(default_factory=dict)
    typed: str = ""
    as_of_ms: int | None = None
    _printed: list[tuple[Mapping[str, Sequence[Column]], str]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def rewritten(self) -> bool:
        """Whether a view answers at least one block of the statement."""
        return bool(self.replacements)

    @property
    def left(self) -> int:
        """The number of blocks that no view answers."""
        answered = [replacement.block.span for replacement in self.replacements]
        return sum(not any(block.span.within(span) for span in answered) for block in self.statement.blocks)

    @property
    def live(self) -> bool:
        """Whether a replacement also reads rows that have changed in base tables since a view's refresh."""
        return any(replacement.match.rewriting.live for replacement in self.replacements)

    @cached_property
    def fixed(self) -> Outcome:
        """The same outcome with all relations pinned to snapshots, even if the statement reads only one relation.

        Without pins, the rows of a storage table might change between the decision and Spark's read: by a refresh after
        a base table was rolled back, or because the view was replaced.
        """
        if not self.alone:
            return self
        replacements = tuple(replace(each, pins=self.alone) for each in self.replacements)
        return replace(self, replacements=replacements, alone={})

    @property
    def original(self) -> str:
        """The user's own statement as Spark can run it: unchanged except for translated `timeseries` calls."""
        return self.typed or self.expanded

    @property
    def expanded(self) -> str:
        """The statement with its views expanded and its `timeseries` calls translated to Spark's functions."""
        return splice(self.statement.sql, self.spelled)

    def sql(self, schemas: Mapping[str, Sequence[Column]] | None = None) -> str:
        """Return the statement to run: the blocks that views answer are replaced by SELECTs over storage tables.

        `schemas` has, by the text of each replaced block (`Replacement.original`), the columns that Spark reports for
        the block; the outputs of the new SELECT are cast to the types of these columns. Without `schemas`, nothing is
        cast.
        """
        known = schemas or {}
        if not self._printed or self._printed[0][0] != known:
            self._printed[:] = [(known, self._text(SelectSpan(0, len(self.statement.sql)), known))]
        return self._printed[0][1]

    def _text(self, span: SelectSpan, known: Mapping[str, Sequence[Column]]) -> str:
        """Return the part of the statement's text in a span, with all replacements and edits applied.

        `known` maps each replacement's original SQL to the columns that Spark reports for this SQL.
        """
        inside = [r for r in self.replacements if r.block.span.within(span)]
        outer = [r for r in inside if not any(r is not o and r.block.span.within(o.block.span) for o in inside)]
        edits = []
        for replacement in outer:
            texts = {block.text: self._text(block.span, known) for block in replacement.subqueries}
            edits.append(Edit(*replacement.block.span, replacement.text(known.get(replacement.original), texts)))
        spans = [replacement.block.span for replacement in outer]
        edits += [edit for edit in (*self.pins, *self.spelled) if not any(map(edit.within, spans))]
        return splice_within(self.statement.sql, span, edits)
