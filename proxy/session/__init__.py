"""The sessions and operations that clients see, and their state.

`session` defines sessions, operations, the lease (a statement's hold on its upstream session and its slot there), and
the registry of handles. `calls` recognizes calls by their bytes and prepares replies in advance. `states` has the legal
transitions of operations, `plan` the ways to answer a statement, and `upstream` the interfaces to upstream sessions.
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
