"""The Viewgate settings in effect for a statement: the settings of the session, overridden by a hint in the statement.

The session's settings are queried from Spark again after a statement that may have changed them. The hint is `/*+
VIEWGATE(max_staleness = '10 minutes', use = 'namespace.view') */`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proxy.catalog.views import ALLOWED, MAX_STALENESS, NEVER, REWRITE, period
from proxy.hs2 import Query, SqlError
from proxy.hs2.status import nearest
from proxy.statements import Effect, classify
from rewriter import STALENESS, Bound, Hinted, hinted
from rewriter.model import Session, split_name
from rewriter.model.constraints import TRUST
from rewriter.model.settings import TIME_ZONE

ON, OFF = "on", "off"
# The value with which each view's own staleness bound applies.
OF_VIEW = "view"
# The format in which SHOW TABLES and DESCRIBE answer: Spark's, or Hive's for tools that expect Hive.
MEASURE, AGE, DIFFERENCE = "viewgate.staleness_measure", "age", "difference"
LISTINGS, SPARK, HIVE = "viewgate.listings", "spark", "hive"

# Viewgate's own session settings with their allowed values, the default first.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    REWRITE: (ON, OFF),
    TRUST: (OFF, ON),
    MAX_STALENESS: (OF_VIEW, NEVER),
    MEASURE: (AGE, DIFFERENCE),
    LISTINGS: (SPARK, HIVE),
}
_DEFAULTS = {name: values[0] for name, values in SETTINGS.items()}

_SPELLINGS = {"true": ON, "false": OFF, "1": ON, "0": OFF}
_OURS = "viewgate."
_CATALOG, _DEFAULT_CATALOG = "spark.sql.catalog.", "spark.sql.defaultCatalog"
_SESSION_CATALOG = "spark_catalog"  # Spark's own default
_SHARED = "spark.sql.hive.thriftServer.singleSession"  # with it, other clients' SET and USE apply to this session, too
# Without FROM, Spark would run a job, which waits while Spark is busy; the client has no operation handle until then.
_WHERE = "SELECT current_catalog(), current_database(), current_timezone() FROM VALUES (1)"


def allowed(name: str) -> tuple[str, ...]:
    """Return the allowed values of one of Viewgate's settings, the default first.

    Raise SqlError 42704 if Viewgate has no setting of this name.
    """
    if name not in SETTINGS:
        raise SqlError(
            f"{name} is not a setting of Viewgate{nearest(name, SETTINGS)}; the settings are {', '.join(SETTINGS)}",
            "42704",
        )
    return SETTINGS[name]


def value_of(name: str, given: str) -> str:
    """Return the value `given` for the setting `name` in its stored form.

    Raise SqlError 22023 for a value that is not allowed, and SQLSTATE 42704 for an unknown setting.

    >>> value_of("viewgate.rewrite", "FALSE")
    'off'
    """
    values, value = allowed(name), _SPELLINGS.get(given.lower(), given.lower())
    if name == MAX_STALENESS and given.lower() not in values:
        return _period(name, given)
    if value not in values:
        raise SqlError(f"{name} is {given!r}: it must be {' or '.join(values)}", "22023")
    return value


def _period(name: str, given: str) -> str:
    """Return the duration `given` for the setting `name` unchanged; raise SqlError 22023 if it is not a duration."""
    if period(given) is None:
        # A JDBC driver cuts the value at a space.
        remedy = f"; add the unit, as in '{given} minutes' (in a URL: {given}%20minutes)" if given.isdecimal() else ""
        told = f"it must be {ALLOWED}, or {OF_VIEW}, or {NEVER} (current rows only)"
        raise SqlError(f"{name} is {given!r}: {told}{remedy}", "22023")
    return given


class Defaults:
    """Spark's default values of settings, queried once for all sessions.

    The query `SET -v` returns the value in effect of each setting. This value is the default only in a session that has
    not set the setting, so a second session may have to be queried.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._hidden: frozenset[str] | None = None

    async def of(self, settings: Mapping[str, str], query: Query) -> Mapping[str, str]:
        """Return the default values that are known, by setting; query Spark first if a query can add a default.

        A query can add a default if the default is unknown and the session has not set the setting. `settings` are the
        values that the session has set explicitly; `query` runs a SQL text in the session.
        """
        if self._hidden is None or self._hidden - settings.keys():
            in_force = {str(key): str(value) for key, value, *_ in (await query("SET -v")).rows}
            # `<undefined>` and `<value of …>` are not values.
            told = {key: value for key, value in in_force.items() if not value.startswith("<")}
            # A new mapping, because sessions hold the former one, and decisions are cached by it.
            self._known = self._known | {key: value for key, value in told.items() if key not in settings}
            self._hidden = frozenset(key for key in settings if key not in self._known)
        return self._known


class SessionFacts:
    """The settings, current namespace and temporary views of one session, as Spark last reported them.

    A statement that may change the session makes this state unknown from the statement's start to its end; the state is
    queried again before the next rewriting. A statement whose effect on the session is unknown (a script, EXECUTE
    IMMEDIATE of a computed text, a temporary function) turns rewriting off for the rest of the session.

    - `default_catalog`: the catalog that is current until a statement enters another one, as Spark last reported it

    `configuration` is the configuration with which the client opened the session; the constructor raises SqlError for
    an invalid value of one of Viewgate's settings.
    """

    def __init__(self, configuration: Mapping[str, str] | None = None, defaults: Defaults | None = None) -> None:
        self.settings = dict(_DEFAULTS)
        for key, value in (configuration or {}).items():
            name = key.rsplit(":", 1)[-1].lower()
            if name.startswith(_OURS):
                self.settings[name] = value_of(name, value)
        self._defaults = defaults or Defaults()
        self._doubts: list[str] = []
        self._known: Session | None = None
        self._changing = 0
        self._shared = False
        self.default_catalog = _SESSION_CATALOG
        self._temporary: set[str] = set()

    def bound(self, now_ms: int, hint: str | None = None) -> Bound:
        """Return how stale a view's rows may be in a statement.

        `hint` is the limit in the statement's hint: a duration such as `10 minutes`, `view` (each view's own limit) or
        `never`. Without a limit in the hint (None), the limit of the session holds. `now_ms` is the current time in
        milliseconds since 1970. Raise SqlError 22023 for any other `hint`.
        """
        text = self.settings[MAX_STALENESS] if hint is None else value_of(MAX_STALENESS, hint)
        seconds = None if text == OF_VIEW else period(text) or 0
        return Bound(now_ms, seconds, difference=self.settings[MEASURE] == DIFFERENCE)

    @property
    def problem(self) -> str:
        """The reason why no statement of the session can be rewritten at present; empty if there is no such reason."""
        if self._doubts:
            return (
                f"{self._doubts[0]!r} may have changed what names and functions mean in this session, and RESET undoes "
                "only settings: open a new session to use views again"
            )
        if self._shared:
            return f"all clients of this Spark share one session ({_SHARED}), which any of them may change"
        return "a statement that changes the session is still running" if self._changing else ""

    def watch(self, sql: str) -> Callable[[bool], None] | None:
        """Record the start of the statement `sql`, and return a function to be called when the statement ends.

        The function takes True if the statement succeeded, else False. Return None if the statement does not change the
        session's settings, namespace, temporary views or functions.
        """
        change = classify(sql).effect
        if change.effect in (Effect.NONE, Effect.VARIABLE) or (change.of and change.of not in self._temporary):
            return None
        doubt = sql.strip()[:60]
        if change.effect is Effect.UNKNOWN:
            self._doubts.append(doubt)
        if change.effect is Effect.NAME:
            self._temporary.add(change.name)
        self._changing += 1
        self._known = None

        def ended(well: bool) -> None:
            self._changing -= 1
            self._known = None
            if well and change.resets_all:
                self.settings.update(_DEFAULTS)
            if well:
                self._temporary.discard(change.name if change.effect is Effect.BARE else change.of)
            if change.effect is Effect.NAME and well:  # another statement may have removed it meanwhile
                self._temporary.add(change.name)
            if change.effect is Effect.UNKNOWN and not well and change.needs_success:
                self._doubts.remove(doubt)

        return ended

    def forget(self) -> None:
        """Forget the session's settings, namespace and temporary views as last reported, so that Spark is queried
        again, because Spark's own configuration may have changed.
        """
        self._known = None

    async def read(self, query: Query) -> Session:
        """Return the session's state; query Spark with `query` only if the state may have changed since the last
        query.
        """
        if self._known is None or self._changing:
            self._known = await self._ask(query)
        return self._known

    async def _ask(self, query: Query) -> Session:
        # SET lists all explicit settings, also the server's own; anything else has its default.
        settings = {str(key): str(value) for key, value, *_ in (await query("SET")).rows}
        self._shared = settings.get(_SHARED, "").lower() == "true"
        defaults = await self._defaults.of(settings, query)
        self.default_catalog = settings.get(_DEFAULT_CATALOG) or defaults.get(_DEFAULT_CATALOG, _SESSION_CATALOG)
        state = await query(_WHERE)
        catalog, namespace, zone = (str(value) for value in state.rows[0])
        settings[TIME_ZONE] = zone
        keys = {key.removeprefix(_CATALOG) for key in settings if key.startswith(_CATALOG)}
        catalogs = frozenset(key for key in keys if "." not in key)
        return Session(
            catalog,
            split_name(namespace),
            settings,
            zone,
            catalogs | {catalog, _SESSION_CATALOG},
            frozenset(self._temporary),
            lower_names=frozenset(name for name in catalogs if _is_hive(name, settings)),
            defaults=defaults,
        )


def _is_hive(catalog: str, settings: Mapping[str, str]) -> bool:
    """Return whether the Spark settings define a catalog as a Hive Metastore; such a catalog ignores the case of
    names.
    """
    kind, of = settings.get(f"{_CATALOG}{catalog}.type", ""), settings.get(f"{_CATALOG}{catalog}.catalog-impl", "")
    return kind.lower() == "hive" or of == "org.apache.iceberg.hive.HiveCatalog"


def read_hint(sql: str) -> Hinted:
    """Return the options of Viewgate's hint in a statement, and the statement without the hint.

    Without a hint, there are no options. Raise SqlError 42601 for an invalid hint, and SqlError 22023 for a
    `max_staleness` that is not a duration.
    """
    hint = hinted(sql)
    if hint.problem:
        raise SqlError(
            f"the hint is not valid: {hint.problem}; write VIEWGATE({STALENESS} = '10 minutes'), VIEWGATE(use = "
            "'namespace.view') or VIEWGATE(off) within /*+ and */",
            "42601",
        )
    if STALENESS in hint.options:
        value_of(MAX_STALENESS, hint.options[STALENESS])
    return hint
