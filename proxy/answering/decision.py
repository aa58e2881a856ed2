"""The decision about a statement, and the texts that explain the decision to users.

A view is tried for each query block (SELECT). A miss is a view that cannot answer a block, together with the reason.
The nearest miss is the view that needs the smallest change, for example one more column.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from proxy.hs2 import SqlError
from proxy.journal.texts import digest
from proxy.session import Choice
from rewriter import (
    Attempt,
    Definitions,
    Finding,
    Outcome,
    Reason,
    Relations,
    Statement,
    Suggestion,
    by_closeness,
    ranked,
    suggestion,
)
from rewriter.model import Table, TableName

_log = logging.getLogger("viewgate")

# The beginning of the log line that names the views that answer.
ANSWERED = "answered from"
# The reason code of a statement over tables of views, of which no view has what the statement needs.
NOT_TRIED = "NOT_TRIED"
_MISSED = 3  # the number of views in the operation log; EXPLAIN shows all


@dataclass(frozen=True)
class Decision:
    """The decision about a statement: the SQL that Spark runs, and the reason.

    - `sql`: the SQL for Spark; None if Spark gets the client's own bytes
    - `original`: the user's own statement as Spark can run it
    - `outcome`: the rewriter's result, with all attempts to use a view; None if the rewriter was not called
    - `problem`: why no view was tried; `why`: the reason code for `problem`
    - `over`: the number of views that read any table of the statement (a guess if the statement was not parsed)
    - `read`: the storage tables that the rewritten SQL reads
    - `suggestion`: a change to a view that would let the view answer the statement; only a thorough decision has one
    - `tables`: the base tables that the statement reads; empty if the statement was not parsed
    - `reworded`: converts an error of Spark's about `sql` to an error about the user's text; None if the texts are
      equal
    """

    sql: str | None
    original: str
    outcome: Outcome | None = None
    problem: str = ""
    over: int = 0
    read: tuple[Table, ...] = ()
    suggestion: Suggestion | None = None
    why: Reason | None = None
    tables: tuple[TableName, ...] = ()
    reworded: Callable[[SqlError], SqlError] | None = None

    @property
    def rewritten(self) -> bool:
        """Whether a view answers at least one query block of the statement."""
        return self.outcome is not None and self.outcome.rewritten

    @property
    def tried(self) -> tuple[Attempt, ...]:
        """The attempts to answer a query block (SELECT) from a view: one for each block and each view that was
        tried.
        """
        return self.outcome.tried if self.outcome else ()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The distinct views that answer the statement, each as text with the rewrite rule, such as `lake.web.daily
        (roll_up)`.
        """
        chosen = (a for a in self.tried if a.verdict == "chosen") if self.rewritten else ()
        return tuple(dict.fromkeys(f"{a.view} ({a.rule})" for a in chosen))

    @property
    def choice(self) -> Choice:
        """The decision as the statement journal records it: the views tried and used, and a reason code if no view
        answers.
        """
        chosen = self._views("chosen") if self.rewritten else ()
        reason = "" if chosen else self._reason()
        matched, storages = self._views("chosen", "not chosen"), tuple(storage.name for storage in self.read)
        return Choice(self._views(), matched, chosen, reason, self.tables, storages)

    def _views(self, *verdicts: str) -> tuple[TableName, ...]:
        return tuple(dict.fromkeys(a.view for a in self.tried if not verdicts or a.verdict in verdicts))

    def _reason(self) -> str:
        """Return the reason code to record if no view answers.

        The code is empty if no view reads any table of the statement. Otherwise it is the code of `problem`. Without a
        problem, it is the code of the view that needs the smallest change, or NOT_TRIED if no view was tried.
        """
        if not self.tried and not self.over:
            return ""
        if self.problem:
            return str(self.why or Reason.UNSUPPORTED)
        nearest = next((finding.attempt.reason for finding in self.findings if finding.attempt.reason), None)
        return str(nearest or NOT_TRIED)

    @property
    def as_of(self) -> str:
        """The end of the log line that names the views used: `, data as of 2023-11-14 22:13:20.042 UTC`.

        The text is empty unless the allowed staleness (max_staleness) lets the views answer with the rows of an
        earlier time.
        """
        if self.outcome is None or self.outcome.as_of_ms is None:
            return ""
        return f", data as of {moment_text(self.outcome.as_of_ms)}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The attempts to answer a query block (SELECT) from a view, each with its result, ordered by block.

        In each block, the views that need the smallest change come first.
        """
        return ranked(self.outcome) if self.outcome else ()

    @property
    def missed(self) -> tuple[str, ...]:
        """The lines with the reasons why views do not answer the statement, such as `lake.web.daily not used: …`.

        If the statement has several query blocks (SELECTs), a line names each block before the reasons about it. If a
        reason is given twice about a block, it is one line.
        """
        found = [finding for finding in self.findings if finding.attempt.verdict != "chosen"]
        several = len({finding.block for finding in self.findings}) > 1
        lines: list[str] = []
        for block, of_block in groupby(found, key=lambda finding: finding.block):
            apart = several and bool(block)
            lines += [f"for {block}"] if apart else []
            lines += dict.fromkeys(f"{'  ' if apart else ''}{_missed(finding)}" for finding in of_block)
        return tuple(lines)

    def _briefly(self) -> list[str]:
        """Return the lines that say why views do not answer: one line per view and reason.

        If one reason applies to all tried views, the views share one line. If `problem` is set, the only line is the
        problem.
        """
        if self.problem:
            return [f"no view used: {self.problem}"]
        whys = self._whys()
        every = len(frozenset[str]().union(*whys.values()))
        if not every:
            return [f"no view used: {self._lacking()}"]
        said: list[str] = []
        for why, names in whys.items():
            if len(names) == every > 1:
                said.append(f"no view used: {_told_of(why, self._nearest(tuple(names)))}")
            else:
                said += [f"{name} not used: {why}" for name in names]
        return said

    def _whys(self) -> dict[str, dict[str, None]]:
        """Return, for each reason why views do not answer, the names of the views to which the reason applies.

        The nearest misses come first. Views with SQL that the rewriter does not support, which can answer no query but
        the view's own, are left out, unless a hint names the view.

        The names are the keys of a dict, which serves as an ordered set.
        """
        views: dict[str, dict[str, None]] = {}
        only = self.outcome.statement.session.only if self.outcome is not None else None
        for attempt in by_closeness(self.tried):
            unlike = attempt.reason is Reason.VIEW_UNSUPPORTED and attempt.view != only
            if attempt.verdict != "chosen" and not unlike:
                views.setdefault(_why(attempt), {})[str(attempt.view)] = None
        return views

    def lines(self) -> tuple[str, ...]:
        """Return the lines about the decision for the client's operation log.

        The lines name the views that answer, or say why no view does; empty if no view reads any table of the
        statement.
        """
        return tuple(f"Viewgate: {line}" for line in self._said())

    def _nearest(self, tried: Sequence[str]) -> str:
        """Return a phrase for the views that were tried, such as `the nearest 4 of the 12 views on web.events`.

        `tried` are the names of these views, here four. The other 8 views were not tried, because each of them lacks
        more columns or aggregates that the statement needs. If at most _MISSED views were tried, the phrase also names
        them. If all views were tried, it is `the 12 views on web.events`.
        """
        if len(tried) >= self.over:
            return f"the {len(tried)} views on {self._on}"
        if len(tried) <= _MISSED:
            names = f"{', '.join(tried[:-1])} and {tried[-1]}"
            return f"{names}, the nearest of the {self.over} views on {self._on},"
        return f"the nearest {len(tried)} of the {self.over} views on {self._on}"

    @property
    def _on(self) -> str:
        return str(self.tables[0]) if len(self.tables) == 1 else "the statement's tables"

    def _lacking(self) -> str:
        views = f"the only view on {self._on}" if self.over == 1 else f"none of the {self.over} views on {self._on}"
        hold = "does not hold" if self.over == 1 else "holds"
        return f"{views} {hold} what the statement needs; EXPLAIN REWRITE says what is missing"

    def _said(self) -> Iterator[str]:
        if not self.tried:
            if self.over:
                yield f"no view used: {self.problem or self._lacking()}"
            return
        if self.chosen:
            yield f"{ANSWERED} {', '.join(self.chosen)}{self.as_of}"
            return
        missed = self._briefly()
        yield from missed[:_MISSED]
        more = len(missed) - _MISSED
        if more > 0:
            yield f"and {more} more {'reason' if more == 1 else 'reasons'}; EXPLAIN REWRITE shows all"


def moment_text(ms: int) -> str:
    """Return a time, in milliseconds since 1970, as text in UTC.

    >>> moment_text(1_700_000_000_042)
    '2023-11-14 22:13:20.042 UTC'
    """
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return f"{moment.isoformat(' ', 'milliseconds').removesuffix('+00:00')} UTC"


def _missed(finding: Finding) -> str:
    return f"{finding.view or f'each of {finding.views} views'} not used: {_why(finding.attempt)}"


def _why(attempt: Attempt) -> str:
    return attempt.reason.told(attempt.detail) if attempt.reason else attempt.detail


_OF_THE_VIEW = re.compile(r"the view(?:'s (?P<owned>\w+))? (?P<also>also )?(?P<verb>\w+) (?P<rest>.*)", re.DOTALL)
_PLURALS = {"has": "have", "is": "are", "was": "were", "does": "do"}


def _told_of(why: str, views: str) -> str:
    """Return the reason `why`, which names a single view as "the view", with the phrase `views` in the place of "the
    view".

    >>> _told_of("the view has no column price", "the 2 views")
    'the 2 views have no column price'
    >>> _told_of("the view's groups are too coarse: day", "the 2 views")
    'the groups of the 2 views are too coarse: day'
    >>> _told_of("the session has other settings", "the 2 views")
    'the session has other settings'
    """
    about = _OF_THE_VIEW.fullmatch(why)
    if about is None:
        return why
    also, verb, rest = about["also"] or "", about["verb"], about["rest"]
    if about["owned"]:
        return f"the {about['owned']} of {views} {also}{verb} {rest}"
    return f"{views} {also}{_PLURALS.get(verb, verb.removesuffix('s'))} {rest}"


def told_of_named(outcome: Outcome) -> Outcome:
    """Return the outcome without the failed attempts, except for those of the view that the statement's hint names.

    Without a hint that names a view, return the outcome unchanged.
    """
    only = outcome.statement.session.only
    if only is None:
        return outcome
    return replace(outcome, tried=tuple(a for a in outcome.tried if a.view == only or a.verdict == "chosen"))


def suggested(outcome: Outcome, definitions: Definitions, relations: Relations) -> Suggestion | None:
    """Return a change to a view that would let the view answer the statement of `outcome`; None if no change is found.

    `definitions` are the current views, and `relations` the current tables and views that the statement reads. If the
    search fails with an error, log the error and return None.
    """
    if outcome.rewritten:
        return None
    try:
        return suggestion(outcome, definitions, relations)
    except Exception:
        _log.exception("suggestion failed digest=%r", digest(outcome.statement.sql))
        return None


def without_ranges(outcome: Outcome, names: frozenset[TableName], definitions: Definitions) -> frozenset[TableName]:
    """Return those tables in `names` for which the least and greatest values of integer columns might help a view to
    answer.

    These are the base tables, if a view in `outcome` cannot answer because a sum or average may be rounded: the values
    can prove that the sum is exact. The storage tables are added if a view cannot answer because the bounds of a column
    are unknown. Otherwise the result is empty. `definitions` tells storage tables from base tables.
    """
    reasons = {attempt.reason for attempt in outcome.tried}
    storages = names & definitions.by_storage.keys()
    added = names - storages if Reason.FLOAT_SUM_DECIDES_ROWS in reasons else frozenset()
    return added | storages if Reason.BOUNDS_UNKNOWN in reasons else added


def shadowed(statement: Statement, definitions: Definitions) -> Iterator[Attempt]:
    """Yield a failed Attempt for each view that cannot answer because a temporary view hides one of its source tables.

    The statement uses the name of the table, but in this session the name denotes the temporary view. `definitions` are
    the current views.
    """
    session = statement.session
    for name in sorted(session.temporary_views):
        read = any(t.name.lower() == name and not t.db for block in statement.blocks for t in block.tables)
        table = TableName((session.catalog, *session.namespace, name))
        for view in definitions.views if read else ():
            if table in definitions.sources[view.name]:
                why = f"{name} is a temporary view in this session, which hides the table"
                yield Attempt(view.name, "missed", "", Reason.TABLES_DIFFER, why)
