"""SHOW VIEWGATE STATEMENTS, LAST, DIGESTS, VIEWS, REFRESHES, UPSTREAMS, SESSIONS, CONFIG, WORKERS.

LAST shows the session's previous statement, CONFIG the settings in effect with credentials hidden, and WORKERS the
worker processes. Each of the other statements shows the system table of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.answering import moment_text
from proxy.answering.system_tables import TABLES, plain
from proxy.answering.virtual_tables import Row
from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log, Worker

EXAMPLE_STATEMENTS = "SHOW VIEWGATE STATEMENTS"
EXAMPLE_LAST = "SHOW VIEWGATE LAST"
EXAMPLE_DIGESTS = "SHOW VIEWGATE DIGESTS"
EXAMPLE_VIEWS = "SHOW VIEWGATE VIEWS"
EXAMPLE_REFRESHES = "SHOW VIEWGATE REFRESHES"
EXAMPLE_UPSTREAMS = "SHOW VIEWGATE UPSTREAMS"
EXAMPLE_SESSIONS = "SHOW VIEWGATE SESSIONS"
_STATEMENT = "id user state started milliseconds answer sqlstate error statement"


@dataclass(frozen=True)
class ShowSystem:
    """The command that shows columns of a system table.

    Queued and running statements come first, all other rows in the order of the table.
    """

    table: str
    columns: Sequence[str]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        rows = await ctx.told(session, self.table)
        return _result(self.table, self.columns, sorted(rows, key=lambda row: row.get("ended") is not None))


@dataclass(frozen=True)
class ShowLast:
    """The command that shows the session's last ended statement; the result is empty if the journal no longer has
    it.
    """

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        of_session = (r for r in ctx.journal if r.session == session.id and r.has_ended)
        rows = [{name: plain(value) for name, value in record.values().items()} for record in of_session]
        return _result("statements", _STATEMENT.split(), rows[:1])


def _result(table: str, columns: Sequence[str], rows: Sequence[Row]) -> ResultSet:
    kinds = {name: TABLES[table][name] for name in columns}
    described = [f"{name} {'string' if kind == 'TIMESTAMP' else kind.lower()}" for name, kind in kinds.items()]
    return ResultSet.of(*described, rows=[[_shown(row.get(name), kinds[name]) for name in columns] for row in rows])


def _shown(value: Any, kind: str) -> Any:
    return moment_text(value) if kind == "TIMESTAMP" and value is not None else None if value == "" else value


parse_statements = alone(ShowSystem("statements", _STATEMENT.split()))


parse_last = alone(ShowLast())


parse_digests = alone(ShowSystem("digests", [name for name in TABLES["digests"] if name != "worker"]))


parse_views = alone(ShowSystem("views", [*TABLES["views"]]))


parse_refreshes = alone(ShowSystem("refreshes", [*TABLES["refreshes"]][1:]))


parse_upstreams = alone(ShowSystem("upstreams", [*[*TABLES["upstreams"]][1:], "worker"]))


parse_sessions = alone(ShowSystem("sessions", [*[*TABLES["sessions"]][1:], "worker"]))


EXAMPLE_CONFIG = "SHOW VIEWGATE CONFIG"
_SETTING = ("key", "value", "default", "can_be_reloaded boolean")


class Setting(NamedTuple):
    """A row of SHOW VIEWGATE CONFIG: key, value, default, and whether RELOAD applies a changed value (else only a
    restart).
    """

    key: str
    value: str | None
    default: str | None
    reloadable: bool


@dataclass(frozen=True)
class ShowConfig:
    """The command that shows the settings in effect, one row per setting.

    If logins are required, a user who is not an operator gets SqlError 42501.
    """

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        return ResultSet.of(*_SETTING, rows=list(ctx.settings()))


parse_config = alone(ShowConfig())


EXAMPLE_WORKERS = "SHOW VIEWGATE WORKERS"


@dataclass(frozen=True)
class ShowWorkers:
    """The command that shows one row per worker process, also for workers that have ended or are being replaced."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        rows = [
            (number, _state(one), one and one.process, one and one.sessions, one and one.statements)
            for number, one in sorted((await ctx.workers()).items())
        ]
        return ResultSet.of("worker int", "state", "process int", "sessions int", "statements int", rows=rows)


def _state(worker: Worker | None) -> str:
    if worker is None:
        return "down"
    return "retiring" if worker.retiring else "running"


parse_workers = alone(ShowWorkers())
