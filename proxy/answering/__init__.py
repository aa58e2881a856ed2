"""Decides which SQL answers a statement, from the session's settings, the catalog's state and the rewriter's plans.

This room stands between the statements that Viewgate answers itself (`commands`, EXPLAIN among them)
and the sources of truth (`catalog`, the session's own upstream), so that both EXPLAIN and a statement's
own run take the same decision by the same way.
"""

from proxy.answering.answers import Answers
from proxy.answering.decision import ANSWERED, Decision, moment_text
from proxy.answering.facts import Defaults, SessionFacts, allowed, value_of
from proxy.answering.schemas import checked, described
from proxy.answering.system_tables import SystemRows

__all__ = [
    "ANSWERED",
    "Answers",
    "Decision",
    "Defaults",
    "SessionFacts",
    "SystemRows",
    "allowed",
    "checked",
    "described",
    "moment_text",
    "value_of",
]
