"""SHOW VIEWGATE CONFIG: the settings in effect, without the values of credentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log

EXAMPLE = "SHOW VIEWGATE CONFIG"
COLUMNS = ("key", "value", "default", "can_be_reloaded boolean")


class Setting(NamedTuple):
    """A setting's key, its value and its default, and whether RELOAD takes another value from the file."""

    key: str
    value: str | None
    default: str | None
    reloadable: bool


@dataclass(frozen=True)
class ShowConfig:
    """One row for each setting; with logins, for operators alone."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        return ResultSet.of(*COLUMNS, rows=list(ctx.settings()))


parse = alone(ShowConfig())
