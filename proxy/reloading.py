"""Reads the settings file again while Viewgate runs: some keys take effect at once, other keys at the next start."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from proxy import admission, links
from proxy.commands import Reloaded
from proxy.config import Certificate, Config, ConfigError, check_workers
from proxy.effective import differing
from proxy.options import Options, settled

C = TypeVar("C", bound=Certificate)

_log = logging.getLogger("viewgate")


@dataclass
class Reloading:
    """Reads the settings file again on request, and applies its changes; `options` has the path of the file.

    - `read`: the settings in the file when it was last read; the changed file is compared with them
    - `now`: returns the settings in effect: those of the file, overridden by options of the command line
    - `adopt`: puts changed settings into effect
    """

    options: Options
    read: Config
    now: Callable[[], Config]
    adopt: Callable[[Config], None]

    def __call__(self) -> Reloaded:
        """Read the settings file again, and apply the reloadable keys; log and return the result."""
        try:
            told = self._reload()
        except ConfigError as error:
            _log.error(
                "the settings were not reloaded: %s; the former settings stay in effect until the file is corrected "
                "and reloaded",
                error,
            )
            return Reloaded(
                f"the settings were not reloaded: {error}; the former settings stay in effect", refused=True
            )
        _log.info("%s", told)
        return Reloaded(told)

    def anew(self) -> Config:
        """Return the file's settings for new worker processes.

        The new workers keep [server] and [console] as they are in effect, except for the certificate files, which are
        reloaded. Raise ConfigError if the settings are invalid.
        """
        read, now = settled(self.options), self.now()
        settings = read.model_copy(update={"server": now.server, "console": now.console})
        settings = renewed(settings, read)
        admission.entrance(settings)
        _check(settings)
        self.read = read.model_copy(update={"server": self.read.server, "console": self.read.console})
        return settings

    def _reload(self) -> str:
        if self.options.config is None:
            raise ConfigError("Viewgate was started without a settings file: restart Viewgate with --config FILE")
        read = settled(self.options)
        if bool(self.read.upstreams) != bool(read.upstreams):
            raise ConfigError(
                "[[upstream]] was added since the start: restart Viewgate to change to the servers of [[upstream]]"
                if read.upstreams
                else "[[upstream]] was removed since the start: restart Viewgate to change to its own Spark"
            )
        settings = renewed(self.now(), read)
        _check(settings)
        self.adopt(settings)
        taken = renewed(self.read, read)
        told = _told(differing(self.read, taken), differing(taken, read))
        self.read = taken
        return told


def renewed(now: Config, read: Config) -> Config:
    r"""Return the settings `now`, with the values of all reloadable keys replaced by those of `read`.

    >>> from proxy.config import parse
    >>> read = parse("[server]\nport = 7\n[authentication]\noperators = ['ann']")
    >>> renewed(parse(""), read).server.port, renewed(parse(""), read).authentication.operators
    (10000, frozenset({'ann'}))
    """
    server = now.server.model_copy(update={"tls": _renewed_files(now.server.tls, read.server.tls)})
    console = now.console.model_copy(update={"tls": _renewed_files(now.console.tls, read.console.tls)})
    login = {"user": read.pipeline.user, "password": read.pipeline.password}
    people = {"operators": read.authentication.operators, "proxy_users": read.authentication.proxy_users}
    return now.model_copy(
        update={
            "server": server,
            "console": console,
            "upstreams": read.upstreams,
            "pipeline": now.pipeline.model_copy(update=login),
            "authentication": now.authentication.model_copy(update=people),
        }
    )


def _renewed_files(now: C | None, read: C | None) -> C | None:
    """Return the certificate settings in effect, `now`, with the file names in `read`, the settings just read.

    Return `now` unchanged if there is no certificate in `now` or in `read` (None).
    """
    if now is None or read is None:
        return now
    return now.model_copy(update={"certificate": read.certificate, "key": read.key})


def _check(settings: Config) -> None:
    """Raise ConfigError if Viewgate could not apply the settings, for example for a wrong certificate file."""
    if settings.server.workers > 1:
        check_workers(settings)
    if settings.server.tls is not None:
        admission.tls(settings.server.tls)
    admission.console_tls(settings.console)
    links.upstreams(settings)


def _told(changed: list[str], waiting: list[str]) -> str:
    told = f"settings reloaded: {', '.join(changed) or 'no key has changed'}"
    return f"{told}; at the next start: {', '.join(waiting)}" if waiting else told
