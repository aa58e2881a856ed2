"""Sessions and operations as clients know them.

`session` has both, with the lease by which a statement uses its session's upstream. `registry` finds them by their
`handles`, `states` has the legal transitions, `plan` the ways in which a statement is answered. `foreseen` has replies
that are ready before their calls, by the client's `habits`.
"""

from proxy.session.foreseen import Foreseen, Habits, numbered, repeatable
from proxy.session.handles import Handle
from proxy.session.plan import NO_CHOICE, Answering, Choice, Forward, Local, Log, Plan
from proxy.session.registry import Sessions, Worker
from proxy.session.session import ClientSession, Lease, Operation
from proxy.session.states import LEGAL, TERMINAL, OperationState
from proxy.session.upstream import LiveUpstream, SessionUpstream

__all__ = [
    "LEGAL",
    "NO_CHOICE",
    "TERMINAL",
    "Answering",
    "Choice",
    "ClientSession",
    "Foreseen",
    "Forward",
    "Habits",
    "Handle",
    "Lease",
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
