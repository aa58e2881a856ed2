"""SHOW VIEWGATE UPSTREAMS and SESSIONS: the Sparks behind this process, and who is connected to it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log
from proxy.upstream import Place

EXAMPLE = "SHOW VIEWGATE UPSTREAMS"
EXAMPLE_SESSIONS = "SHOW VIEWGATE SESSIONS"


@dataclass(frozen=True)
class ShowUpstreams:
    """One row for each server; clients that wait for a session wait for any of them."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        upstreams = ctx.upstreams()
        columns = (
            *("upstream", "state", "sessions int", "most_sessions int", "statements int", "most_statements int"),
            *("statements_waiting int", "sessions_waiting int", "problem"),
        )
        return ResultSet.of(*columns, rows=[_row(place, upstreams.waiting) for place in upstreams.places])


def _row(place: Place, waiting: int) -> tuple[str | int | None, ...]:
    return (
        str(place.upstream),
        place.standing,
        place.sessions,
        place.terms.sessions,
        place.statements.taken,
        place.terms.statements,
        place.statements.waiting,
        waiting,
        place.problem.message if place.problem is not None else None,
    )


@dataclass(frozen=True)
class ShowSessions:
    """One row for each session that the user may see, the one that is idle for longest last."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        seen = (one for one in ctx.sessions().all if ctx.may_see(session, one.user))
        rows = [_session(one) for one in sorted(seen, key=lambda one: -one.used_at)]
        columns = ("session", "user", "principal", "running int", "idle_seconds bigint", "has_upstream_session boolean")
        return ResultSet.of(*columns, rows=rows)


def _session(session: ClientSession) -> tuple[str | int | bool, ...]:
    running = sum(not operation.done for operation in session.operations.values())
    idle = 0 if running or session.waited_for else int(time.monotonic() - session.used_at)
    return (session.id, session.user, session.principal, running, idle, session.upstream.attached)


parse = alone(ShowUpstreams())


parse_sessions = alone(ShowSessions())
