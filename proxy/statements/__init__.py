"""Classifies statements by their SQL text alone: without I/O, catalog or session, and with one lexer.

`classify` returns the `StatementInfo` of a text: the tables that the statement may write to (determined in `writes`),
the object that the statement drops or alters (`destructive`), its effect on the session (`effects`), and the statements
of a script (`scripts`). `lexer` splits the text into tokens and reads names. The meaning of queries is determined by
the rewriter.
"""

from proxy.statements.classify import Kind, StatementInfo, classify
from proxy.statements.destructive import Destruction, Loss
from proxy.statements.effects import Effect, Replay, SessionEffect
from proxy.statements.lexer import Parts, Token, scan, string_value
from proxy.statements.scripts import substituted
from proxy.statements.writes import Written

__all__ = [
    "Destruction",
    "Effect",
    "Kind",
    "Loss",
    "Parts",
    "Replay",
    "SessionEffect",
    "StatementInfo",
    "Token",
    "Written",
    "classify",
    "scan",
    "string_value",
    "substituted",
]
