"""Which SQL answers a statement: what its session has set, what the catalog has now, what the rewriter decides.

This room stands between the statements that Viewgate answers itself (`commands`, EXPLAIN among them)
and the sources of truth (`catalog`, the session's own upstream), so that both EXPLAIN and a statement's
own run take the same decision by the same way.
"""

from proxy.answering.answers import Answers
from proxy.answering.changes import Change, change_of
from proxy.answering.decision import Decision
from proxy.answering.facts import OFF, ON, SETTINGS, SPELLINGS, Defaults, SessionFacts
from proxy.answering.schemas import checked, described

__all__ = [
    "OFF",
    "ON",
    "SETTINGS",
    "SPELLINGS",
    "Answers",
    "Change",
    "Decision",
    "Defaults",
    "SessionFacts",
    "change_of",
    "checked",
    "described",
]
