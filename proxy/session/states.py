"""The states of an operation, and their transitions.

    INITIALIZED ──▶ PENDING ──▶ RUNNING ──▶ FINISHED, CANCELED, ERROR, TIMEDOUT ──▶ CLOSED

An operation may skip states, but never goes back to an earlier state.
"""

from __future__ import annotations

from enum import IntEnum

from proxy.hs2.codec import knows_timeout


class OperationState(IntEnum):
    """The states of an operation, with the numbers (and, except for UNKNOWN, the names) of Thrift's TOperationState."""

    INITIALIZED = 0
    RUNNING = 1
    FINISHED = 2
    CANCELED = 3
    CLOSED = 4
    ERROR = 5
    UNKNOWN = 6
    PENDING = 7
    TIMEDOUT = 8


_S = OperationState
_ENDS = frozenset({_S.FINISHED, _S.CANCELED, _S.ERROR, _S.TIMEDOUT, _S.CLOSED})

TERMINAL = _ENDS

# UNKNOWN is what a server reports for an operation that it does not know; no operation has this state.
LEGAL: dict[OperationState, frozenset[OperationState]] = {
    _S.INITIALIZED: _ENDS | {_S.PENDING, _S.RUNNING},
    _S.PENDING: _ENDS | {_S.RUNNING},
    _S.RUNNING: _ENDS,
    _S.FINISHED: frozenset({_S.CLOSED}),
    _S.CANCELED: frozenset({_S.CLOSED}),
    _S.ERROR: frozenset({_S.CLOSED}),
    _S.TIMEDOUT: frozenset({_S.CLOSED}),
    _S.CLOSED: frozenset(),
}

# The states as clients see them. Superset ends its loop on any state but INITIALIZED and RUNNING.
_SHOWN = {OperationState.PENDING: OperationState.RUNNING, OperationState.INITIALIZED: OperationState.RUNNING}


def shown_state(state: OperationState, protocol: int) -> OperationState:
    """Return the state to report to a client that uses the protocol version `protocol`.

    INITIALIZED and PENDING are reported as RUNNING; TIMEDOUT is reported as CANCELED to versions that lack TIMEDOUT.
    """
    if state is OperationState.TIMEDOUT and not knows_timeout(protocol):
        return OperationState.CANCELED
    return _SHOWN.get(state, state)
