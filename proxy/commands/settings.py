"""SET and RESET of Viewgate's own session settings; those of Spark go to Spark."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.answering import SessionFacts, allowed, value_of
from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log

EXAMPLE = "SET viewgate.rewrite = off"
PREFIX = "viewgate"


@dataclass(frozen=True)
class Set:
    """Set one setting, or show it."""

    name: str
    value: str | None = None

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        facts: SessionFacts = session.facts
        allowed(self.name)
        if self.value is not None:
            facts.settings[self.name] = value_of(self.name, self.value)
        return ResultSet.of("key", "value", rows=[(self.name, facts.settings[self.name])])


@dataclass(frozen=True)
class Reset:
    """Put one setting back to its default."""

    name: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        facts: SessionFacts = session.facts
        facts.settings[self.name] = allowed(self.name)[0]
        return ResultSet.of("key", "value", rows=[])


def parse(parser: Parser) -> Set | None:
    """After `SET`; None for a setting that is not ours."""
    if not _ours(parser):
        return None
    name = _name(parser)
    value = None
    if parser.accept("="):
        token = parser.peek()
        quoted = token is not None and token.kind == "string"
        value = parser.string("a value") if quoted else parser.rest("a value").strip()
    parser.end()
    return Set(name.lower(), value)


def parse_reset(parser: Parser) -> Reset | None:
    """After `RESET`; None for a setting that is not ours."""
    if not _ours(parser):
        return None
    name = _name(parser)
    parser.end()
    return Reset(name.lower())


def _name(parser: Parser) -> str:
    """A setting's name, in which words may be joined by a dash."""
    name = ".".join(parser.name("a setting"))
    while parser.accept("-"):
        name += "-" + parser.identifier("a setting")
    return name


def _ours(parser: Parser) -> bool:
    first, second = parser.peek(), parser.peek(1)
    return first is not None and first.text.lower() == PREFIX and second is not None and second.text == "."
