"""CREATE [OR REPLACE] MATERIALIZED VIEW: parses and runs the statement."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from dataclasses import dataclass, field, replace

from proxy.catalog.refresh_state import STORAGE_OF
from proxy.catalog.views import DEFINITION, MARKERS, REFRESH, REWRITE, SETTINGS, STORAGE_QUERY, fingerprint
from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.commands.properties import (
    ADOPT,
    COLUMNS,
    OF_STORAGE,
    ORDERED_BY,
    PARTITIONED_BY,
    QUERY,
    checked,
    of_storage,
    of_user,
    recorded_settings,
)
from proxy.commands.storage import Layout, Shape, adopt, adoptable, check_layout, layout, shape
from proxy.commands.undo import Step, undone_on_failure
from proxy.hs2 import ResultSet, SqlError
from proxy.pipeline.steps import RETENTION
from proxy.session import ClientSession, Log
from rewriter import expand
from rewriter import parse as parse_query
from rewriter.model import Column, MaterializedView, Session, TableName, quoted, split_name, storage_name
from rewriter.model.literals import literal, pairs

EXAMPLE = "CREATE MATERIALIZED VIEW demo.agg_sales AS SELECT country, sum(quantity) FROM demo.sales GROUP BY country"


@dataclass(frozen=True)
class Create:
    """The command CREATE MATERIALIZED VIEW, which creates the storage table, then the view, and then fills the storage
    table.

    In this order, a killed CREATE leaves nothing that queries could read: a storage table without a view is never read.
    The property `viewgate.storage-of` of a storage table names the intended view. For OR REPLACE, the new storage table
    is filled before the view is changed to use it; until then, the old storage table answers queries.
    """

    name: tuple[str, ...]
    query: str = ""
    or_replace: bool = False
    if_not_exists: bool = False
    columns: tuple[tuple[str, str | None], ...] | None = None
    comment: str | None = None
    deferred: bool = False
    partitioned_by: str = ""
    ordered_by: str = ""
    adopt: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    at_once: bool = False  # fill it in this statement, even if deferred

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        facts = await ctx.facts(session)
        name = await ctx.resolve(session, self.name)
        existing = await ctx.catalogs.view(name)
        if existing and self.if_not_exists:
            return done(f"materialized view {name} exists already")
        await self._check_free(ctx, name, existing)
        made = await shape(self.query, self._names(), ctx, session, facts, hidden=not self.adopt)
        await _check_cycle(ctx, name, self.query, facts)
        given = self.partitioned_by, self.ordered_by
        check_layout(name, made, given)
        for orphan in await ctx.orphans.drop(name):
            log(f"{orphan} dropped, which an earlier CREATE has left behind")
        storage = await self._storage(ctx, session, name, made)
        with ctx.orphans.spared(storage):
            laid_out = Layout() if self.adopt else await layout(ctx.catalogs, storage, made, facts, given)
            plan = _Plan(name, storage, made, facts, existing, laid_out)
            rows, replaced = await self._make(ctx, session, log, plan)
        if replaced:
            async with ctx.pipeline.given_up(replaced):
                await _drop_replaced(ctx, session, replaced, log)
            await ctx.on_commit.after_write(await ctx.answers.definitions(), [name], log)
        empty = not self._fills and not self.adopt
        filled = "not refreshed yet: run REFRESH MATERIALIZED VIEW" if empty else f"{rows} rows"
        return done(f"materialized view {name} {'replaced' if existing else 'created'}: {filled}")

    @property
    def _fills(self) -> bool:
        return self.at_once or not self.deferred

    async def _check_free(self, ctx: Context, name: TableName, existing: MaterializedView | None) -> None:
        if existing and self.or_replace:
            return
        if existing:
            hint = "use CREATE OR REPLACE MATERIALIZED VIEW, or IF NOT EXISTS"
            raise SqlError(f"materialized view {name} exists already; {hint}", "42P07")
        # some catalogs would create the namespace without being asked
        if name.namespace not in await ctx.catalogs.of(name).namespaces():
            space = TableName(name.parts[:-1])
            raise SqlError(f"the namespace {space} does not exist: run CREATE NAMESPACE {space.sql()} first", "42704")
        if (await ctx.catalogs.current([name]))[name] is not None or name in ctx.catalogs.broken:
            raise SqlError(f"{name} exists already and is not a materialized view; choose another name", "42P07")

    def _names(self) -> tuple[str, ...] | None:
        return None if self.columns is None else tuple(column for column, _ in self.columns)

    async def _make(
        self, ctx: Context, session: ClientSession, log: Log, plan: _Plan
    ) -> tuple[int, MaterializedView | None]:
        """Create the view and fill its storage table; on failure, undo all completed steps.

        Return the number of rows, and the view that was replaced (None if no view was replaced).
        """
        async with undone_on_failure(ctx.catalogs, plan.name, log) as undo:
            rows, replaced = 0, plan.existing
            if not self.adopt:
                await self._make_storage(ctx, session, plan, undo)
            candidate = await self._candidate(ctx, plan, plan.existing) if plan.existing else None
            if candidate:
                rows = await self._filled(ctx, candidate, log)
                # Another session may have been faster, dropped the former view's storage, and left its own.
                replaced = await ctx.catalogs.view(plan.name) or plan.existing
            else:
                undo.append(Step(f"DROP VIEW {plan.name.sql()}", lambda: _drop_if_ours(ctx, session, plan)))
            await session.upstream.query(self._view_statement(plan))
            if replaced:
                await self._unset_replaced(session, plan, replaced)
            view = await ctx.catalogs.view(plan.name)
            if view is None:
                raise SqlError(
                    f"materialized view {plan.name} was dropped by another session during this statement; create it "
                    "again",
                    "40001",
                )
            if candidate:
                with suppress(SqlError):  # the refresh below does what failed here
                    await ctx.pipeline.carry_over(candidate, view)
            if self.adopt:
                rows = await adopt(ctx, session, view, log)
            elif not self._fills:
                await self._filled(ctx, view, log)
            else:
                said: list[str] = []  # a replacement was filled before, and logs only further steps
                refreshed = await ctx.pipeline.refresh(view, said.append if plan.existing else log)
                rows = refreshed.rows if refreshed.changed else rows
                for line in said if refreshed.changed else ():
                    log(line)
            return rows, replaced

    async def _filled(self, ctx: Context, view: MaterializedView, log: Log) -> int:
        """Fill the view's storage table, and return the number of rows.

        If the view is created WITH DEFERRED REFRESH, do not fill the table, and return 0; but raise SqlError if the
        view has the property `viewgate.retention`, and no refresh could drop the rows older than the period in this
        property.
        """
        if self._fills:
            return (await ctx.pipeline.refresh(view, log)).rows
        if RETENTION in self.properties:
            await ctx.pipeline.decision(view)
        return 0

    async def _storage(self, ctx: Context, session: ClientSession, name: TableName, made: Shape) -> TableName:
        """Return the name of the storage table of the view `name`.

        This is the existing table that the property `viewgate.adopt` names, or an unused name for a new table. Raise
        SqlError if the existing table cannot be used. `made` has the queries and columns of the view.
        """
        return await (adoptable(ctx, session, self.adopt, name, made) if self.adopt else _free_storage_name(ctx, name))

    async def _make_storage(self, ctx: Context, session: ClientSession, plan: _Plan, undo: list[Step]) -> None:
        await session.upstream.query(self._storage_statement(plan))
        unless = f", unless {plan.name} points to it" if plan.existing else ""
        undo.append(Step(_drop(plan.storage) + unless, lambda: _drop_if_unused(ctx, session, plan)))
        for statement in plan.layout.ordering(plan.storage, self._storage_properties(plan)):
            await session.upstream.query(statement)

    async def _unset_replaced(self, session: ClientSession, plan: _Plan, existing: MaterializedView) -> None:
        """Unset those properties of the replaced view `existing` that the new statement does not set.

        Spark's CREATE OR REPLACE VIEW would keep these properties. `plan` is the plan of the new statement.
        """
        outdated = of_user(existing.properties).keys() - self._view_properties(plan).keys()
        if outdated:
            keys = ", ".join(map(literal, sorted(outdated)))
            await session.upstream.query(f"ALTER VIEW {plan.name.sql()} UNSET TBLPROPERTIES ({keys})")

    async def _candidate(self, ctx: Context, plan: _Plan, existing: MaterializedView) -> MaterializedView:
        """Return the new definition of the view `existing`, with which the new storage table is filled before the view
        is replaced.

        The definition has the next version number. The catalog may assign another number later: Iceberg reuses the
        number of an earlier version with the same query. `plan` is the plan of the statement.
        """
        candidate = replace(
            existing,
            version=existing.version + 1,
            query=plan.shape.query,
            storage_query=plan.shape.storage_query,
            storage=plan.storage,
            columns=tuple(Column(column.name, column.type) for column in plan.shape.columns),
            catalog=plan.facts.catalog,
            namespace=plan.facts.namespace,
            settings=json.loads(recorded_settings(plan.facts)),
            over_views="",
            properties=self._view_properties(plan),
        )
        return await ctx.catalogs.read_through(candidate)

    def _storage_statement(self, plan: _Plan) -> str:
        columns = ", ".join(f"{quoted(column.name)} {column.type}" for column in plan.shape.storage_columns)
        by = plan.layout.partitioned_by
        partitioned = f" PARTITIONED BY ({by})" if by else ""
        properties = pairs({**self._storage_properties(plan), STORAGE_OF: TableName(plan.name.parts[1:]).sql()})
        return f"CREATE TABLE {plan.storage.sql()} ({columns}) USING iceberg{partitioned} TBLPROPERTIES ({properties})"

    def _storage_properties(self, plan: _Plan) -> dict[str, str]:
        return {**OF_STORAGE, **plan.layout.written, **of_storage(self.properties)}

    def _view_statement(self, plan: _Plan) -> str:
        replacing = " OR REPLACE" if plan.existing else ""
        columns = f" ({self._column_list(plan.shape)})" if plan.shape.named else ""
        comment = self.comment if self.comment or not plan.existing else ""
        said = "" if comment is None else f" COMMENT {literal(comment)}"
        properties = pairs(self._view_properties(plan))
        return (
            f"CREATE{replacing} VIEW {plan.name.sql()}{columns}{said} TBLPROPERTIES ({properties})\n"
            f"AS {plan.shape.query}"
        )

    def _column_list(self, made: Shape) -> str:
        comments = [comment for _, comment in self.columns or ()] or [None] * len(made.columns)
        return ", ".join(
            quoted(column.name) + (f" COMMENT {literal(comment)}" if comment else "")
            for column, comment in zip(made.columns, comments, strict=True)
        )

    def _view_properties(self, plan: _Plan) -> dict[str, str]:
        """Return the properties of the new view: those in the statement, and Viewgate's own, such as query and storage
        table.

        If rewriting was turned off for the replaced view, it stays off unless the statement turns it on.
        """
        rewrite = "off" if plan.existing and not plan.existing.rewrite else "on"
        return {
            REWRITE: rewrite,
            **self.properties,
            MARKERS[0]: "true",
            f"{MARKERS[0]}.storage.table": plan.storage.identifier(),
            STORAGE_QUERY: plan.shape.storage_query,
            DEFINITION: fingerprint(plan.shape.query),
            SETTINGS: recorded_settings(plan.facts),
            REFRESH: "deferred" if self.deferred else "on-commit",
            QUERY: self.query,
            COLUMNS: self._column_list(plan.shape) if self.columns else "",
            PARTITIONED_BY: self.partitioned_by,
            ORDERED_BY: self.ordered_by,
            ADOPT: ".".join(map(quoted, self.adopt)),
        }


@dataclass(frozen=True)
class _Plan:
    """The plan of one CREATE statement: the names of view and storage table, and the layout of the storage table.

    `shape` has the queries and columns, `facts` is the session's state, and `existing` is the view to be replaced
    (None: no view is replaced).
    """

    name: TableName
    storage: TableName
    shape: Shape
    facts: Session
    existing: MaterializedView | None
    layout: Layout


async def _check_cycle(ctx: Context, name: TableName, query: str, facts: Session) -> None:
    """Raise SqlError 42P19 if a view with this query would read itself, directly or through other views.

    `facts` is the state of the session in which the view is created.
    """
    through = expand(parse_query(query, facts), await ctx.catalogs.views())
    below = [view.name for view in through.views]
    if name in below:
        on = next((str(other) for other in below if other != name), str(name))
        raise SqlError(
            f"{name} would refer to itself, because {on} reads {name}: define {name} over other tables", "42P19"
        )


async def _drop_if_ours(ctx: Context, session: ClientSession, plan: _Plan) -> bool:
    """Drop the view if it uses the storage table of this CREATE statement; return whether the view was dropped.

    A view of this name with another storage table was created by another client, and is kept.
    """
    ours = await _is_ours(ctx, plan)
    if ours:
        await session.upstream.query(f"DROP VIEW {plan.name.sql()}")
    return ours


async def _drop_if_unused(ctx: Context, session: ClientSession, plan: _Plan) -> bool:
    """Drop the new storage table unless the view uses it already; return whether the storage table was dropped.

    The view uses the table if Spark executed CREATE VIEW, but the connection was lost before Spark's reply.
    """
    ours = await _is_ours(ctx, plan)
    if not ours:
        await session.upstream.query(_drop(plan.storage))
    return not ours


async def _is_ours(ctx: Context, plan: _Plan) -> bool:
    """Return whether the view uses the storage table of this CREATE statement; False if the view does not exist.

    Raise SqlError 55000 if the view's metadata cannot be read.
    """
    view = await ctx.catalogs.view(plan.name)
    if plan.name in ctx.catalogs.broken:
        raise SqlError(f"materialized view {plan.name} cannot be used: {ctx.catalogs.broken[plan.name]}", "55000")
    return view is not None and view.storage == plan.storage


def _drop(storage: TableName) -> str:
    return f"DROP TABLE IF EXISTS {storage.sql()} PURGE"


async def _free_storage_name(ctx: Context, view: TableName) -> TableName:
    """Return `<view>__storage`, or this name with a random suffix if a table of this name exists already.

    The existing table is used by the replaced view, or was left behind by a killed CREATE or DROP, perhaps without its
    files.
    """
    usual = storage_name(view)
    if not await ctx.catalogs.of(usual).taken(usual):
        return usual
    return TableName((*view.parts[:-1], f"{usual.table}_{uuid.uuid4().hex[:8]}"))


async def _drop_replaced(ctx: Context, session: ClientSession, replaced: MaterializedView, log: Log) -> None:
    if replaced.properties.get(ADOPT) or any(
        view.storage == replaced.storage for view in await ctx.catalogs.definitions()
    ):
        return
    try:
        await session.upstream.query(_drop(replaced.storage))
    except SqlError as failure:  # the replacement is complete; nothing reads the old storage
        log(f"the replaced storage table {replaced.storage} could not be dropped; drop it yourself: {failure.message}")


def parse(parser: Parser) -> Create:
    """Parse the rest of the statement, after CREATE MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    if_not_exists = parser.accept("IF", "NOT", "EXISTS")
    return _clauses(parser, Create(parser.name("a view's name"), if_not_exists=if_not_exists))


def parse_replace(parser: Parser) -> Create:
    """Parse the rest of the statement, after CREATE OR REPLACE MATERIALIZED VIEW; raise SqlError for a syntax error."""
    return _clauses(parser, Create(parser.name("a view's name"), or_replace=True))


def _clauses(parser: Parser, create: Create) -> Create:
    token = parser.peek()
    if token is not None and token.text == "(":
        create = replace(create, columns=parser.listed(lambda: _column(parser)))
    while not parser.accept("AS"):
        create = _clause(parser, create)
    clauses = {
        "OR REPLACE": create.or_replace,
        "PARTITIONED BY": create.partitioned_by,
        "ORDERED BY": create.ordered_by,
    }
    clause = next((clause for clause, given in clauses.items() if given), "")
    if create.adopt and clause:
        raise SqlError(
            f"the property {ADOPT} cannot be combined with {clause}, because an adopted table keeps its layout: remove "
            f"the property or {clause}",
            "0A000",
        )
    return replace(create, query=parser.rest("a query"))


def _clause(parser: Parser, create: Create) -> Create:
    """Parse one of the clauses before AS, which may come in any order; return `create` with this clause added.

    Raise SqlError 42601 if no known clause follows.
    """
    if parser.accept("COMMENT"):
        return replace(create, comment=parser.string("a comment in quotes"))
    if parser.accept("WITH", "DEFERRED", "REFRESH"):
        return replace(create, deferred=True)
    if parser.accept("WITHOUT", "DEFERRED", "REFRESH"):
        return replace(create, deferred=False)
    if parser.accept("PARTITIONED", "BY"):
        return replace(create, partitioned_by=parser.parenthesized())
    if parser.accept("ORDERED", "BY"):
        return replace(create, ordered_by=parser.parenthesized())
    if parser.accept("PROPERTIES") or parser.accept("TBLPROPERTIES"):
        properties = parser.properties()
        adopt = split_name(properties.pop(ADOPT, "")) if ADOPT in properties else ()
        properties = checked(properties)
        deferred = properties.pop(REFRESH, "deferred" if create.deferred else "") == "deferred"
        return replace(create, properties={**create.properties, **properties}, deferred=deferred, adopt=adopt)
    raise parser.wrong(
        "expected AS and a query, or before AS one of COMMENT, WITH DEFERRED REFRESH, PARTITIONED BY, ORDERED BY, "
        "PROPERTIES"
    )


def _column(parser: Parser) -> tuple[str, str | None]:
    name = parser.identifier("a column's name")
    return name, parser.string("a comment in quotes") if parser.accept("COMMENT") else None
