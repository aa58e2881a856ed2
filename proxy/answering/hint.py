"""Viewgate's own hint in a statement: `/*+ VIEWGATE(max_staleness = '10 minutes', use = 'namespace.view') */`."""

from __future__ import annotations

from dataclasses import replace

from proxy.hs2 import SqlError
from rewriter import Attempt, Definitions, Hinted, Outcome, Reason, hinted
from rewriter.model import TableName

# The options of the hint: how old an answer may be, the one view to use, and that no view is used.
STALENESS, USE, OFF = "max_staleness", "use", "off"
HINT_IS_OFF = "the statement has the hint VIEWGATE(off)"


def read_hint(sql: str) -> Hinted:
    """Return Viewgate's own hint in a statement, and the statement without it; raise SqlError for a wrong one."""
    hint = hinted(sql)
    unknown = next((option for option in hint.options if option not in (STALENESS, USE, OFF)), None)
    without = next((option for option in (STALENESS, USE) if hint.options.get(option) == ""), None)
    problem = hint.problem
    if unknown:
        problem = f"the hint VIEWGATE has no option {unknown}"
    elif without:
        problem = f"the option {without} of the hint VIEWGATE has no value"
    elif USE in hint.options and OFF in hint.options:
        problem = "the hint VIEWGATE says both which view to use and that none is used"
    if problem:
        known = f"VIEWGATE({STALENESS} = '10 minutes'), VIEWGATE({USE} = 'namespace.view') or VIEWGATE({OFF})"
        raise SqlError(f"{problem}; write {known} within /*+ and */", "42601")
    return hint


def told_of_hint(outcome: Outcome, only: TableName | None, definitions: Definitions) -> Outcome:
    """Return the outcome with the reason for which the view that a hint names was not even tried."""
    if only is None or any(attempt.view == only for attempt in outcome.tried):
        return outcome
    reads = "it reads nothing of what the statement does"
    why = reads if only in definitions.by_name else "there is no such materialized view"
    return replace(outcome, tried=(Attempt(only, "missed", reason=Reason.TABLES_DIFFER, detail=why), *outcome.tried))


def told_of_named(outcome: Outcome) -> Outcome:
    """Return the outcome without the views that were not tried because the statement's hint names another view."""
    only = outcome.statement.session.only
    if only is None:
        return outcome
    return replace(outcome, tried=tuple(a for a in outcome.tried if a.view == only or a.verdict == "chosen"))
