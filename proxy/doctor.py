"""Implements `viewgate doctor`: checks this machine and the settings, and prints each problem with its remedy."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from proxy import admission, jars, ports, preflight
from proxy.config import CONSOLE_PORT, REMOTE, CatalogSettings, Config, ConfigError, UpstreamAddress
from proxy.hs2 import SqlError

_SKEW_S = 5.0  # CURRENT_DATE and time travel by Viewgate's clock may differ from Spark's by this
_WRONG = (preflight.Missing, ConfigError, SqlError, OSError)


class Dispensable(Exception):
    """The error raised for a problem that does not prevent Viewgate's start, such as a taken console port."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    `check` is the name of the check, and `says` is the result, with the remedy of a problem. A problem is either an
    error (`ok` is false), or a warning that does not prevent Viewgate's start (`ok` and `warning` are true).
    """

    check: str
    ok: bool
    says: str
    warning: bool = False

    def __str__(self) -> str:
        mark = "WRONG" if not self.ok else "warn " if self.warning else "ok   "
        return f"{mark} {self.check}: {self.says}"

    def as_json(self) -> dict[str, object]:
        return asdict(self)


async def findings(settings: Config) -> list[Finding]:
    """Return the result of every check, in the order in which Viewgate's start performs the checks.

    A failed check does not stop the other checks.
    """
    return [await _finding(name, check) for name, check in _checks(settings)]


async def _finding(name: str, check: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(name, True, await check())
    except Dispensable as lacking:
        return Finding(name, True, str(lacking), warning=True)
    except _WRONG as wrong:
        return Finding(name, False, wrong.message if isinstance(wrong, SqlError) else str(wrong))


def _checks(settings: Config) -> Iterator[tuple[str, Callable[[], Awaitable[str]]]]:
    yield "settings", lambda: asyncio.to_thread(_settings, settings)
    yield "ports", lambda: asyncio.to_thread(_ports, settings)
    if settings.console.enabled:
        yield "console", lambda: asyncio.to_thread(_console, settings)
    if settings.journal.file is not None:
        yield "journal", partial(asyncio.to_thread, _journal, settings.journal.file)
    if settings.starts_spark:
        yield "java", lambda: asyncio.to_thread(_java)
        yield "spark", lambda: asyncio.to_thread(_spark)
        yield "permissions", lambda: asyncio.to_thread(_data, settings.embedded.data)
    for catalog in settings.catalogs:
        yield f"catalog {catalog.name}", partial(_catalog, catalog, settings.timeouts.catalog)
    for address in settings.upstreams:
        yield f"upstream {address.host}:{address.port}", partial(_upstream, address)


def _settings(settings: Config) -> str:
    admission.check(settings)
    _check_command_lines(settings)
    return "valid; logins and certificates can be loaded"


def _check_command_lines(settings: Config) -> None:
    """Raise Dispensable if a JVM that Viewgate starts would get a credential on its command line.

    The JVMs are those of [embedded.spark] and of [pipeline.spark].
    """
    own = settings.embedded.spark if settings.starts_spark else {}
    given = {"embedded": own, "pipeline": settings.pipeline.spark}
    for table, spark in given.items():
        if not spark or REMOTE in spark:  # a Spark Connect server has a JVM of its own
            continue
        from proxy.embedded import credentials_shown  # importing it takes more than a second

        if keys := credentials_shown(spark):
            raise Dispensable(
                f"[{table}.spark] {', '.join(keys)}: all users of this machine can read the credentials in these "
                "settings, because Spark needs the settings on the command line of its JVM: move the credentials into "
                "a file that only Viewgate's user can read, such as the file of spark.jars.ivySettings"
            )


def _ports(settings: Config) -> str:
    ports.refuse_taken_port(settings.server)
    given = (settings.server.port, *settings.server.ports.given.values())
    return f"{', '.join(map(str, given))} of {settings.server.host} can be listened on"


def _console(settings: Config) -> str:
    with ports.console_place(settings) as place:
        if place is None:
            raise Dispensable(
                f"port {CONSOLE_PORT} is in use, so Viewgate starts without its console: {ports.CONSOLE_REMEDY}"
            )
        return f"{place.getsockname()[1]} of {settings.console.host} can be listened on"


def _journal(file: Path) -> str:
    there = file if file.exists() else file.parent
    if not (os.access(there, os.W_OK) and (there == file or there.is_dir())):
        raise Dispensable(
            f"{file} cannot be written, so Viewgate starts, but loses the records: create the directory {file.parent}, "
            "make it writable, or set another [journal] file"
        )
    return f"{file} can be written"


def _java() -> str:
    return f"{preflight.java()} is a version that Spark supports"


def _spark() -> str:
    folder = jars.spark_jars()
    missing = [jar.file for jar in jars.EMBEDDED if not Path(jars.directory(), jar.file).exists()]
    if missing:
        return f"pyspark is installed; the first start fetches {', '.join(missing)} from Maven Central, by the network"
    return f"pyspark and Iceberg's library are installed ({folder})"


def _data(data: Path) -> str:
    there = next(folder for folder in (data.absolute(), *data.absolute().parents) if folder.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise ConfigError(
            f"the directory {there} is not writable by this user: make it writable, or give another directory "
            "with --data"
        )
    return f"{data.absolute()} can be written"


async def _catalog(catalog: CatalogSettings, timeout: float) -> str:
    from proxy.catalog import CatalogError, open_catalogs  # importing it takes more than a second

    try:
        opened = await open_catalogs({catalog.name: catalog.properties}, timeout=timeout)
    except CatalogError as error:
        raise ConfigError(str(error).removeprefix(f"catalog {catalog.name}: ")) from error
    views = await opened.definitions()
    told = f"answers; {len(views)} materialized view{'' if len(views) == 1 else 's'}"
    if opened.broken:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in opened.broken.items())
        raise Dispensable(
            f"{told}; views that cannot be used, because their metadata cannot be read ({len(opened.broken)}): "
            f"{reasons}"
        )
    if not views and not await opened[catalog.name].namespaces():
        raise Dispensable(
            f"{told}, and no namespaces: unless the catalog is new, check that uri is that of Spark's catalog, and "
            "that name is the catalog's name in Spark"
        )
    return told


async def _upstream(address: UpstreamAddress) -> str:
    """Open a session on an upstream server and compare the clocks; return the result as text.

    Raise SqlError, OSError or ConfigError if no session can be opened, or if the clocks certainly differ by more than 5
    seconds: Spark reads its clock at some time between the question and the answer.
    """
    from proxy import links
    from proxy.upstream import Timeouts, in_session

    async with in_session(links.upstream(address), None, Timeouts(open=10, call=30)) as query:
        asked = time.time()
        (row,) = (await query("SELECT unix_timestamp()")).rows
        took = time.time() - asked
        ahead = int(row[0]) + 0.5 - (asked + took / 2)  # unix_timestamp() returns whole seconds: use the middle
    if abs(ahead) - took / 2 > _SKEW_S:
        raise ConfigError(
            f"the clock of Spark is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} this machine's: "
            "synchronize both clocks with NTP"
        )
    slow = f"; Spark took {took:.0f} s to answer, so this is only an estimate" if took > _SKEW_S else ""
    return f"opens sessions; clocks differ by {abs(ahead):.0f} s{slow}"
