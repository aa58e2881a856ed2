"""PAUSE | RESUME | DRAIN VIEWGATE UPSTREAM 'host:port', in all workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log
from proxy.upstream import Steering, Upstreams

EXAMPLE = "DRAIN VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_PAUSE = "PAUSE VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_RESUME = "RESUME VIEWGATE UPSTREAM 'spark-1:10000'"
QUESTION = b"steer"  # what workers ask each other to do with an upstream
_TOLD = {
    Steering.PAUSE: "paused: new sessions and statements wait, running statements go on",
    Steering.RESUME: "resumed: it takes sessions and statements again",
    Steering.DRAIN: "being drained: it gets no new sessions, idle ones go elsewhere, running statements end",
}


@dataclass(frozen=True)
class Steer:
    """PAUSE, DRAIN and RESUME of an upstream, until the settings file is reloaded."""

    steering: Steering
    upstream: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        names = [str(place.upstream) for place in ctx.upstreams().places]
        found = [name for name in names if self.upstream in (name, name.rpartition(":")[0])]
        if len(found) != 1:
            raise SqlError(
                f"there {'are several upstreams' if found else 'is no upstream'} {self.upstream!r}; "
                f"there are {', '.join(names)}",
                "42704",
            )
        workers = len(await ctx.ask(QUESTION, json.dumps([self.steering, found[0]]).encode()))
        where = f" in {workers} workers" if workers > 1 else ""
        return done(f"upstream {found[0]} is {_TOLD[self.steering]}{where}")


async def answer(pools: Sequence[Upstreams], about: bytes) -> None:
    """Do in this process what one of the workers was asked to do, for clients and for refresh jobs."""
    steering, name = json.loads(about)
    for pool in pools:
        pool.steer(name, Steering(steering))


def _parse(steering: Steering, parser: Parser) -> Steer:
    upstream = parser.string("the upstream in quotes, as SHOW VIEWGATE UPSTREAMS tells it")
    parser.end()
    return Steer(steering, upstream)


parse: Callable[[Parser], Steer] = partial(_parse, Steering.DRAIN)


parse_pause: Callable[[Parser], Steer] = partial(_parse, Steering.PAUSE)


parse_resume: Callable[[Parser], Steer] = partial(_parse, Steering.RESUME)
