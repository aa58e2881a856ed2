"""SHOW MATERIALIZED VIEWS [{ IN namespace | ON TABLE t }] [LIKE '…'], and SHOW TABLES without storage tables.

In a namespace with storage tables, SHOW TABLES returns the rows of Spark's answer without the storage tables. SHOW
TABLES IN viewgate.system, a namespace that Spark does not have, lists the system tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from proxy.answering.system_tables import CATALOG, NAMESPACE, TABLES
from proxy.answering.virtual_tables import VirtualSchema
from proxy.catalog import Catalog
from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.properties import QUERY, refresh_mode
from proxy.hs2 import ResultSet, SqlError
from proxy.hs2.patterns import any_text_between
from proxy.pipeline import UNREADABLE, Status, of_each, status_or_outage
from proxy.session import ClientSession, Log
from proxy.statements.lexer import Parts, Token, leading_name, scan, string_value
from rewriter.model import MaterializedView, TableName

EXAMPLE = "SHOW MATERIALIZED VIEWS IN demo LIKE 'agg*'"
COLUMNS = (
    "namespace",
    "name",
    "rewrite",
    "refresh",
    "status",
    "reason",
    "refreshed_at",
    "storage",
    "last_error",
    "query",
    "catalog",
)


@dataclass(frozen=True)
class Show:
    """The command SHOW MATERIALIZED VIEWS, whose result has one row per view.

    The views can be limited to a `namespace` or catalog, to views over a `table`, and to names that match the pattern
    `like`; None sets no limit. Views whose metadata cannot be read are included, unless a table is given.
    """

    namespace: tuple[str, ...] | None = None
    table: tuple[str, ...] | None = None
    like: str | None = None

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.catalogs.invalidate()
        definitions = await ctx.catalogs.definitions()
        ctx.catalogs.check()
        table = await self._existing_table(ctx, session)
        namespaces = await self._existing_namespaces(ctx, session)
        wanted = [view for view in definitions if self._wants(view.name, namespaces)]
        rows = [row for row in await of_each(wanted, lambda view: _row(ctx, view, table)) if row]
        if table is None:
            broken = ctx.catalogs.broken.items()
            rows += [_broken_row(name, reason) for name, reason in broken if self._wants(name, namespaces)]
        return ResultSet.of(*COLUMNS, rows=sorted(rows, key=lambda row: (row[-1] or "", row[0] or "", row[1] or "")))

    async def _existing_table(self, ctx: Context, session: ClientSession) -> TableName | None:
        name = await ctx.resolve(session, self.table) if self.table else None
        if name is not None and (await ctx.catalogs.current([name]))[name] is None:
            hint = "SHOW TABLES lists the tables of a namespace"
            raise SqlError(f"the Iceberg table {name} does not exist; {hint}", "42P01")
        return name

    async def _existing_namespaces(self, ctx: Context, session: ClientSession) -> Collection[Parts] | None:
        """Return the full names, with the catalog, of the namespaces to which the views are limited; None for all.

        A name without a catalog is a namespace of the session's current catalog, or of each of Viewgate's catalogs if
        the current catalog is none of them. The name of a catalog stands for all namespaces of the catalog. Raise
        SqlError 42704 if there is no such namespace.
        """
        if self.namespace is None:
            return None
        catalogs, namespace = await self._named(ctx, session, self.namespace)
        known = await ctx.catalogs.from_each(catalogs, lambda catalog: catalog.namespaces())
        found = {
            (catalog.name, *name)
            for catalog, names in known.items()
            for name in names
            if not namespace or name == _as_known(catalog, namespace)
        }
        if not found and namespace:
            of = " or ".join(catalog.name for catalog in catalogs)
            lists = " and ".join(f"SHOW NAMESPACES IN {catalog.name}" for catalog in catalogs)
            raise SqlError(
                f"the namespace {'.'.join(self.namespace)} does not exist in the catalog {of}; "
                f"{lists} {'lists' if len(catalogs) == 1 else 'list'} all namespaces",
                "42704",
            )
        return found

    async def _named(self, ctx: Context, session: ClientSession, name: Parts) -> tuple[Sequence[Catalog], Parts]:
        """Return the catalogs in which the namespace `name` is to be looked for, and its name in these catalogs."""
        if name[0] in ctx.catalogs:
            return [ctx.catalogs[name[0]]], name[1:]
        if len(ctx.catalogs) > 1 and (current := (await ctx.facts(session)).catalog) in ctx.catalogs:
            return [ctx.catalogs[current]], name
        return [*ctx.catalogs], name

    def _wants(self, name: TableName, namespaces: Collection[Parts] | None) -> bool:
        inside = namespaces is None or name.parts[:-1] in namespaces
        return inside and (self.like is None or matches(self.like, name.table))


def _as_known(catalog: Catalog, namespace: Parts) -> Parts:
    """Return a namespace's name as the catalog knows it: in lower case in a Hive Metastore."""
    return tuple(part.lower() for part in namespace) if catalog.lower_names else namespace


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern of Spark's SHOW statements, ignoring case.

    In a pattern, `*` and `%` stand for any text, and `|` separates choices.

    >>> matches("agg*|x", "AGG_sales"), matches("agg", "agg_sales"), matches("agg%", "agg_sales")
    (True, False, True)
    """
    choices = "|".join(
        any_text_between([re.escape(piece) for piece in re.split("[%*]", choice.strip())])
        for choice in pattern.split("|")
    )
    return re.fullmatch(choices, name, re.IGNORECASE) is not None


async def _row(ctx: Context, view: MaterializedView, table: TableName | None) -> tuple[str | None, ...] | None:
    now = await status_or_outage(ctx.catalogs, view)
    if table is not None and table not in now.sources:
        return None
    return (
        ".".join(view.name.namespace),
        view.name.table,
        "on" if view.rewrite else "off",
        refresh_mode(view),
        now.word,
        _reason(now, await _resting(ctx, view), ctx.pipeline.said(view)),
        now.refreshed_at,
        str(view.storage),
        now.last_error,
        view.properties.get(QUERY, view.query),
        view.name.catalog,
    )


async def _resting(ctx: Context, view: MaterializedView) -> str:
    """Return the reason why the view's storage table is suspended at present; empty if the table is not suspended."""
    rests = ctx.answers.rests
    if view.storage not in rests.storages:
        return ""
    return rests.why((await ctx.catalogs.look([view.storage], ())).relations[view.storage])


def _reason(now: Status, resting: str, refreshing: str) -> str | None:
    """Return one text made of up to three reasons; None if there is none.

    The reasons are why a view has its status (in `now`), why its storage table is suspended (`resting`), and that a
    refresh is running (`refreshing`). A reason that does not apply is empty.
    """
    return "; ".join(filter(None, (now.reason, resting, refreshing and f"being refreshed: {refreshing}"))) or None


def _broken_row(name: TableName, reason: str) -> tuple[str | None, ...]:
    place = ".".join(name.namespace), name.table
    return (*place, "off", None, UNREADABLE, reason, None, None, None, None, name.catalog)


def parse(parser: Parser) -> Show:
    """Parse the rest of the statement, after SHOW MATERIALIZED VIEWS; raise SqlError 42601 for a syntax error."""
    namespace = table = like = None
    if parser.accept("IN") or parser.accept("FROM"):
        namespace = parser.name("a namespace")
    elif parser.accept("ON"):
        parser.accept("TABLE")
        table = parser.name("a table's name")
    if parser.accept("LIKE"):
        like = parser.string("a pattern in quotes")
    parser.end()
    return Show(namespace, table, like)


_NAME, _IS_TEMPORARY = 1, 2


def listed(sql: str) -> Parts | None:
    """Return the namespace of a SHOW TABLES statement; () stands for the current namespace.

    Return None for every other statement.

    >>> [listed(sql) for sql in ("SHOW TABLES IN lake.demo LIKE 'a*';", "show tables", "SHOW TABLES 'a*'")]
    [('lake', 'demo'), (), ()]
    >>> [listed(sql) for sql in ("SHOW TABLE EXTENDED LIKE '*'", "SHOW TABLES IN IDENTIFIER(x)")]
    [None, None]
    """
    tokens = [token for token in scan(sql) if token.text != ";"]
    if [token.keyword for token in tokens[:2]] != ["SHOW", "TABLES"]:
        return None
    namespace: Parts = ()
    rest: Sequence[Token] = tokens[2:]
    if rest and rest[0].keyword in ("IN", "FROM"):
        namespace, rest = leading_name(rest[1:])
        if not namespace:
            return None
    if rest and rest[0].keyword == "LIKE":
        rest = rest[1:]
    return namespace if not rest or (len(rest) == 1 and rest[0].kind == "string") else None


async def hidden(context: Context, session: ClientSession, sql: str) -> frozenset[str]:
    """Return the names, without namespace, of the storage tables that a SHOW TABLES statement would list.

    Return an empty set for other statements.
    """
    namespace = listed(sql)
    views = (await context.answers.definitions()).views if namespace is not None else ()
    if namespace is None or not views:
        return frozenset()
    shown = await context.qualified(session, namespace)
    return frozenset(view.storage.table for view in views if view.storage.parts[:-1] == shown)


async def without(names: frozenset[str], session: ClientSession, sql: str) -> ResultSet:
    """Run the SHOW TABLES statement `sql` in the user's session, and return its rows without the tables `names`.

    The row of a temporary view is kept, even if its name is in `names`.
    """
    result = await session.upstream.query(sql)
    rows = (row for row in result.rows if row[_NAME] not in names or row[_IS_TEMPORARY])
    return ResultSet(result.columns, tuple(rows))


async def virtual_schema(context: Context, session: ClientSession, sql: str) -> VirtualSchema | None:
    """Return the schema of a SHOW TABLES statement if the schema is viewgate.system or information_schema.

    Return None for every other statement, and if the name denotes a namespace of Spark's.
    """
    namespace = listed(sql)
    return await context.answers.virtual_schema(session, sql, namespace) if namespace else None


_NAMESPACES = frozenset({"NAMESPACE", "DATABASE", "SCHEMA"})


async def uses_system(context: Context, session: ClientSession, sql: str) -> bool:
    """Return whether a statement is USE viewgate.system; False if Spark itself has a catalog `viewgate`.

    PyHive sends this statement at the start of a session, with the whole name in one pair of backticks.
    """
    tokens = [token for token in scan(sql) if token.text != ";"][1:]
    tokens = tokens[1:] if len(tokens) > 1 and tokens[0].keyword in _NAMESPACES else tokens
    name, rest = leading_name(tokens)
    parts = tuple(name[0].split(".")) if len(name) == 1 else name
    return not rest and _is_system(parts) and await _is_ours(context, session)


def _is_system(name: Parts) -> bool:
    return tuple(part.lower() for part in name) == (CATALOG, NAMESPACE)


async def _is_ours(context: Context, session: ClientSession) -> bool:
    """Return whether viewgate.system denotes the namespace of Viewgate; False if Spark itself has a catalog `viewgate`.

    In a session for operators (see `enter_system`), return True without querying Spark.
    """
    return session.for_operators or CATALOG not in (await context.facts(session)).catalogs


async def enter_system(session: ClientSession) -> ResultSet:
    """Make viewgate.system the current namespace of a session, and return the answer to USE viewgate.system.

    Such a session is for operators: the session works without a session on Spark until a statement needs Spark.
    """
    session.for_operators = True
    told = f"this session is for operators; write {CATALOG}.{NAMESPACE} before the names of its tables"
    return ResultSet.of("result", rows=[(told,)])


def check_named_in_full(sql: str) -> None:
    """Raise SqlError 42P01 if a statement reads a system table without naming its namespace viewgate.system.

    The check is for sessions in which viewgate.system is the current namespace: Spark would look for the table in its
    own current namespace.
    """
    tokens = list(scan(sql))
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False):
        name = token.identifier.lower() if token.kind in ("word", "quoted") else ""
        alone = after is None or after.text not in (".", "(")
        if before.keyword in ("FROM", "JOIN") and name in TABLES and alone and not _is_defined(tokens, name):
            raise SqlError(
                f"the table {name} has no namespace: write {CATALOG}.{NAMESPACE}.{name} for the system table, or "
                "add the namespace of another table with this name",
                "42P01",
            )


def _is_defined(tokens: Sequence[Token], name: str) -> bool:
    """Return whether a common table expression of this name is defined in the statement: `name AS (`."""
    return any(
        one.identifier.lower() == name and two.keyword == "AS" and three.text == "("
        for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


async def virtual_tables(schema: VirtualSchema, sql: str) -> ResultSet:
    """Return the answer to SHOW TABLES IN a virtual schema, with the columns of Spark's own SHOW TABLES."""
    *_, last = (token for token in scan(sql) if token.text != ";")
    pattern = string_value(last.text) if last.kind == "string" else "*"
    *_, name = schema.names
    namespace = ".".join(name) if schema.own else name[-1]
    rows = [(namespace, name, False) for name in sorted(schema.tables) if matches(pattern, name)]
    return ResultSet.of("namespace", "tableName", "isTemporary boolean", rows=rows)
