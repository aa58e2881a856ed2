"""Combines the settings of the file with the options of the command line, which override them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy import config
from proxy.config import Count, ListenPort, Workers


@dataclass(frozen=True)
class Options:
    """The options of the command line that override settings; None for an option that is not given.

    `config` is the settings file, `demo` the number of rows of demo data.
    """

    config: Path | None = None
    data: Path | None = None
    port: int | None = None
    workers: int | None = None
    demo: int | None = None


@dataclass(frozen=True)
class Selection:
    """The views that `viewgate refresh` refreshes, and the options of the refreshes.

    - `names`: the selected views; if there are no names, all views are selected
    - `every`: true if the option --all is given
    - `stale`: if true, the fresh views among the selected views are skipped
    - `full`: if true, the rows are recomputed even if an incremental refresh is possible
    - `where`: a SQL condition: only rows that satisfy the condition are refreshed; empty for all rows
    """

    names: tuple[str, ...] = ()
    every: bool = False
    stale: bool = False
    full: bool = False
    where: str = ""

    def check(self) -> None:
        """Raise ConfigError if the options select no view, or exclude each other.

        Views are selected by names, --all or --stale. Names and --all exclude each other; a condition (--where)
        requires names, and excludes --stale.
        """
        if self.names and self.every:
            raise config.ConfigError("the names of views and --all exclude each other: give only one of them")
        if not (self.names or self.every or self.stale):
            raise config.ConfigError("no view is selected: name the views to refresh, or give --all or --stale")
        if self.where and (self.stale or not self.names):
            raise config.ConfigError(
                "--where and --stale exclude each other: remove one of them"
                if self.stale
                else "--where is only for named views: name the views to refresh, instead of --all"
            )


def settled(options: Options) -> config.Config:
    """Return the settings of the file (the defaults without a file), overridden by the options.

    Raise ConfigError for an invalid file or option.
    """
    settings = config.load(options.config) if options.config else config.Config()
    if settings.upstreams and (options.data or options.demo):
        given = "--data" if options.data else "--demo"
        raise config.ConfigError(
            f"{given} is only for Viewgate's own Spark, but {options.config} has [[upstream]]: remove {given} "
            "or [[upstream]]"
        )
    _check("demo", Count, options)
    if options.demo and not (settings.authentication.open_to_all and not _tls_only(settings.server)):
        setting = "[server.tls] required" if settings.authentication.open_to_all else "[authentication]"
        raise config.ConfigError(
            f"--demo loads its data without a password and without TLS, but {options.config} has {setting}: remove "
            f"--demo or {setting}"
        )
    if options.data:
        settings = _changed(settings, "embedded", data=options.data)
    for name, kind in (("port", ListenPort), ("workers", Workers)):
        if (given := _check(name, kind, options)) is not None:
            settings = _changed(settings, "server", **{name: given})
    return settings


def _check(name: str, kind: Any, options: Options) -> Any:
    """Return the value of the option `name`, None if the option is not given.

    Raise ConfigError if the type `kind` of the setting does not allow the value.
    """
    value = getattr(options, name)
    try:
        return value if value is None else config.checked(f"--{name}", kind, value)
    except ValueError as error:
        raise config.ConfigError(str(error)) from None


def _changed(settings: config.Config, table: str, **keys: Any) -> config.Config:
    return settings.model_copy(update={table: getattr(settings, table).model_copy(update=keys)})


def _tls_only(listen: config.Listen) -> bool:
    return listen.tls is not None and listen.tls.required
