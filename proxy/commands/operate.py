"""Statements by which operators control Viewgate.

    KILL VIEWGATE STATEMENT 'id'                            end a statement, whichever worker runs the statement
    PAUSE | RESUME | DRAIN VIEWGATE UPSTREAM 'host:port'    control the use of an upstream server by all workers
    RELOAD VIEWGATE CONFIG                                  read the settings file again, as SIGHUP does
    RESTART VIEWGATE WORKERS                                replace the processes one by one, as SIGUSR2 does

The worker that gets such a request sends it to all workers; each worker acts on its own statements and upstreams.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from proxy.commands.context import Context, Reloaded, done
from proxy.commands.parser import Parser, alone
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Journal
from proxy.session import ClientSession, Log
from proxy.upstream import Steering, Upstreams

EXAMPLE_KILL = "KILL VIEWGATE STATEMENT '0c3f8a52-6d0e-4d4e-9f3e-1f3f3b1d2c4a'"
KILL = b"kill"  # the topic of this request among workers


@dataclass(frozen=True)
class Kill:
    """The command that ends a queued or running statement; the error of that statement names the user who ended it."""

    id: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        return done(await kill(ctx, self.id, session.user))


async def kill(ctx: Context, id_: str, user: str) -> str:
    """End the queued or running statement `id_` in any worker, and return a message about the end.

    Raise SqlError 42704 if `user` may see no statement with this id, and SQLSTATE 55000 if the statement has already
    ended.
    """
    about = json.dumps([id_, ctx.whose(user), user]).encode()
    found = next(filter(None, (await ctx.ask(KILL, about)).values()), None)
    if found is None:
        raise SqlError(
            f"the statement {id_!r} does not exist, or belongs to another user: give an id from the result of SHOW "
            "VIEWGATE STATEMENTS",
            "42704",
        )
    owner, state = found
    if state is not None:
        raise SqlError(f"the statement {id_} cannot be ended: it has already ended with the state {state}", "55000")
    return f"statement {id_} of {owner} ended"


async def killed(journal: Journal, about: bytes) -> tuple[str, str | None] | None:
    """End a statement in this process; return None if this process does not have the statement.

    Otherwise return a pair: the user who sent the statement, and the statement's final state if it had already ended
    (else None). `about` is a JSON list: the statement's id, the only user whose statements may be ended (null: all
    users), and the user who ends the statement.
    """
    id_, whose, by = json.loads(about)
    record = next((one for one in journal if one.id == id_ and whose in (None, one.user)), None)
    if record is None:
        return None
    if record.operation is None:
        return record.user, record.state.name
    told = f"The statement was ended by {by} with KILL VIEWGATE STATEMENT"
    await record.operation.abandon(SqlError(told, "57014"))
    return record.user, None


def parse_kill(parser: Parser) -> Kill:
    """Parse the rest of the statement, after KILL VIEWGATE STATEMENT; raise SqlError 42601 for a syntax error."""
    statement = parser.string("the id of a statement in quotes, as SHOW VIEWGATE STATEMENTS shows it")
    parser.end()
    return Kill(statement)


EXAMPLE_DRAIN = "DRAIN VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_PAUSE = "PAUSE VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_RESUME = "RESUME VIEWGATE UPSTREAM 'spark-1:10000'"
STEER = b"steer"  # the topic of this request among workers
_TOLD = {
    Steering.PAUSE: "paused: new sessions and statements wait, running statements go on",
    Steering.RESUME: "resumed: it takes sessions and statements again",
    Steering.DRAIN: "being drained: it gets no new sessions, idle ones move to other upstreams, running statements "
    "run to their end",
}
_NONE_LEFT = "; no other is left: new sessions and statements of idle ones fail with 08S01 until one is resumed"


@dataclass(frozen=True)
class Steer:
    """The command that pauses, drains or resumes an upstream server in all workers.

    Its effect lasts until the settings file is reloaded.
    """

    steering: Steering
    upstream: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        names = [str(place.upstream) for place in ctx.upstreams().places]
        found = [name for name in names if self.upstream in (name, name.rpartition(":")[0])]
        if len(found) != 1:
            problem = "names several upstreams" if found else "names no upstream"
            raise SqlError(f"{self.upstream!r} {problem}: give host and port, one of {', '.join(names)}", "42704")
        workers = len(await ctx.ask(STEER, json.dumps([self.steering, found[0]]).encode()))
        where = f" in {workers} workers" if workers > 1 else ""
        left = _NONE_LEFT if all(place.terms.draining for place in ctx.upstreams().places) else ""
        return done(f"upstream {found[0]} is {_TOLD[self.steering]}{where}{left}")


async def steered(pools: Sequence[Upstreams], about: bytes) -> None:
    """Apply a PAUSE, DRAIN or RESUME request of a worker to the upstreams of this process.

    `pools` are the upstreams for clients and the upstreams for refresh jobs; `about` is a JSON list: the action and the
    upstream's name.
    """
    steering, name = json.loads(about)
    for pool in pools:
        pool.steer(name, Steering(steering))


def _parse(steering: Steering, parser: Parser) -> Steer:
    upstream = parser.string("the upstream in quotes, as SHOW VIEWGATE UPSTREAMS shows it")
    parser.end()
    return Steer(steering, upstream)


parse_drain: Callable[[Parser], Steer] = partial(_parse, Steering.DRAIN)


parse_pause: Callable[[Parser], Steer] = partial(_parse, Steering.PAUSE)


parse_resume: Callable[[Parser], Steer] = partial(_parse, Steering.RESUME)


EXAMPLE_RELOAD = "RELOAD VIEWGATE CONFIG"
_WRONG_SETTINGS = "F0000"


@dataclass(frozen=True)
class Reload:
    """The command that reads the settings file again, and returns a message about the changed settings.

    The message also names the changed settings that take effect only after a restart.
    """

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        return _answer_to(await ctx.reload(), _WRONG_SETTINGS)


parse_reload = alone(Reload())


EXAMPLE_RESTART = "RESTART VIEWGATE WORKERS"
_NOT_NOW = "55000"


@dataclass(frozen=True)
class Restart:
    """The command that starts to replace the worker processes one by one, and returns at once.

    The worker of this session ends only after the session has ended.
    """

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        return _answer_to(await ctx.restart(), _NOT_NOW)


parse_restart = alone(Restart())


def _answer_to(outcome: Reloaded, sql_state: str) -> ResultSet:
    """Return the result of a reload or a restart; raise SqlError with the SQLSTATE `sql_state` if the request was
    refused.
    """
    if outcome.refused:
        raise SqlError(outcome.message, sql_state)
    return done(outcome.message)
