"""Turns a client's statement into the statement that Spark runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import ParamSpec, TypeVar

from proxy.answering import information_schema
from proxy.answering.decision import Decision, shadowed, suggested, told_of_named, without_ranges
from proxy.answering.facts import ON, SessionFacts, read_hint
from proxy.answering.positions import Changed
from proxy.answering.readable import FreshParts, Rests, told_of_rests
from proxy.answering.schemas import Schemas, checked, schema_key
from proxy.answering.system_tables import CATALOG, SYSTEM
from proxy.answering.time_calls import calls_time, immediate_text, spells_time, told_of_immediate
from proxy.answering.virtual_tables import Described, Row, Rows, VirtualSchema, calls, expand
from proxy.catalog import CacheUse, Catalogs, Looked, NoCurrentCatalog, Unavailable, no_current_catalog, told
from proxy.catalog.views import REWRITE
from proxy.hs2 import SqlError
from proxy.pipeline.dependencies import FUNCTIONS
from proxy.session import ClientSession, Forward
from proxy.statements import Effect, Kind, StatementInfo, classify, scan, string_value
from rewriter import (
    STALENESS,
    Asked,
    Bound,
    Definitions,
    Earlier,
    Edit,
    Hinted,
    Outcome,
    Reason,
    Recent,
    Relations,
    Statement,
    Suggestion,
    Travel,
    Unsupported,
    read_by,
    rewrite_past,
    splice,
    told_of_hint,
    travel,
)
from rewriter.model import Declared, MaterializedView, Session, Table, TableName
from rewriter.model.constraints import TRUST
from rewriter.model.literals import literal
from rewriter.model.settings import REWRITE_IS_OFF

_log = logging.getLogger("viewgate")

P = ParamSpec("P")
T = TypeVar("T")

Rewording = Callable[[SqlError], SqlError]
# Returns the rows of a system table that a session may see.
SystemOf = Callable[[ClientSession, str], Awaitable[Sequence[Row]]]

NOT_THEN = "the view's storage table has no snapshot that was refreshed from the tables as of that time"
_INSERTED = "rows of viewgate.system or information_schema were inserted into the SQL for Spark"
_LONG = 10_000  # characters of a statement that takes some tens of milliseconds to parse


class Answers:
    """The planner of statements over the catalogs: it decides which SQL Spark runs for a statement.

    `system` returns those rows of a table in `viewgate.system` that a session may see; if `system` is None, Spark
    resolves the names of these tables. `clock` returns monotonic seconds, `now` seconds since 1970.
    """

    def __init__(
        self,
        catalogs: Catalogs,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        system: SystemOf | None = None,
    ) -> None:
        self.catalogs = catalogs
        self._system = system
        self._now = now
        self.rests = Rests(clock)
        self._schemas = Schemas()
        self._views = KnownViews(catalogs)
        self._parts = FreshParts(catalogs)
        self._unknown_to_spark = frozenset[str]()  # as the last session has shown

    @property
    def caches(self) -> Mapping[str, CacheUse]:
        """The hits, misses and entries of each cache, by the cache's name in /metrics."""
        return {"decisions": self._views.use, "metadata": self.catalogs.metadata_use}

    async def plan(self, session: ClientSession, sql: str) -> Forward:
        """Return the plan of a statement: the SQL that Spark runs, and the lines for the operation log.

        If Spark runs rewritten SQL, the plan also asks for a run of the original statement in case the rewritten SQL
        fails (fallback). The statement must not be one of Viewgate's own commands. Raise SqlError for an invalid hint,
        an invalid call of a table function, or an invalid `timeseries` call.
        """
        facts: SessionFacts = session.facts
        info = classify(sql)
        replay = info.effect.replay
        edits = await self._changed(session, info, sql)
        ended = facts.watch(sql)
        if edits:
            sent = splice(sql, edits)
            reworded = self._reworded(info, Changed(sql, sent, edits).reworded)
            return Forward(sent, ended=ended, replay=replay, reworded=reworded)
        if ended is not None:
            reworded = self._reworded(info, told_of_immediate if "immediate" in sql.lower() else None)
            return Forward(ended=ended, replay=replay, brief=info.brief, reworded=reworded)
        decision = await self.decide(session, sql)
        if decision.outcome is None and decision.sql is None and not decision.over:  # no view reads its tables
            return Forward(replay=replay, brief=info.brief, choice=decision.choice, reworded=self._reworded(info))
        brief = decision.sql is None and info.brief
        log, choice = decision.lines(), decision.choice
        fell_back = partial(self._failed, decision)
        return Forward(
            decision.sql, decision.rewritten, fell_back, log=log, replay=replay, brief=brief, choice=choice,
            reworded=self._reworded(info, decision.reworded),
        )  # fmt: skip

    def _reworded(self, info: StatementInfo, more: Rewording | None = None) -> Rewording:
        """Return the function that converts Spark's error about a statement to the error for the client.

        An error about a catalog that does not answer gets the catalog's name (see `told`); `more` converts all others.
        """
        entering = info.kind is Kind.SESSION

        def reworded(error: SqlError) -> SqlError:
            found = told(error, self.catalogs, entering=entering)
            return found if found is not error or more is None else more(error)

        return reworded

    async def _changed(self, session: ClientSession, info: StatementInfo, sql: str) -> list[Edit]:
        """Return the edits that turn a statement that changes the session, or EXECUTE IMMEDIATE, into SQL that Spark
        can run.

        The edits replace virtual tables (tables of viewgate.system and information_schema) and calls of table functions
        by their rows. Without any of these, the edits replace calls of `timeseries` by Spark's functions. Return an
        empty list for any other statement; `info` is the classification of the statement. Raise SqlError if the
        statement would store rows of a virtual table, or for an invalid call.
        """
        effect = info.effect.effect
        plain = effect is Effect.NONE or (effect is Effect.SETTINGS and not _sets_variable(sql))
        if plain and info.verb != "EXECUTE":
            return []
        return await self._inserted(session, sql) or await self._translated(session, sql)

    async def _translated(self, session: ClientSession, sql: str) -> list[Edit]:
        """Return the edits that replace calls of `timeseries`, Viewgate's function for time buckets, by Spark's
        functions.

        The calls may stand in the statement, or in the text of EXECUTE IMMEDIATE.

        Raise SqlError for an invalid call, and for a text of EXECUTE IMMEDIATE that is not a single string literal.
        """
        if not spells_time(sql):
            return []
        text = immediate_text(sql)
        decision = await self._decide_if_known(session, Hinted(string_value(text.text) if text else sql, {}), False)
        spelled = decision.outcome.spelled if decision.outcome is not None else ()
        if text is None or not spelled:
            return list(spelled)
        return [Edit(text.start, text.start + len(text.text), literal(decision.original))]

    async def _inserted(self, session: ClientSession, sql: str) -> list[Edit]:
        """Return the edits that replace virtual tables and calls of table functions by their rows, in a statement that
        changes the session.

        An example is SET VARIABLE x = (SELECT count(*) FROM viewgate.system.views). Raise SqlError if the statement
        would store the rows, for example in a temporary view.
        """
        lower = sql.lower()
        named = any(name in lower for name in (CATALOG, information_schema.NAMESPACE, *FUNCTIONS))
        if not named:
            return []
        edits = await self._with_virtual_tables(session, sql)
        return edits or await expand(sql, await self.facts(session), self.catalogs)

    def _failed(self, decision: Decision, error: SqlError) -> None:
        """Suspend the storage tables that a rewritten statement read, because the rewritten statement failed with
        `error`.

        No rewritten statement reads a suspended table during the pause that follows (5 minutes at first, see
        `Rests`). Do nothing if `error` is about invalid SQL or missing permissions. `decision` is the decision about
        the statement.
        """
        self.rests.begin(decision.read, error)

    def moved(self, session: ClientSession) -> None:
        """Forget the cached state of a session that has moved to another upstream server, whose defaults may differ."""
        facts: SessionFacts = session.facts
        facts.forget()

    async def facts(self, session: ClientSession) -> Session:
        """Return the session's current settings, namespace and temporary views.

        Raise NoCurrentCatalog if Spark cannot load the session's current catalog.
        """
        facts: SessionFacts = session.facts
        try:
            read = await facts.read(session.upstream.query)
        except SqlError as error:
            if (found := no_current_catalog(error, facts.default_catalog, self.catalogs)) is error:
                raise
            raise found from error
        self._look_for_catalogs(read)
        return replace(read, off="" if facts.settings[REWRITE] == ON else REWRITE_IS_OFF)

    def _look_for_catalogs(self, state: Session) -> None:
        """Log a warning if Spark has no catalog with a name in [[catalog]], because then its views cannot be used.

        `state.catalogs` are Spark's catalogs as one session sees them. The warning is repeated only if Spark has had
        the catalog in the meantime.
        """
        unknown = frozenset(self.catalogs.names) - state.catalogs
        for name in sorted(unknown - self._unknown_to_spark):
            _log.warning(
                "catalog unknown to Spark catalog=%s spark_catalogs=%s: no view of this catalog is used; correct the "
                "name in [[catalog]]",
                name,
                ",".join(sorted(state.catalogs)),
            )
        self._unknown_to_spark = unknown

    async def decide(self, session: ClientSession, sql: str, *, thorough: bool = False) -> Decision:
        """Return the decision about a statement: the SQL that Spark runs.

        A `thorough` decision has the same SQL, and in addition a reason for each view over the statement's tables
        that cannot answer. In the SQL, calls of Viewgate's table functions are replaced by their rows, and Viewgate's
        hint is removed, because Spark would reject the hint. Raise SqlError for an invalid hint, an invalid call of a
        table function, or an invalid `timeseries` call.
        """
        hint = read_hint(sql)
        edits = await self._with_virtual_tables(session, hint.sql)
        only_calls = not edits and _calls_ours(hint.sql)
        if only_calls:
            edits = await expand(hint.sql, await self.facts(session), self.catalogs)
        expanded = splice(hint.sql, edits) if edits else None
        if expanded is None:
            decision = await self._decide_if_known(session, hint, thorough)
        else:
            changed = Changed(hint.sql, expanded, edits)
            if not only_calls and not spells_time(hint.sql):
                return Decision(expanded, expanded, problem=_INSERTED, reworded=changed.reworded)
            decision = await self._decide(session, replace(hint, sql=expanded), thorough)
            decision = replace(decision, reworded=changed.reworded)
        if decision.outcome is not None and not thorough:
            decision = replace(decision, outcome=told_of_named(decision.outcome))
        plain = hint.sql if hint.options else None
        return decision if decision.sql is not None else replace(decision, sql=expanded or plain)

    async def _with_virtual_tables(self, session: ClientSession, sql: str) -> list[Edit]:
        """Return the edits that replace virtual tables and calls of table functions in a statement by their rows.

        The virtual tables are those in viewgate.system and information_schema. If the statement reads none of them,
        return an empty list, even if it calls table functions: the caller replaces these calls itself.
        """
        edits = [
            edit
            for schema, rows in await self._virtual_schemas(session, sql)
            for edit in await schema.expand(sql, rows)
        ]
        if edits and _calls_ours(sql):
            edits += await expand(sql, await self.facts(session), self.catalogs)
        return edits

    async def described(self, session: ClientSession, sql: str) -> Described | None:
        """Return the virtual table that a DESCRIBE statement describes; None for any other statement."""
        schemas = await self._virtual_schemas(session, sql)
        return next((found for schema, _ in schemas if (found := schema.described(sql)) is not None), None)

    async def virtual_schema(self, session: ClientSession, sql: str, name: Sequence[str]) -> VirtualSchema | None:
        """Return the virtual schema that the name `name` in the statement `sql` denotes; None if it denotes no virtual
        schema.
        """
        lower = tuple(map(str.lower, name))
        schemas = [schema for schema, _ in await self._virtual_schemas(session, sql)]
        for catalog in (None, *self.catalogs.names):
            if lower in information_schema.schema(catalog).names:
                schemas = [schema for schema, _ in await self._information_schema(session, catalog)]
        return next((schema for schema in schemas if lower in schema.names), None)

    async def _virtual_schemas(self, session: ClientSession, sql: str) -> list[tuple[VirtualSchema, Rows]]:
        """Return the virtual schemas that a statement may name, each with the function that returns a table's rows.

        If Spark has a catalog `viewgate`, the name viewgate.system refers to that catalog, and the virtual schema is
        left out. In a session for operators (see `show.enter_system`), Spark is known to have no such catalog, and is
        not queried.
        """
        found = list[tuple[VirtualSchema, Rows]]()
        if self._system is not None and SYSTEM.mentioned(sql):
            ours = session.for_operators or CATALOG not in (await self.facts(session)).catalogs
            if ours:
                found.append((SYSTEM, partial(self._system, session)))
        if information_schema.NAMESPACE in sql.lower():
            for catalog in (None, *self.catalogs.names):
                # only for a reference: while catalogs are unavailable, all other statements must go to Spark
                if information_schema.schema(catalog).concerns(sql):
                    found += await self._information_schema(session, catalog)
        return found

    async def _information_schema(
        self, session: ClientSession, catalog: str | None
    ) -> list[tuple[VirtualSchema, Rows]]:
        """Return the virtual schema `<catalog>.information_schema`, with the function that returns a table's rows.

        Without a catalog (None), the schema describes the session's current catalog, or all of Viewgate's catalogs if
        the current catalog is none of them. Return an empty list if the name denotes a real namespace.
        """
        current = (await self.facts(session)).catalog if catalog is None else catalog
        if current in self.catalogs:
            of = [self.catalogs[current]]
            real = (information_schema.NAMESPACE,) in await of[0].namespaces()
        else:
            of = [*self.catalogs]
            listed = await session.upstream.query(f"SHOW NAMESPACES LIKE '{information_schema.NAMESPACE}'")
            real = bool(listed.rows)
        rows = partial(information_schema.rows, self.catalogs, of)
        return [] if real else [(information_schema.schema(catalog), rows)]

    async def _decide_if_known(self, session: ClientSession, hint: Hinted, thorough: bool) -> Decision:
        """Return the decision about a statement, also while a catalog is unavailable.

        `hint` has the statement without Viewgate's hint, and the options of the hint. While a catalog that the
        statement needs is unavailable, or Spark cannot load the session's current catalog, decide that Spark runs the
        statement unchanged; but raise the error if the statement calls `timeseries`, a function that Spark does not
        have. A `thorough` decision also has a reason for each view over the statement's tables that cannot answer.
        """
        try:
            return await self._decide(session, hint, thorough)
        except (NoCurrentCatalog, Unavailable) as outage:
            if calls_time(hint.sql):  # which Spark does not have
                raise
            return Decision(None, hint.sql, problem=outage.message, why=Reason.UNKNOWN_STATE, over=1)

    async def _decide(self, session: ClientSession, hint: Hinted, thorough: bool) -> Decision:
        """Return the decision about a statement; raise Unavailable while a needed catalog is unavailable.

        `hint` has the statement without Viewgate's hint, and the options of the hint. A `thorough` decision also has a
        reason for each view over the statement's tables that cannot answer. Raise SqlError for an invalid
        `timeseries` call.
        """
        sql = hint.sql
        own = Decision(None, sql)
        if classify(sql).brief or not _may_concern(sql):  # no table is read: the catalog need not be asked
            return own
        facts: SessionFacts = session.facts
        state = await self._state(session, hint)
        recent = await self._views.recent()
        if not thorough and state.off and not spells_time(sql):  # the statement need not be parsed
            return replace(own, problem=state.off, why=Reason.REWRITE_OFF, over=len(recent.definitions.views))
        if thorough or state.only is not None:  # the log has the reason of a view that a hint names
            recent = recent.thorough
        if (past := await self._decide_past(session, sql, state, recent)) is not None:
            return replace(past, problem=facts.problem)
        asked = await _aside(sql, recent.ask, sql, state)
        statement, definitions = asked.statement, recent.definitions
        own = replace(own, tables=asked.base_tables)
        if not asked.concerns_views and not statement.uses_timeseries:
            return await self._decide_without_views(asked, own, state, facts, thorough)
        bound = facts.bound(int(self._now() * 1000), hint.options.get(STALENESS))
        found = await self._current(asked)
        if (learned := self._views.learned(found.relations)) is not None:
            asked = await _aside(sql, Recent(definitions.knowing(learned)).ask, sql, state)
            found = await self._current(asked)
        relations, earlier, resting = await self._states(asked, found, bound, facts)

        async def look() -> Relations:
            current, *_ = await self._states(asked, await self._current(asked), bound, facts)
            return current

        try:
            outcome = await _aside(sql, asked.decide, relations, earlier)
            wanted = without_ranges(outcome, asked.names, definitions)
            if wanted and self.catalogs.range_of(wanted):
                found = await self._current(asked)
                relations, earlier, resting = await self._states(asked, found, bound, facts)
                outcome = await _aside(sql, asked.decide, relations, earlier)
        except Unsupported as problem:
            await checked(sql, session.upstream.query)
            raise SqlError(str(problem), "0A000") from problem
        outcome = told_of_hint(told_of_rests(outcome, resting, definitions), state.only, definitions)
        if facts.problem:  # for this reason the session counts as one without rewriting
            outcome = replace(outcome, tried=())
        original = outcome.original
        sent = original if outcome.spelled else None
        why = facts.problem or ("" if outcome.tried or not asked.over else asked.unread)
        unchanged = Decision(sent, original, outcome, why, asked.over, tables=asked.base_tables)
        if thorough:
            change = await self._suggested(outcome, definitions, relations, look)
            unchanged = replace(unchanged, suggestion=change)
        return await self._kept_schema(session, statement, unchanged, relations) if outcome.rewritten else unchanged

    async def _decide_without_views(
        self, asked: Asked, own: Decision, state: Session, facts: SessionFacts, thorough: bool
    ) -> Decision:
        """Return the decision `own`, which runs the statement unchanged, with the reasons why no view answers it.

        No view could answer any part of the statement. `state` and `facts` are the session's state. A `thorough`
        decision also suggests a new view.
        """
        statement, definitions = asked.statement, asked.definitions
        hidden = tuple(shadowed(statement, definitions))
        outcome = told_of_hint(Outcome(statement, tried=hidden), state.only, definitions)

        async def look() -> Relations:
            return _relied_on(await self.catalogs.current(asked.base_tables), facts)

        if thorough:
            own = replace(own, suggestion=await self._suggested(Outcome(statement), definitions, await look(), look))
        return replace(
            own,
            outcome=outcome if outcome.tried or thorough else None,
            problem=facts.problem or (asked.unread if asked.over else statement.unread),
            over=asked.over,
        )

    async def _suggested(
        self, outcome: Outcome, definitions: Definitions, relations: Relations, look: Callable[[], Awaitable[Relations]]
    ) -> Suggestion | None:
        """Return a change to a view that would let the view answer the statement of `outcome`; None if none is found.

        The ranges of integers can prove that an average in the suggested view is exact. If nothing else is found, they
        are requested, and `look` is called to get the `relations` again.
        """
        change = await asyncio.to_thread(suggested, outcome, definitions, relations)
        tables = relations.keys() - definitions.by_storage.keys()
        if outcome.rewritten or not (change is None or change.verbatim) or not self.catalogs.range_of(tables):
            return change
        return await asyncio.to_thread(suggested, outcome, definitions, await look())

    async def _current(self, asked: Asked) -> Looked:
        """Return the current table or view of each name on which the decision about a statement depends.

        The relation is None for a name that does not exist, whose metadata cannot be read, or whose catalog is
        unavailable. A storage table of which a source was rolled back is returned as of an earlier refresh. Raise
        Unavailable if the catalog of a table that the statement reads is unavailable.
        """
        found = await self.catalogs.look(asked.names, {*asked.statement.tables, *asked.base_tables})
        self.catalogs.examine(found.relations.values())
        return found._replace(relations=await self.catalogs.before_rollbacks(found.relations))

    async def _states(
        self, asked: Asked, found: Looked, bound: Bound, facts: SessionFacts
    ) -> tuple[Relations, Earlier, Mapping[TableName, str]]:
        """Return the relations (tables and views) that a statement may use: their current state and earlier states.

        The three results are:

        - the current state of the relations
        - the earlier states that the staleness `bound` allows, by time
        - the reason, for each storage table that is suspended or whose view has a table in an unavailable catalog

        In each state, a partly stale storage table is limited to its fresh rows, and a storage table with such a reason
        is None. A table has only those declared primary and foreign keys that the session trusts. `asked` is the
        statement, `found` are the relations in the catalogs, and `facts` the settings of the session.
        """
        resting = self._resting(asked.definitions, found)
        usable = {**_relied_on(found.relations, facts), **dict.fromkeys(resting)}
        earlier = await _aside(asked.statement.sql, asked.earlier, usable, bound)
        current, *past = await self._parts.within(asked.definitions, (usable, *earlier.values()))
        return current, dict(zip(earlier, past, strict=True)), resting

    def _resting(self, definitions: Definitions, found: Looked) -> Mapping[TableName, str]:
        """Return the reason for each storage table that is suspended, or whose view has a table in an unavailable
        catalog.
        """
        return {**self.rests.within(found.relations), **_silenced(definitions, found)}

    async def _state(self, session: ClientSession, hint: Hinted) -> Session:
        """Return the session's state for one statement, in which rewriting may be turned off or limited to one view.

        Rewriting is off with the hint `VIEWGATE(off)`, and while no statement of the session can be rewritten (see
        `SessionFacts.problem`). Rewriting is limited to one view with the hint `VIEWGATE(use = 'namespace.view')`.
        """
        facts: SessionFacts = session.facts
        state = hint.applied(await self.facts(session))
        return replace(state, off=facts.problem) if facts.problem else state

    async def _decide_past(self, session: ClientSession, sql: str, state: Session, recent: Recent) -> Decision | None:
        """Return the decision about a statement that reads all of its tables at earlier snapshots or times (time
        travel).

        Return None for any other statement, if no view reads the statement's tables, and if it is unknown which
        snapshot a table had at the requested time. `state` is the session's state, `recent` the decision cache. Raise
        SqlError 0A000 if the statement reads a view at an earlier time, which Spark cannot.
        """
        past = travel(sql, state)
        if past is not None:
            _check_views_of_now(past, recent.definitions)
        asked = await _aside(sql, recent.ask, past.statement.sql, state) if past is not None else None
        if past is None or asked is None or not asked.concerns_views or past.statement.uses_timeseries:
            return None
        found = await self.catalogs.past(asked.names, past.moments, state.time_zone)
        resting = self._resting(recent.definitions, found)
        relations = {**found.relations, **dict.fromkeys(resting)}
        outcome = await _aside(sql, rewrite_past, past, recent.definitions, relations)
        if outcome is None:
            return None
        whys = {**{name: NOT_THEN for name, table in found.relations.items() if table is None}, **resting}
        outcome = told_of_hint(told_of_rests(outcome, whys, recent.definitions), state.only, recent.definitions)
        unchanged = Decision(None, sql, outcome, over=asked.over, tables=asked.base_tables)
        return (
            await self._kept_schema(session, past.statement, unchanged, relations) if outcome.rewritten else unchanged
        )

    async def definitions(self) -> Definitions:
        """Return the current views with their index. The index is rebuilt only after a view was created, changed or
        dropped.
        """
        return (await self._views.recent()).definitions

    async def _kept_schema(
        self,
        session: ClientSession,
        statement: Statement,
        unchanged: Decision,
        relations: Relations,
    ) -> Decision:
        """Return the decision `unchanged`, which runs the original statement, with the rewritten SQL instead.

        The rewritten SQL must return columns of the original names and types. Therefore Spark describes the columns of
        each query block (SELECT) that a view replaces (DESCRIBE QUERY). Each column then gets its original name, and a
        cast if the type could differ.

        In two cases, the result still runs the original statement, and its `problem` says why: if Spark rejects a
        block, and if a view that the statement names has other columns than its query returns now. `relations` are the
        tables and views that `statement` reads.
        """
        outcome = unchanged.outcome
        assert outcome is not None
        key = schema_key(statement.session, relations)
        try:
            schemas = {r.original: await self._schemas.of(r.original, key, session.upstream.query)
                       for r in outcome.replacements}  # fmt: skip
            same = not outcome.typed or await self._reads_as_typed(session, outcome, key)
        except SqlError:  # the statement is wrong, and Spark will report that to the user
            kept = replace(outcome, replacements=())
            return replace(unchanged, outcome=kept, problem="Spark refuses the statement")
        if not same:
            kept = replace(outcome, replacements=())
            return replace(unchanged, outcome=kept, problem="a view's query returns other columns than the view has")
        storages = (relations.get(storage) for replaced in outcome.replacements for storage in replaced.storages)
        read = tuple(storage for storage in storages if isinstance(storage, Table))
        return replace(unchanged, sql=outcome.fixed.sql(schemas), read=read)

    async def _reads_as_typed(self, session: ClientSession, outcome: Outcome, key: Hashable) -> bool:
        """Return whether a statement keeps its columns (names and types) in Spark if the views in FROM are expanded.

        To expand a view is to replace its name by its query. `outcome` has the statement with the names and with the
        queries; `key` is the cache key (`schema_key`) of the session and the relations.
        """
        typed, expanded = [await self._schemas.of(read_by(sql), key, session.upstream.query)
                           for sql in (outcome.original, outcome.expanded)]  # fmt: skip
        return typed == expanded


def _check_views_of_now(past: Travel, definitions: Definitions) -> None:
    """Raise SqlError 0A000 if a time-travel statement reads a view; Spark would report that the view does not exist."""
    view = next((n for n in past.moments if n in definitions.by_name or n in definitions.plain_by_name), None)
    if view is not None:
        raise SqlError(
            f"{view} is a view, and only tables can be read at an earlier time: query the view's tables with VERSION "
            "AS OF or TIMESTAMP AS OF; a materialized view whose storage has that time answers the query",
            "0A000",
        )


def _silenced(definitions: Definitions, found: Looked) -> Mapping[TableName, str]:
    """Return the storage tables in `found` whose view has a table in an unavailable catalog, each with the reason."""
    if not found.silent:
        return {}
    whys: dict[TableName, str] = {}
    for storage in definitions.by_storage.keys() & found.relations.keys():
        view = definitions.by_storage[storage]
        names = (storage, view.name, *definitions.sources[view.name], *(state.name for state in view.through))
        why = next((found.silent[name.catalog] for name in names if name.catalog in found.silent), None)
        if why is not None:
            whys[storage] = why
    return whys


def _relied_on(relations: Relations, facts: SessionFacts) -> Relations:
    """Return the relations without the primary and foreign keys that tables declare, except for trusted keys.

    All declared keys are trusted if the session setting `viewgate.trust-constraints` (in `facts`) is on; the keys of
    one table are trusted if its table property of the same name is true. A name whose relation is None keeps None.
    """
    if facts.settings[TRUST] == ON:
        return relations
    return {
        name: relation.without_keys if isinstance(relation, Table) and not relation.trusted else relation
        for name, relation in relations.items()
    }


def _may_concern(sql: str) -> bool:
    """Return whether a statement contains SELECT or `timeseries`; a statement with neither word is never rewritten."""
    return "select" in sql.lower() or spells_time(sql)


def _sets_variable(sql: str) -> bool:
    """Return whether a statement is SET VARIABLE (or SET VAR).

    Among SET, RESET and USE statements, only SET VARIABLE can contain a query.
    """
    return [token.keyword for token in islice(scan(sql), 2)] in (["SET", "VAR"], ["SET", "VARIABLE"])


def _calls_ours(sql: str) -> bool:
    """Return whether a statement calls a table function of Viewgate, such as `stale_files('demo.daily')`."""
    lower = sql.lower()
    return any(name in lower for name in FUNCTIONS) and any(calls(sql))


class KnownViews:
    """The views that the catalog had at the last read, and the cache of decisions about statements over these views."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._views: tuple[MaterializedView, ...] = ()
        self._recent = Recent(Definitions((), declared=Declared()))
        self._reading = asyncio.Lock()

    @property
    def use(self) -> CacheUse:
        """The hits, misses and entries of the decision cache, since a change of a view or a newly declared primary
        or foreign key last emptied the cache.
        """
        hits, misses, _, entries = self._recent.ask.cache_info()
        return CacheUse(hits, misses, entries)

    async def recent(self) -> Recent:
        """Return the cache of decisions about statements over the current views.

        If a view was created, changed or dropped, return a new, empty cache.
        """
        views = await self._catalogs.definitions()
        if views is not self._views:
            async with self._reading:
                if views is not self._views:
                    definitions = Definitions(views, plain=self._catalogs.plain)
                    await asyncio.to_thread(definitions.read)  # in a thread, so that other clients are served meanwhile
                    definitions = definitions.knowing(self._recent.definitions.declared or Declared())
                    self._views, self._recent = views, Recent(definitions)
        return self._recent

    def learned(self, relations: Relations) -> Declared | None:
        """Record the primary and foreign keys that the tables in `relations` declare.

        Return the recorded keys of all tables, or None if none of the keys is new. A new key empties the decision
        cache.
        """
        before = self._recent.definitions.declared or Declared()
        now = before.learned(relations)
        if now is before:
            return None
        self._recent = Recent(self._recent.definitions.knowing(now))
        return now


async def _aside(sql: str, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Return the result of `work` with the given arguments; call `work` in a thread if the statement `sql` is long.

    In the event loop, parsing a long statement would delay other clients.
    """
    return await asyncio.to_thread(work, *given, **named) if len(sql) > _LONG else work(*given, **named)
