"""Decides which SQL Spark runs for a statement: the statement itself, or SQL that reads materialized views instead.

The decision depends on the session's settings, the catalog's state and the rewriter's plans. Executed statements and
the commands that describe decisions (in the package `commands`, for example EXPLAIN) use the same functions, so that
EXPLAIN shows the decision that is executed.
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
