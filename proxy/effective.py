"""The settings in effect: defaults, overridden by the settings file, the command line, and later reloads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from proxy.commands import Reloaded, Setting
from proxy.config import CONSOLE_PORT, Config, LimitSettings, Table, UpstreamAddress
from proxy.journal.texts import HIDDEN, is_secret, without_credentials
from proxy.server import Limits
from proxy.upstream import Timeouts

_RELOADED = (
    *("upstream.", "pipeline.user", "pipeline.password", "server.tls.certificate", "server.tls.key"),
    *("console.tls.certificate", "console.tls.key"),
    *("authentication.operators", "authentication.proxy_users"),
)
NO_WORKERS = Reloaded(
    "one process serves the port, and cannot be replaced without an interruption: set [server] workers to 2 or more",
    refused=True,
)


async def _no_file() -> Reloaded:
    return Reloaded("Viewgate was started without a settings file: restart Viewgate with --config FILE", refused=True)


async def _no_workers() -> Reloaded:
    return NO_WORKERS


class Effective:
    r"""The settings in effect, and two functions that the running server sets.

    `reload` reads the settings file again, and `restart` replaces the worker processes by new ones. Until the server
    sets them, both functions do nothing, and return the reason why.

    >>> from proxy.config import parse
    >>> rows = {row.key: row for row in Effective(parse("[timeouts]\ncatalog = 3")).rows()}
    >>> rows["timeouts.catalog"], rows["server.host"].value, rows["server.tls"].value
    (Setting(key='timeouts.catalog', value='3', default='10', reloadable=False), '127.0.0.1', None)
    """

    def __init__(self, settings: Config) -> None:
        self.settings = settings
        self.reload: Callable[[], Awaitable[Reloaded]] = _no_file
        self.restart: Callable[[], Awaitable[Reloaded]] = _no_workers

    @property
    def operators(self) -> frozenset[str]:
        """The users who may operate Viewgate, according to the settings in effect."""
        return self.settings.authentication.operators

    def rows(self) -> Iterator[Setting]:
        """Yield each setting as a row of SHOW VIEWGATE CONFIG, with the values of credentials hidden."""
        defaults = dict(_flat("", {**_tables(Config()), **_of_upstreams(self.settings, defaults=True)}))
        for key, value in _flat("", {**_tables(self.settings), **_of_upstreams(self.settings)}):
            yield Setting(key, _shown(key, value), _shown(key, defaults.get(key)), key.startswith(_RELOADED))


def differing(one: Config, other: Config) -> list[str]:
    r"""Return the keys of the settings that differ between `one` and `other`, in the order of the settings file.

    An added or removed upstream is one key.

    >>> from proxy.config import parse
    >>> differing(parse("[server]\nport = 1"), parse("[journal]\nliterals = false"))
    ['server.port', 'journal.literals']
    """
    servers = [_of_upstreams(each) for each in (one, other)]
    both = servers[0].keys() & servers[1].keys()
    here, there = (
        dict(_flat("", {**_tables(each), **{name: known[name] for name in sorted(both)}}))
        for each, known in zip((one, other), servers, strict=True)
    )
    changed = [key for key in {**here, **there} if here.get(key) != there.get(key)]
    return [*changed, *sorted(servers[0].keys() ^ servers[1].keys())]


def _tables(settings: Config) -> dict[str, Any]:
    """Return the settings as nested tables, like those of the settings file; the upstreams are left out."""
    console = settings.console.model_copy(update={"port": settings.console.port or CONSOLE_PORT})
    tables = {
        "server": settings.server,
        "console": console,
        "journal": settings.journal,
        "tracing": settings.tracing,
        "authentication": settings.authentication,
        "timeouts": {**asdict(Timeouts()), "catalog": settings.timeouts.catalog, **settings.timeouts.given},
        "limits": {key: settings.limits.given.get(key, getattr(Limits, key)) for key in LimitSettings.model_fields},
        "pipeline": settings.pipeline,
    }
    catalogs = {f"catalog.{catalog.name}": catalog.properties for catalog in settings.catalogs}
    return {**tables, **({"embedded": settings.embedded} if settings.starts_spark else {}), **catalogs}


def _of_upstreams(settings: Config, *, defaults: bool = False) -> dict[str, Any]:
    """Return the settings of each upstream server by address; with `defaults`, return the default values instead."""
    return {
        f"upstream.{one.host}:{one.port}": UpstreamAddress(host=one.host, port=one.port) if defaults else one
        for one in settings.upstreams
    }


def _flat(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Table):
        value = dict(value)
    if not isinstance(value, Mapping):
        yield key, value
        return
    for name, inner in value.items():
        yield from _flat(f"{key}.{name}" if key else name, inner)


def _shown(key: str, value: Any) -> str | None:
    if value is None or value in ("", frozenset()):
        return None
    if is_secret(key) and not isinstance(value, Path):
        return HIDDEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, frozenset | list | tuple):
        return ", ".join(sorted(map(str, value)))
    return without_credentials(str(value))
