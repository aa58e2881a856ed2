"""SET and RESET of Viewgate's own session settings; SET and RESET of other settings go to Spark."""

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
    """The command SET of one of Viewgate's session settings; without a value, the command returns the current value."""

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
    """The command that resets one of Viewgate's session settings to its default."""

    name: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        facts: SessionFacts = session.facts
        facts.settings[self.name] = allowed(self.name)[0]
        return ResultSet.of("key", "value", rows=[])


def parse(parser: Parser) -> Set | None:
    """Parse the rest of the statement, after SET; return None if the setting is not one of Viewgate's."""
    if not _ours(parser):
        return None
    name = _name(parser)
    value = None
    if parser.accept("="):
        value = _value(parser)
    parser.end()
    return Set(name.lower(), value)


def parse_reset(parser: Parser) -> Reset | None:
    """Parse the rest of the statement, after RESET; return None if the setting is not one of Viewgate's."""
    if not _ours(parser):
        return None
    name = _name(parser)
    parser.end()
    return Reset(name.lower())


def _name(parser: Parser) -> str:
    """Read the name of a setting, such as `viewgate.trust-constraints`, and return the name."""
    name = ".".join(parser.name("a setting"))
    while parser.accept("-"):
        name += "-" + parser.identifier("a setting")
    return name


def _value(parser: Parser) -> str:
    token = parser.peek()
    if token is not None and token.kind == "string":
        return parser.string("a value")
    if token is not None and token.kind == "quoted":
        return parser.identifier("a value")
    return parser.rest("a value").strip()


def _ours(parser: Parser) -> bool:
    """Return whether the next token is a name that starts with `viewgate.`, with or without backticks."""
    first, second = parser.peek(), parser.peek(1)
    if first is None:
        return False
    if first.kind == "quoted" and first.identifier.lower().startswith(f"{PREFIX}."):
        return True
    return first.identifier.lower() == PREFIX and second is not None and second.text == "."
