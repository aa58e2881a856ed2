"""Sessions and operations as clients know them: handles, legal states, who may use them, and plans for statements."""

from proxy.session.handles import Handle
from proxy.session.operations import Operation
from proxy.session.plan import Answering, Forward, Local, Log, Plan
from proxy.session.sessions import ClientSession, Sessions, SessionUpstream
from proxy.session.states import LEGAL, TERMINAL, OperationState

__all__ = [
    "LEGAL",
    "TERMINAL",
    "Answering",
    "ClientSession",
    "Forward",
    "Handle",
    "Local",
    "Log",
    "Operation",
    "OperationState",
    "Plan",
    "SessionUpstream",
    "Sessions",
]
