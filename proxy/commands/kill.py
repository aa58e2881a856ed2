"""KILL VIEWGATE STATEMENT 'id', whichever worker runs it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Journal
from proxy.session import ClientSession, Log

EXAMPLE = "KILL VIEWGATE STATEMENT '0c3f8a52-6d0e-4d4e-9f3e-1f3f3b1d2c4a'"
QUESTION = b"kill"  # what workers ask each other to do with a statement
_RUNNING = "RUNNING"


@dataclass(frozen=True)
class Kill:
    """KILL VIEWGATE STATEMENT: ends a running statement with an error that names the user of the command."""

    id: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        return done(await end(ctx, self.id, session.user))


async def end(ctx: Context, id_: str, user: str) -> str:
    """End a statement on behalf of a user, and say so; raise SqlError where that user sees none that runs."""
    about = json.dumps([id_, ctx.whose(user), user]).encode()
    found = next(filter(None, (await ctx.ask(QUESTION, about)).values()), None)
    if found is None:
        shown = "SHOW VIEWGATE STATEMENTS lists those that there are"
        raise SqlError(f"there is no statement {id_!r} here; {shown}", "42704")
    owner, state = found
    if state != _RUNNING:
        raise SqlError(f"the statement {id_} has ended already: {state}", "55000")
    return f"statement {id_} of {owner} ended"


async def answer(journal: Journal, about: bytes) -> tuple[str, str] | None:
    """End a statement that runs in this process; return its user and its state before, or None if the process does not
    have it.
    """
    id_, whose, by = json.loads(about)
    record = next((one for one in journal if one.id == id_ and whose in (None, one.user)), None)
    if record is None:
        return None
    state = record.state.name
    if record.operation is not None:
        told = f"The statement was ended by {by} with KILL VIEWGATE STATEMENT"
        await record.operation.abandon(SqlError(told, "57014"))
    return record.user, state


def parse(parser: Parser) -> Kill:
    """Return the command after the words KILL VIEWGATE STATEMENT."""
    statement = parser.string("the id of a statement in quotes, as SHOW VIEWGATE STATEMENTS tells it")
    parser.end()
    return Kill(statement)
