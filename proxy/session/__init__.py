"""Sessions and operations as clients know them.

`session` has both, the lease by which a statement uses its session's upstream, and the register in which handles are
looked up. `calls` are the calls on them as bytes, with replies that are ready before their calls. `states` has the
legal transitions of operations, `plan` the ways in which a statement is answered, `upstream` what is asked of the
upstream's side of a session.
"""

from proxy.session.calls import REQUEST_HANDLE, Foreseen, Habits, Handle, Message, numbered, repeatable, with_handle
from proxy.session.plan import NO_CHOICE, Answering, Choice, Forward, Local, Log, Plan
from proxy.session.session import NO_ROWS, ClientSession, Lease, Operation, Sessions, Worker
from proxy.session.states import LEGAL, TERMINAL, OperationState
from proxy.session.upstream import LiveUpstream, SessionUpstream

__all__ = [
    "LEGAL",
    "NO_CHOICE",
    "NO_ROWS",
    "REQUEST_HANDLE",
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
    "Message",
    "Operation",
    "OperationState",
    "Plan",
    "SessionUpstream",
    "Sessions",
    "Worker",
    "numbered",
    "repeatable",
    "with_handle",
]
