"""What becomes of each statement: answered here, or forwarded as `answering` decides."""

from __future__ import annotations

from collections.abc import Callable

from proxy.commands.context import Command, Context
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Local, Plan

Find = Callable[[str], Command | None]


class Planner:
    """The `Answering` that sessions' statements are put to."""

    def __init__(self, context: Context, find: Find) -> None:
        self._context = context
        self._find = find

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        """Run it here if it is a statement of our own, else forward it."""
        command = self._find(sql)
        if command is None:
            return await self._context.answers.plan(session, sql)

        async def run(log: Callable[[str], None]) -> ResultSet:
            return await command.run(self._context, session, log)

        return Local(run)
