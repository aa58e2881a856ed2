"""Reads the settings file; the error for an invalid setting names its table and key, and the allowed values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from proxy.config.tables import REMOTE, Config

_PLACE = re.compile(r"\(at line (\d+),")
# A line with one of these may hold a credential, in whatever table, list or URL.
_SECRET = re.compile("password|secret|token|credential|auth|uri|header|key|://", re.IGNORECASE)
_KEY = re.compile(r"""[\w.-]+|"[^"]*"|'[^']*'""")
_BARE = re.compile(r"""[^"'\[{#]""")


class ConfigError(Exception):
    """The error raised if a setting is invalid; its message has the setting's key and value, and the allowed values."""


def load(path: Path) -> Config:
    """Return the settings in a file, with paths relative to the file's directory.

    Raise ConfigError if the file cannot be read or has an invalid setting.
    """
    try:
        return parse(path.read_text(encoding="utf-8"), str(path), path.absolute().parent)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}; check the path and the file's permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text: save the file in UTF-8") from error


def parse(text: str, source: str = "viewgate.toml", directory: Path = Path()) -> Config:
    r"""Return the settings in a TOML text, with paths relative to `directory`; raise ConfigError if the text is
    invalid.

    `source` is the file's name for messages.

    >>> parse("[server]\nport = 10001").server.port
    10001
    >>> parse("[server]\nport = 'many'\n[limits]\nmesage = 1")
    Traceback (most recent call last):
    proxy.config.load.ConfigError: viewgate.toml: [server] port is 'many': it must be a whole number from 0 (any ...
    viewgate.toml: [limits] mesage is not known (did you mean message?): the keys are message, string, container, ...
    """
    try:
        settings = tomllib.loads(text)
        return Config.model_validate(settings, context={"directory": directory})
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_not_toml(source, text, error)) from error
    except ValidationError as error:
        raise ConfigError("\n".join(f"{source}: {_told(each, settings)}" for each in error.errors())) from None


def _not_toml(source: str, text: str, error: tomllib.TOMLDecodeError) -> str:
    r"""Return the message for a file that is not valid TOML, with the line of the error and the remedy.

    `source` is the file's name for messages.

    >>> parse("[catalog]\nname = lake")
    Traceback (most recent call last):
    proxy.config.load.ConfigError: viewgate.toml is not TOML: Invalid value (at line 2, column 8): `name = lake`; ...
    """
    found = _PLACE.search(str(error))
    if found is None:
        return f"{source} is not TOML: {error}"
    line = text.splitlines()[int(found[1]) - 1].strip() if text.strip() else ""
    key, equals, value = (part.strip() for part in line.partition("="))
    named = equals and _KEY.fullmatch(key)
    shown = line
    if _SECRET.search(line):
        shown = f"{key} = …" if named else "…"
    bare = named and _BARE.match(value)
    remedy = f'; text needs quotes, as in {key} = "…", and true and false are lower case' if bare else ""
    return f"{source} is not TOML: {error}: `{shown}`{remedy}"


def _told(error: ErrorDetails, settings: Mapping[str, Any]) -> str:
    """Return the message for one error that pydantic has found: the key or table, the value, and the allowed values.

    `settings` are the settings as the file has them.
    """
    keys = [part for part in error["loc"] if isinstance(part, str)]
    catalog = _catalog(error["loc"], settings)
    if error["type"] == "value_error":  # the error is about a whole table
        return " ".join([*_table(keys, catalog), str(error["ctx"]["error"])])
    shown = " ".join([*_table(keys[:-1], catalog), keys[-1]])
    if error["type"] == "not_allowed":
        return f"{shown} {error['msg']}"
    if error["type"] == "tuple_type":
        return f"[{keys[-1]}] must be written [[{keys[-1]}]]: there can be more than one"
    return f"{shown} must be a table, {' '.join(_table(keys))}"


def _catalog(place: tuple[int | str, ...], settings: Mapping[str, Any]) -> str:
    """Return the name of the catalog whose setting is at `place`, the path of keys and indexes to the setting.

    Return an empty text if the setting is not one of several catalogs, or if the catalog has no name.

    >>> _catalog(("catalog", 1, "type"), {"catalog": [{"name": "lake"}, {"name": "shop", "type": "glue"}]})
    'shop'
    """
    match place, settings:
        case ["catalog", int(at), *_], {"catalog": [_, _, *_] as catalogs}:
            name = catalogs[at].get("name") if isinstance(catalogs[at], dict) else None
            return name if isinstance(name, str) else ""
    return ""


def _table(keys: list[str], catalog: str = "") -> list[str]:
    """Return the name of a table as the settings file writes it, in a list; an empty list for the top level.

    `catalog` is the name of the catalog if the table is one of several catalogs.

    >>> _table(["server", "tls"]), _table(["upstream"]), _table(["catalog"], "shop"), _table([])
    (['[server.tls]'], ['[[upstream]]'], ['[[catalog]] shop:'], [])
    """
    name = ".".join(keys)
    if catalog and keys:
        return [f"[[{name}]] {catalog}:"]
    return [f"[[{name}]]" if name == "upstream" else f"[{name}]"] if keys else []


_STDOUT = frozenset(("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"))


def check_workers(settings: Config) -> None:
    """Raise ConfigError if the settings do not allow several workers; call it only if [server] workers is more than 1.

    Also raise ConfigError if `sessions` or `statements` of an upstream is smaller than the number of workers, because
    each worker gets an equal part of these limits.
    """
    count = settings.server.workers
    asked = f"[server] workers = {count}"
    if not settings.upstreams:
        raise ConfigError(
            f"{asked} needs [[upstream]], because the Spark that Viewgate starts itself belongs to one process: "
            "set workers = 1, or configure [[upstream]]"
        )
    if settings.pipeline.spark is not None and REMOTE not in settings.pipeline.spark:
        raise ConfigError(
            f"{asked} and [pipeline.spark] cannot be combined, unless [pipeline.spark] sets {REMOTE}: only one "
            "process can be the driver of a Spark application"
        )
    if str(settings.journal.file) in _STDOUT:
        raise ConfigError(
            f"{asked} and [journal] file = {str(settings.journal.file)!r} cannot be combined: the standard output of a "
            "worker is its channel to the main process; give a file"
        )
    for upstream in settings.upstreams:
        for key in ("sessions", "statements"):
            if getattr(upstream, key) < count:
                raise ConfigError(
                    f"[[upstream]] {key} of {upstream.host} is {getattr(upstream, key)}: it must be {count} or more, "
                    f"one for each of [server] workers"
                )
