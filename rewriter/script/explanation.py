"""Explains how a query over a script's tables is answered, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from rewriter.block import find_among
from rewriter.derived import subquery_types
from rewriter.findings import Finding, ranked
from rewriter.fresh import query_columns
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.maintenance import pin
from rewriter.match import Miss, Reason
from rewriter.model import Column, TableName, table_columns
from rewriter.model.settings import result_settings
from rewriter.outcome import Attempt, Outcome, Replacement
from rewriter.remedy import Suggestion
from rewriter.schema import Uncertain, output_columns
from rewriter.sql import Membership, Statement, by_name, membership_of, parse
from rewriter.suggest import suggestion

_TOO_DEEP = Miss(Reason.UNSUPPORTED, "the query is nested too deeply: simplify the query")


@dataclass(frozen=True)
class Explanation:
    """The result of EXPLAIN for a query: the SQL to run, and for each view the attempt to answer the query.

    - `sql`: the rewritten statement, or the original one if no view answers
    - `views`: the names of the views that answer
    - `storage`: for each storage table that `sql` reads, the SELECT that fills the storage table
    - `tried`: each attempt to answer a block from a view
    - `findings`: the attempts, ranked by how close the view is to answering
    - `suggestion`: a change to a view that would make the view answer; None if there is none
    - `problem`: why no view was tried; empty if a view was tried
    """

    rewritten: bool
    sql: str
    views: tuple[str, ...]
    storage: Mapping[str, str]
    tried: tuple[Attempt, ...]
    findings: tuple[Finding, ...] = ()
    suggestion: Suggestion | None = None
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as values for a JSON encoder."""
        return {
            "rewritten": self.rewritten,
            "sql": self.sql,
            "views": list(self.views),
            "storage": dict(self.storage),
            "problem": self.problem,
            "tried": [
                {
                    "view": str(attempt.view),
                    "rule": attempt.rule,
                    "verdict": attempt.verdict,
                    "reason": str(attempt.reason or ""),
                    "detail": attempt.detail,
                    "block": attempt.block,
                }
                for attempt in self.tried
            ],
            "suggestion": self._suggested(),
        }

    def __str__(self) -> str:
        kept = f"not rewritten: {self.problem}" if self.problem else "not rewritten"
        lines = [f"answered from {', '.join(self.views)}" if self.rewritten else kept, "", self.sql, ""]
        several = len({finding.block for finding in self.findings}) > 1
        for block, found in groupby(self.findings, key=lambda finding: finding.block):
            apart = several and bool(block)
            lines += [f"for {block}"] if apart else []
            lines += [f"{'  ' if apart else ''}{finding}" for finding in found]
        if self.suggestion is not None:
            lines += ["", str(self.suggestion)]
        return "\n".join(lines).rstrip()

    def _suggested(self) -> dict[str, Any] | None:
        found = self.suggestion
        return {"view": str(found.made), "add": list(found.add), "sql": found.statement} if found else None


def explained(outcome: Outcome, definitions: Definitions, relations: Relations) -> Explanation:
    """Return the explanation of an outcome. The SQL in the explanation names no snapshots, because a script's tables
    have none.

    `definitions` are the views of the script, `relations` the tables and views by name.
    """
    kept = _certain(outcome, definitions, relations)
    if isinstance(kept, Miss):
        return _missed(outcome, kept)
    schemas = kept
    unpinned = replace(outcome, replacements=tuple(replace(r, pins={}) for r in outcome.replacements), pins=())
    try:
        sql = unpinned.sql(schemas)
    except RecursionError:
        return _missed(outcome, _TOO_DEEP)
    heads = {r.view.name: r.view for r in outcome.replacements}
    others = (definitions.by_storage[storage] for r in outcome.replacements for storage in r.storages)
    used = heads | {view.name: view for view in others}
    storage = {view.storage.sql(): pin(view.storage_query, {}, outcome.statement.session) for view in used.values()}
    views = tuple(map(str, used))
    found = None if outcome.rewritten else suggestion(outcome, definitions, relations)
    problem = "" if outcome.tried else _untried(outcome.statement)
    return Explanation(outcome.rewritten, sql, views, storage, outcome.tried, ranked(outcome), found, problem)


def _untried(statement: Statement) -> str:
    """Return the reason why no view was tried on a statement, as a message."""
    if statement.unread:
        return statement.unread
    if not statement.complete:
        return "a query that starts with FROM or TABLE is not supported: write SELECT … FROM table"
    return "no view reads any of the query's tables" if statement.tables else "the query reads no table"


def _missed(outcome: Outcome, miss: Miss) -> Explanation:
    """Return an explanation in which the query is not rewritten, because of `miss`.

    In the attempts of `outcome`, `miss` replaces the result of each chosen view.
    """
    tried = tuple(a.missed(miss) if a.verdict == "chosen" else a for a in outcome.tried)
    return Explanation(False, outcome.original, (), {}, tried, ranked(replace(outcome, tried=tried)))


def _certain(
    outcome: Outcome, definitions: Definitions, relations: Relations
) -> Mapping[str, tuple[Column, ...]] | Miss:
    """Return the columns of each replaced block, with Spark's names and types, by the block's text.

    Return a Miss if a name or type is not known for certain. The block's text is the original SQL of a replacement in
    `outcome`. `definitions` are the views of the script, `relations` the tables and views by name.
    """
    session = outcome.statement.session
    views = by_name(definitions.plain, definitions.views)
    seen = table_columns(relations) | {name: view.columns for name, view in views.items()}
    if outcome.rewritten and result_settings(session.settings):
        return Miss(
            Reason.UNSUPPORTED,
            "the types of the query's outputs are known only under Spark's default settings: run "
            f"{'; '.join(f'RESET {name}' for name in result_settings(session.settings))}",
        )
    try:
        return {r.original: _columns_of(r, outcome.statement, seen) for r in outcome.replacements}
    except Uncertain as problem:
        return Miss(Reason.UNSUPPORTED, str(problem))
    except RecursionError:
        return _TOO_DEEP


def _columns_of(
    replacement: Replacement, statement: Statement, seen: Mapping[TableName, tuple[Column, ...]]
) -> tuple[Column, ...]:
    """Return the columns of one replaced block with Spark's names and types.

    Raise Uncertain if a name or type is not known. `seen` has the columns of all tables and views.
    """
    original, session = replacement.original, statement.session
    tree = replacement.block.tree
    if tree is None:  # for a text match there is no block
        return query_columns(original, session, seen)
    types = subquery_types(replacement.block, statement, find_among(statement, seen))
    if original == replacement.block.text:
        return output_columns(replacement.query, tree, original, subquery_types=types)
    asked = next(b.tree for b in parse(original, session).blocks if b.span.end == len(original.rstrip())) or tree
    # for EXISTS `original` is `SELECT 1 FROM (…)`, because the outputs of the subquery do not matter
    exists = replacement.query.as_set and membership_of(statement, replacement.block) is Membership.EXISTS
    return output_columns(replacement.query, asked if exists else tree, original, asked, types)
