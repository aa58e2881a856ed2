"""ALTER MATERIALIZED VIEW name { ENABLE | DISABLE } REWRITE | [UN]SET PROPERTIES (…) | ADD COLUMNS (…) | AS query.

ADD COLUMNS and AS fill a new storage table. While the new storage table is being filled, queries are answered from the
old one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from proxy.answering import described
from proxy.catalog.views import REWRITE
from proxy.commands import create, describe
from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT, QUERY, checked, of_storage, recorded_settings, to_unset
from proxy.hs2 import ResultSet, SqlError
from proxy.pipeline.steps import RETENTION
from proxy.session import ClientSession, Log
from rewriter import ParseError, output_names, with_outputs
from rewriter.model import MaterializedView, kept_as
from rewriter.model.literals import literal, pairs


@dataclass(frozen=True)
class Widen:
    """The command ALTER MATERIALIZED VIEW … ADD COLUMNS or AS, which adds columns to a view.

    For ADD COLUMNS, `outputs` are the SQL expressions of the new columns, which are appended to the view's SELECT, and
    `query` is empty. For AS, `query` is the new query, whose first columns must be the view's columns, and `outputs` is
    empty.
    """

    name: tuple[str, ...]
    outputs: str = ""
    query: str = ""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        if view.properties.get(ADOPT):
            raise SqlError(
                f"{view.name} uses an adopted table as its storage table, to which columns cannot be added: recreate "
                f"the view with CREATE OR REPLACE MATERIALIZED VIEW, without the property {ADOPT}",
                "0A000",
            )
        await self._check_settings(ctx, session, view)
        made = _as_made(view)
        if self.outputs:
            made = self._with_outputs(made, view)
        else:
            await _check_columns(session, view, self.query)
            if made.columns is not None:
                raise SqlError(
                    f"{view.name} was created with a list of column names, so its query cannot be replaced: use "
                    "ALTER MATERIALIZED VIEW … ADD COLUMNS",
                    "0A000",
                )
            made = replace(made, query=self.query)
        return await made.run(ctx, session, log)

    async def _check_settings(self, ctx: Context, session: ClientSession, view: MaterializedView) -> None:
        """Raise SqlError 55000 if the session's settings that affect results differ from the settings that the view
        records.
        """
        now = json.loads(recorded_settings(await ctx.facts(session)))
        differing = sorted(k for k, v in (view.settings or {}).items() if now.get(k) != v)
        if view.settings is not None and (differing or now.keys() != view.settings.keys()):
            told = describe.settings(view)
            raise SqlError(
                f"{view.name} was created with the session settings {told}, which differ from those of this session: "
                "set them with SET, then run the statement again",
                "55000",
            )

    def _with_outputs(self, made: create.Create, view: MaterializedView) -> create.Create:
        query = with_outputs(made.query, self.outputs)
        if query is None:
            raise SqlError(
                f"ADD COLUMNS is not possible, because the query of {view.name} is not a single SELECT … FROM: replace "
                f"the query by ALTER MATERIALIZED VIEW {view.name.sql()} AS <query>",
                "0A000",
            )
        try:
            names = output_names(self.outputs)
        except ParseError as problem:
            raise SqlError(
                f"ADD COLUMNS ({self.outputs}) cannot be parsed: {problem}; give SQL expressions separated by commas",
                "42601",
            ) from problem
        if made.columns is None:
            return replace(made, query=query)
        if "" in names:
            raise SqlError(
                f"{view.name} was created with a list of column names: give each added column a name with AS", "42601"
            )
        return replace(made, query=query, columns=(*made.columns, *((name, None) for name in names)))


def can_widen(view: MaterializedView, settings: Mapping[str, str] | None) -> bool:
    """Return whether ALTER … ADD COLUMNS supports a view in a session with these settings.

    `settings` are the session's settings that affect results (`recorded_settings`); they must equal the settings
    that the view records, if any. Views that another tool created, and views whose storage table existed before the
    view (adopted tables), are not supported.
    """
    return QUERY in view.properties and not view.properties.get(ADOPT) and view.settings in (None, settings)


def _as_made(view: MaterializedView) -> create.Create:
    """Return the CREATE OR REPLACE command that would create the view again, and fill its storage table.

    The storage table is filled even if the view was created WITH DEFERRED REFRESH. Raise SqlError 0A000 for a view
    that another tool created.
    """
    if QUERY not in view.properties:
        raise SqlError(
            f"{view.name} was created by another tool, and cannot be altered: use CREATE OR REPLACE MATERIALIZED VIEW",
            "0A000",
        )
    parser = Parser(describe.statement(view), create.EXAMPLE)
    parser.expect("CREATE", "MATERIALIZED", "VIEW")
    return replace(create.parse_replace(parser), at_once=True)


async def _check_columns(session: ClientSession, view: MaterializedView, query: str) -> None:
    """Raise SqlError 42P16 unless the query's first columns have the names and types of the view's columns."""
    found = [(column.name.lower(), kept_as(column.type)) for column in await described(query, session.upstream.query)]
    own = [(column.name.lower(), column.type) for column in view.columns]
    if found[: len(own)] != own:
        listed = ", ".join(f"{name} {kind}" for name, kind in own)
        raise SqlError(
            f"the query does not begin with the columns of {view.name} ({listed}): select these columns first, or use "
            "CREATE OR REPLACE MATERIALIZED VIEW",
            "42P16",
        )


EXAMPLE = "ALTER MATERIALIZED VIEW demo.agg_sales DISABLE REWRITE"


@dataclass(frozen=True)
class SetProperties:
    """The command that sets properties of a view.

    A property that does not start with `viewgate.` is also set on the view's storage table.
    """

    name: tuple[str, ...]
    properties: dict[str, str]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        if RETENTION in self.properties:  # a retention that no refresh could apply is refused here
            await ctx.pipeline.decision(replace(view, properties={**view.properties, **self.properties}))
        try:
            for_storage = of_storage(self.properties)
            if for_storage:
                storage = view.storage.sql()
                await session.upstream.query(f"ALTER TABLE {storage} SET TBLPROPERTIES ({pairs(for_storage)})")
            await session.upstream.query(f"ALTER VIEW {view.name.sql()} SET TBLPROPERTIES ({pairs(self.properties)})")
        finally:
            ctx.catalogs.invalidate([view.name])
        set_now = ", ".join(f"{key} = {value}" for key, value in self.properties.items())
        return done(f"materialized view {view.name}: {set_now}")


@dataclass(frozen=True)
class UnsetProperties:
    """The command that removes properties of a view, also from the view's storage table, as `SetProperties` sets them.

    Without the property, its default holds. With `if_exists`, properties that are not set are no error.
    """

    name: tuple[str, ...]
    keys: tuple[str, ...]
    if_exists: bool = False

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        keys = to_unset(view, self.keys, self.if_exists)
        if not keys:
            return done(f"materialized view {view.name}: no property unset, because no user has set these properties")
        try:
            if for_storage := of_storage(dict.fromkeys(keys, "")):
                listed = ", ".join(map(literal, for_storage))
                await session.upstream.query(
                    f"ALTER TABLE {view.storage.sql()} UNSET TBLPROPERTIES IF EXISTS ({listed})"
                )
            listed = ", ".join(map(literal, keys))
            await session.upstream.query(f"ALTER VIEW {view.name.sql()} UNSET TBLPROPERTIES ({listed})")
        finally:
            ctx.catalogs.invalidate([view.name])
        return done(f"materialized view {view.name}: {', '.join(keys)} unset")


def parse(parser: Parser) -> SetProperties | UnsetProperties | Widen:
    """Parse the rest of the statement, after ALTER MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    name = parser.name("a view's name")
    if parser.accept("AS"):
        return Widen(name, query=parser.rest("a query"))
    command: SetProperties | UnsetProperties | Widen
    if parser.accept("ADD", "COLUMNS") or parser.accept("ADD", "COLUMN"):
        command = Widen(name, outputs=parser.parenthesized())
    elif parser.accept("ENABLE", "REWRITE"):
        command = SetProperties(name, {REWRITE: "on"})
    elif parser.accept("DISABLE", "REWRITE"):
        command = SetProperties(name, {REWRITE: "off"})
    elif parser.accept("SET", "PROPERTIES") or parser.accept("SET", "TBLPROPERTIES"):
        command = SetProperties(name, checked(parser.properties()))
    elif parser.accept("UNSET", "PROPERTIES") or parser.accept("UNSET", "TBLPROPERTIES"):
        if_exists = parser.accept("IF", "EXISTS")
        command = UnsetProperties(name, parser.listed(parser.key), if_exists)
    else:
        raise parser.wrong(
            "expected ENABLE REWRITE, DISABLE REWRITE, SET PROPERTIES (…), UNSET PROPERTIES (…), ADD COLUMNS (…) or AS "
            "and a query"
        )
    parser.end()
    return command
