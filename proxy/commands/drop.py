"""DROP MATERIALIZED VIEW [IF EXISTS] name: parses and runs the statement."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from proxy.catalog.refresh_state import STORAGE_OF
from proxy.commands.affected import named
from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log
from rewriter.model import STORAGE_SUFFIX, MaterializedView, TableName
from rewriter.model.literals import literal

_log = logging.getLogger(__name__)

EXAMPLE = "DROP MATERIALIZED VIEW IF EXISTS demo.agg_sales"


@dataclass(frozen=True)
class Drop:
    """The command that drops a view, then its storage table and files.

    In this order, no query reads a storage table that is being dropped. The storage table is kept if another view
    uses it, or if it existed before the view (an adopted table).
    """

    name: tuple[str, ...]
    if_exists: bool = False

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        name = await ctx.resolve(session, self.name)
        view = await ctx.catalogs.view(name)
        if view is None and name not in ctx.catalogs.broken:
            if self.if_exists:
                return done(f"materialized view {name} does not exist")
            view = await ctx.existing_view(session, self.name)
        await _check_unneeded(ctx, name)
        try:
            await session.upstream.query(f"DROP VIEW {name.sql()}")
        finally:
            ctx.catalogs.invalidate([name])
        if view is None:  # its storage is unknown
            dropped = "".join(f"; its storage table {orphan} too" for orphan in await ctx.orphans.drop(name))
            return done(f"materialized view {name} dropped{dropped or _left(name)}")
        async with ctx.pipeline.given_up(view):
            storage = await self._drop_storage(ctx, session, view)
        return done(f"materialized view {name} dropped{storage}")

    async def _drop_storage(self, ctx: Context, session: ClientSession, view: MaterializedView) -> str:
        shared = [other.name for other in await ctx.catalogs.definitions() if other.storage == view.storage]
        if shared:
            return f"; its storage table {view.storage} is kept for {shared[0]}"
        if view.properties.get(ADOPT):
            return f"; the adopted table {view.storage} is kept"
        try:
            await session.upstream.query(f"DROP TABLE IF EXISTS {view.storage.sql()} PURGE")
        except SqlError as failure:
            if await _forgotten(ctx, view.storage):
                return (
                    f"; the metadata of its storage table {view.storage} cannot be read: the table was "
                    "removed from the "
                    "catalog, and its remaining files must be deleted by hand"
                )
            raise SqlError(
                f"materialized view {view.name} was dropped, but its storage table was not: fix the following "
                f"error, then run DROP TABLE {view.storage.sql()} PURGE: {failure.message}",
                failure.sql_state,
            ) from failure
        return ""


async def _forgotten(ctx: Context, storage: TableName) -> bool:
    """Remove a storage table from the catalog, because Spark cannot drop a table whose metadata file is missing or
    broken.

    Return whether the table was removed. If an error occurs, log the error and return False.
    """
    try:
        return await ctx.catalogs.of(storage).forget_broken(storage)
    except Exception:
        _log.exception("storage not dropped table=%s", storage)
        return False


def _left(view: TableName) -> str:
    """Return the end of the message about a dropped view whose metadata is unreadable: how the user finds the
    storage table.
    """
    made_for = f"{STORAGE_OF} = {literal(TableName(view.parts[1:]).sql())}"
    return (
        f"; the name of its storage table could not be read: if a table has the property {made_for} "
        f"({view.table}{STORAGE_SUFFIX}, perhaps with a suffix), drop it with DROP TABLE … PURGE"
    )


async def _check_unneeded(ctx: Context, name: TableName) -> None:
    definitions = await ctx.catalogs.definitions()
    upon = [view.name for view in definitions if any(state.name == name for state in view.through)]
    if upon:
        raise SqlError(
            f"materialized view {name} is read by {named(upon)}; drop these views first",
            "2BP01",
        )


def parse(parser: Parser) -> Drop:
    """Parse the rest of the statement, after DROP MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    if_exists = parser.accept("IF", "EXISTS")
    command = Drop(parser.name("a view's name"), if_exists)
    parser.end()
    return command
