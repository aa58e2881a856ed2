"""Sessions and operations as clients know them: handles, legal states, who may use them, and plans for statements."""

from proxy.session.foreseen import Foreseen, numbered
from proxy.session.habits import Habits, repeatable
from proxy.session.handles import Handle
from proxy.session.operations import Operation
from proxy.session.plan import Answering, Choice, Forward, Local, Log, Plan
from proxy.session.sessions import ClientSession, LiveUpstream, Sessions, SessionUpstream
from proxy.session.states import LEGAL, TERMINAL, OperationState
from proxy.session.worker import Worker

__all__ = [
    "LEGAL",
    "TERMINAL",
    "Answering",
    "Choice",
    "ClientSession",
    "Foreseen",
    "Forward",
    "Habits",
    "Handle",
    "LiveUpstream",
    "Local",
    "Log",
    "Operation",
    "OperationState",
    "Plan",
    "SessionUpstream",
    "Sessions",
    "Worker",
    "numbered",
    "repeatable",
]
