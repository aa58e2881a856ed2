"""Plans each statement: Viewgate runs the statement as a command, or Spark runs it, as sent or rewritten.

The package `answering` decides about the statements that Spark runs. After a write to a source of views, the
post-commit refreshes of these views are run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial

from proxy.catalog import Unavailable, raise_told
from proxy.catalog.views import NEVER
from proxy.commands import describe, hive_listings, show
from proxy.commands.affected import AffectedViews
from proxy.commands.context import Command, Context
from proxy.commands.guard import Guard
from proxy.commands.maintenance import Maintenance, lets_expire, losses, maintenance, own_tables
from proxy.hs2 import ResultSet, SqlError
from proxy.hs2.status import first_message
from proxy.pipeline.dependencies import over
from proxy.pipeline.upkeep import MAINTENANCE
from proxy.session import ClientSession, Forward, Local, Log, Plan
from proxy.statements import Kind, Loss, StatementInfo, classify
from rewriter.model import MaterializedView, TableName

Find = Callable[[str], Command | None]

_CONSTANT = Forward(brief=True, constant=True)


class Planner:
    """The planner of the statements of all sessions; it implements the protocol `Answering`."""

    def __init__(self, context: Context, find: Find) -> None:
        self._context = context
        self._find = find
        self._affected = AffectedViews(context)
        self._guard = Guard(context, self._affected)

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        """Return the plan of a statement: Local if Viewgate answers the statement itself, Forward if Spark answers it.

        Raise SqlError if Viewgate refuses the statement.
        """
        info = classify(sql)
        if info.constant:
            return _CONSTANT
        command = None if info.kind is Kind.QUERY else self._find(sql)
        if command is None:
            return await self._forward(session, sql)

        async def run(log: Log) -> ResultSet:
            try:
                return await command.run(self._context, session, log)
            except SqlError as error:
                raise_told(error, self._context.catalogs)
            except RecursionError as error:  # its traceback has thousands of lines without further information
                raise SqlError(
                    "the statement is nested too deeply: reduce the nesting of its subqueries and expressions", "54001"
                ) from error

        return Local(run)

    def moved(self, session: ClientSession) -> None:
        """Forget the cached state of a session whose upstream connection has moved to another server, whose settings
        may differ.
        """
        self._context.answers.moved(session)

    async def _forward(self, session: ClientSession, sql: str) -> Plan:
        text = await self._affected.spelled_out(session, sql) if "${" in sql else sql
        info = classify(text)
        tables: frozenset[TableName] = frozenset()
        if info.verb in describe.VERBS and (table := await self._context.answers.described(session, text)):
            return Local(lambda _log: describe.virtual_table(table))
        if info.verb in hive_listings.VERBS and (listing := hive_listings.listing(self._context, session, text)):
            return Local(lambda _log: listing(self._context, session, sql))
        if info.verb == "SHOW" and (schema := await show.virtual_schema(self._context, session, text)):
            return Local(lambda _log: show.virtual_tables(schema, text))
        if info.verb == "USE" and await show.uses_system(self._context, session, text):
            return Local(lambda _log: show.enter_system(session))
        if session.for_operators:
            show.check_named_in_full(text)
        try:
            if info.verb == "SHOW" and (storages := await show.hidden(self._context, session, text)):
                return Local(lambda _log: show.without(storages, session, sql))
            if not info.only_reads:
                await self._guard.check(session, text)
                tables = await self._affected.written(session, text)
        except Unavailable:  # no views are known yet; those that become stale are refreshed once they are known
            pass
        forward = await self._context.answers.plan(session, sql)
        if _may_define_views(info):
            forward = replace(forward, ended=partial(self._defined, forward.ended))
        if info.verb == "USE" and session.for_operators:
            forward = replace(forward, ended=partial(_left_system, session, forward.ended))
        if not tables:
            return forward
        own = own_tables(text, await self._context.facts(session), tables) if info.verb == "CALL" else tables
        followed = self._followed(forward, tables, own, text)
        return replace(followed, log=(*followed.log, *await self._warned(session, text, own)))

    def _defined(self, ended: Callable[[bool], None] | None, well: bool) -> None:
        """Record the end of a statement that may have changed a plain view: the next statement reads the views again.

        Otherwise the change would stay unknown until the next poll. The views of all catalogs are read again, because
        only Spark knows the view's catalog. `well` is true if the statement succeeded. `ended`, if not None, is then
        called with `well`.
        """
        self._context.catalogs.invalidate()
        if ended is not None:
            ended(well)

    def _followed(
        self, forward: Forward, tables: frozenset[TableName], own: frozenset[TableName], text: str
    ) -> Forward:
        """Return the plan `forward` with the steps to run after the statement `text` has written to `tables`.

        The steps are the post-commit refreshes of the views over these tables. If the statement calls a maintenance
        procedure, another step runs the procedure on the storage tables of the views over `own`, the tables that the
        procedure can mean.
        """
        maintained = maintenance(text)

        async def after(log: Log) -> None:
            self._context.catalogs.invalidate(tables)  # a view's definition may have been changed
            definitions = await self._context.answers.definitions()
            await self._context.on_commit.after_write(definitions, tables, log)
            if maintained is not None:
                views = await over(self._context.catalogs, definitions, own)
                await self._follow(maintained, views, log)

        return replace(forward, after=after)

    async def _warned(self, session: ClientSession, text: str, tables: Set[TableName]) -> tuple[str, ...]:
        """Return a warning for each view that needs a snapshot of one of these tables, if the statement `text` lets
        this snapshot expire.
        """
        if not lets_expire(text):
            return ()
        state = await self._context.facts(session)
        try:
            return await losses(self._context.catalogs, await self._context.answers.definitions(), state, text, tables)
        except Unavailable:
            return ()

    async def _follow(self, maintained: Maintenance, views: Sequence[MaterializedView], log: Log) -> None:
        """Run the maintenance procedure on the storage table of each view.

        If a run fails, write the error to the statement's log (`log`), and continue with the next view. A view with
        the property `viewgate.maintenance` = `never` is skipped.
        """
        for view in views:
            if view.properties.get(MAINTENANCE) == NEVER:
                continue
            try:
                await self._context.pipeline.maintain(view, maintained.of(view.storage), log)
                log(f"Viewgate: {maintained.procedure} also run on the storage table of {view.name}")
            except Exception as failure:
                why = first_message(str(failure))
                log(f"Viewgate: {maintained.procedure} failed on the storage table of {view.name}: {why}")


def _may_define_views(info: StatementInfo) -> bool:
    """Return whether a statement may create, change or drop a plain view.

    >>> [_may_define_views(classify(sql)) for sql in ("CREATE OR REPLACE VIEW v AS SELECT 1", "CREATE TABLE t (a INT)")]
    [True, False]
    """
    if info.verb in ("BEGIN", "EXECUTE"):
        return True
    contents = info.destroys is not None and info.destroys.loss is Loss.NAMESPACE
    return contents or (info.kind is Kind.DEFINITION and "VIEW" in info.keywords)


def _left_system(session: ClientSession, ended: Callable[[bool], None] | None, well: bool) -> None:
    """Record the end of a USE statement in a session for operators (see `show.enter_system`).

    If the statement succeeded (`well`), the session has left viewgate.system and is no longer for operators.
    `ended`, if not None, is then called with `well`.
    """
    if well:
        session.for_operators = False
    if ended is not None:
        ended(well)
