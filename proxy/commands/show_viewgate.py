"""SHOW VIEWGATE STATEMENTS and LAST, from the journal; KILL VIEWGATE STATEMENT 'id'."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.answering import moment_text
from proxy.commands.context import Context, done
from proxy.commands.parser import Parser, alone
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Record
from proxy.session import ClientSession, Log

EXAMPLE = "SHOW VIEWGATE STATEMENTS"
EXAMPLE_LAST = "SHOW VIEWGATE LAST"
EXAMPLE_KILL = "KILL VIEWGATE STATEMENT '0c3f8a52-6d0e-4d4e-9f3e-1f3f3b1d2c4a'"
COLUMNS = ("id", "user", "state", "started", "milliseconds bigint", "answer", "error", "statement")


@dataclass(frozen=True)
class ShowStatements:
    """One row for each statement that the user may see, those that run first, and then the latest."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        return ResultSet.of(
            *COLUMNS, rows=[_row(record) for record in ctx.journal if ctx.may_see(session, record.user)]
        )


@dataclass(frozen=True)
class ShowLast:
    """The statement of this session before this one."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        of_session = (r for r in ctx.journal if r.session == session.id and r.operation is None)
        return ResultSet.of(*COLUMNS, rows=[_row(record) for record in of_session][:1])


@dataclass(frozen=True)
class Kill:
    """Ends a statement that runs; its client is told who did so."""

    id: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        seen = (record for record in ctx.journal if record.id == self.id and ctx.may_see(session, record.user))
        record = next(seen, None)
        if record is None:
            raise SqlError(f"there is no statement {self.id!r} here; {EXAMPLE} lists those that there are", "42704")
        if record.operation is None:
            raise SqlError(f"the statement {self.id} has ended already: {record.state.name}", "55000")
        by = f"The statement was ended by {session.user} with KILL VIEWGATE STATEMENT"
        await record.operation.abandon(SqlError(by, "57014"))
        return done(f"statement {self.id} of {record.user} ended")


def _row(record: Record) -> tuple[str | int | None, ...]:
    return (
        record.id,
        record.user,
        record.state.name,
        moment_text(record.started_ms),
        record.milliseconds,
        record.answer or None,
        f"{record.error.sql_state}: {record.error.message}" if record.error is not None else None,
        record.sql,
    )


parse = alone(ShowStatements())


parse_last = alone(ShowLast())


def parse_kill(parser: Parser) -> Kill:
    """After `KILL VIEWGATE STATEMENT`."""
    statement = parser.string("the id of a statement in quotes, as SHOW VIEWGATE STATEMENTS tells it")
    parser.end()
    return Kill(statement)
