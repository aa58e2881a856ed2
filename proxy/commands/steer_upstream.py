"""PAUSE | RESUME | DRAIN VIEWGATE UPSTREAM 'host:port', in all workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log
from proxy.upstream import Steering

EXAMPLE = "DRAIN VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_PAUSE = "PAUSE VIEWGATE UPSTREAM 'spark-1:10000'"
EXAMPLE_RESUME = "RESUME VIEWGATE UPSTREAM 'spark-1:10000'"
_TOLD = {
    Steering.PAUSE: "paused: new sessions and statements wait, running statements go on",
    Steering.RESUME: "resumed: it takes sessions and statements again",
    Steering.DRAIN: "being drained: it gets no new sessions, idle ones go elsewhere, running statements end",
}


@dataclass(frozen=True)
class Steer:
    """Changes what an upstream gets, until the settings file is read again."""

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
        workers = await ctx.steer(self.steering, found[0])
        where = f" in {workers} workers" if workers > 1 else ""
        return done(f"upstream {found[0]} is {_TOLD[self.steering]}{where}")


def _parse(steering: Steering, parser: Parser) -> Steer:
    upstream = parser.string("the upstream in quotes, as SHOW VIEWGATE UPSTREAMS tells it")
    parser.end()
    return Steer(steering, upstream)


parse: Callable[[Parser], Steer] = partial(_parse, Steering.DRAIN)


parse_pause: Callable[[Parser], Steer] = partial(_parse, Steering.PAUSE)


parse_resume: Callable[[Parser], Steer] = partial(_parse, Steering.RESUME)
