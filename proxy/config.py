"""Settings: one TOML file, read and refused at start-up; paths in it are relative to its directory.

    [server]                      # where clients connect
    host = "0.0.0.0"              # "::" takes clients of IPv6, too
    port = 10000
    workers = 1                   # processes that share the port, before [[upstream]]

    [server.ports]                # more ports, each for one transport alone: sasl, nosasl, http
    http = 10001

    [[upstream]]                  # a Spark Thrift Server that runs elsewhere; may be given more than once
    host = "spark.example.org"
    port = 10000
    weight = 1                    # its share of the sessions
    sessions = 450                # at most; others wait, or idle ones make room
    statements = 100              # that run at a time; others wait
    draining = false              # true: no new sessions, and idle ones go elsewhere (SIGHUP reads this file again)

    [catalog]                     # the Iceberg catalog that this Spark uses, under the same name
    name = "lake"
    type = "sql"                  # and any other property of a pyiceberg catalog
    uri = "postgresql+psycopg2://user:password@db.example.org/iceberg"

    [pipeline]                    # who the refresh jobs are to that Spark
    user = "viewgate"

    [pipeline.spark]              # jobs elsewhere, with these settings: on a cluster, whose driver is this process
    "spark.master" = "spark://cluster.example.org:7077"
                                  # or on a Spark Connect server: "spark.remote" = "sc://connect.example.org:15002"

    [timeouts]                    # seconds that this Spark has: connect, handshake, open, call, work, close
    call = 60                     # for an answer; `work` is for calls that compute rows
    health = 10                   # between two looks whether it opens sessions
    park = 300                    # after which an idle session gives its place back
    catalog = 10                  # that a statement waits for the catalog; then it goes to Spark as it is

    [console]                     # /metrics, /healthz and /readyz over HTTP, for those who operate Viewgate
    host = "127.0.0.1"            # without a login: whoever reaches it may read the names of views and upstreams
    port = 10080
    enabled = true

    [journal]                     # what is kept of each statement and refresh
    file = "journal.jsonl"        # a line of JSON for each, besides the log
    literals = true               # false: ? in their place, in the file, the log, SHOW VIEWGATE and the system tables

Who may come in, and what they may take:

    [server.tls]                  # on the same port as everything else
    certificate = "server.pem"    # with its chain
    key = "server.key"
    required = true               # without, clients may still come in the clear

    [authentication]              # without, any name is believed, as Spark does it
    passwords = "passwords"       # lines that `viewgate password NAME` prints
    operators = ["ann"]           # who may see everybody's statements, end them, and pause upstreams

    [authentication.ldap]         # instead of a file: a directory (needs viewgate[ldap])
    url = "ldaps://ldap.example.org"
    user_dn = "uid={user},ou=people,dc=example,dc=org"
                                  # or: base, filter, bind_dn, bind_password; start_tls, ca_file

    [authentication.kerberos]     # and tickets of Kerberos (needs the system's libgssapi_krb5)
    keytab = "viewgate.keytab"    # with the keys of the service; principal, if only tickets for one are to be read
                                  # users are called as auth_to_local of krb5.conf has it; sasl.qop is auth

    [authentication.jwt]          # and tokens, over HTTP (needs viewgate[jwt])
    keys = "keys.json"            # a JSON Web Key Set, a public key in PEM, or a shared secret
    audience = "viewgate"         # issuer, claim ("sub")

    [authentication.proxy_users]  # who may open sessions for whom
    superset = ["*"]

    [limits]                      # seconds: handshake, idle (of a session over HTTP), grace, close; and bytes:
    message = 104857600           # of one message
    string = 104857600            # of a text in it
    container = 1000000           # elements of a list or map in it; nesting: how deep values are in one another (32)
    buffers = 1073741824          # of all messages that are not whole yet

Without [[upstream]] Viewgate starts a Spark of its own, and [embedded] says how:

    [embedded]
    data = ".viewgate"            # its directory
    [embedded.spark]              # and any setting of Spark
    "spark.driver.memory" = "8g"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.hs2.status import nearest
from proxy.settable import PATHS, TABLES

CONSOLE_PORT = 10080
# Where jobs run: settings of Spark's own.
MASTER, REMOTE = "spark.master", "spark.remote"


class ConfigError(Exception):
    """A setting that cannot be used: its key, its value, and what is allowed."""


@dataclass(frozen=True)
class TlsFiles:
    """The server's certificate, and whether nobody gets in without TLS."""

    certificate: Path
    key: Path
    required: bool = False


@dataclass(frozen=True)
class Listen:
    """Where clients connect; `ports` are more, each for one transport, by its name."""

    host: str = "127.0.0.1"
    port: int = 10000
    tls: TlsFiles | None = None
    workers: int = 1
    ports: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ConsoleSettings:
    """Where metrics and health are told over HTTP; without a `port`, at CONSOLE_PORT if that is free."""

    host: str = "127.0.0.1"
    port: int | None = None
    enabled: bool = True


@dataclass(frozen=True)
class JournalSettings:
    """What is kept of statements, and the file that gets it, too."""

    file: Path | None = None
    literals: bool = True


@dataclass(frozen=True)
class AuthenticationSettings:
    """Who is believed, by default everybody, and who may operate Viewgate.

    The tables hold what `Directory`, `Tokens.of` and `Kerberos` take.
    """

    passwords: Path | None = None
    ldap: Mapping[str, Any] | None = None
    jwt: Mapping[str, Any] | None = None
    kerberos: Mapping[str, str] | None = None
    proxy_users: Mapping[str, frozenset[str]] = field(default_factory=dict)
    operators: frozenset[str] = frozenset()

    @property
    def open_to_all(self) -> bool:
        """Whether any name is believed."""
        return not (self.passwords or self.ldap or self.jwt or self.kerberos)


@dataclass(frozen=True)
class UpstreamAddress:
    """A Spark Thrift Server; `user` and `password`, if given, instead of the client's own; how much it is given."""

    host: str
    port: int = 10000
    user: str | None = None
    password: str | None = None
    weight: float = 1
    sessions: int = 450
    statements: int = 100
    draining: bool = False


@dataclass(frozen=True)
class CatalogSettings:
    """The Iceberg catalog: the name that Spark knows it by, and pyiceberg's properties."""

    name: str
    properties: Mapping[str, str]


@dataclass(frozen=True)
class PipelineSettings:
    """Who the refresh jobs are to Spark; `spark`, if given, names another one than that of the clients."""

    user: str = "viewgate"
    password: str = ""
    spark: Mapping[str, str] | None = None


@dataclass(frozen=True)
class EmbeddedSettings:
    """The Spark that Viewgate starts itself."""

    data: Path = Path(".viewgate")
    spark: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Config:
    """Everything that can be set. Without upstreams, Viewgate has a Spark and a catalog of its own."""

    server: Listen = Listen()
    upstreams: tuple[UpstreamAddress, ...] = ()
    catalog: CatalogSettings | None = None
    pipeline: PipelineSettings = PipelineSettings()
    embedded: EmbeddedSettings = EmbeddedSettings()
    authentication: AuthenticationSettings = AuthenticationSettings()
    timeouts: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    catalog_timeout: float = 10.0
    console: ConsoleSettings = ConsoleSettings()
    journal: JournalSettings = JournalSettings()


def load(path: Path) -> Config:
    """Return the settings in a file."""
    try:
        return parse(path.read_text(encoding="utf-8"), str(path), path.absolute().parent)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def parse(text: str, source: str = "viewgate.toml", directory: Path = Path()) -> Config:
    r"""Return the settings in a text; the paths in it are relative to the directory.

    >>> parse("[server]\nport = 10001").server
    Listen(host='127.0.0.1', port=10001, tls=None, workers=1, ports={})
    >>> parse("[server]\nport = 'many'")
    Traceback (most recent call last):
    proxy.config.ConfigError: viewgate.toml: [server] port is 'many': it must be a whole number from 0 ... to 65535
    """
    try:
        document = tomllib.loads(text)
        return _config(_located(document, directory))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source} is not TOML: {error}") from error
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _located(document: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Return the document with its paths made relative to the directory; other values are checked later."""
    for name, keys in PATHS.items():
        table: Any = document
        for part in name.split("."):
            table = table.get(part) if isinstance(table, dict) else None
        for key in keys:
            if isinstance(table, dict) and isinstance(table.get(key), str) and table[key]:
                table[key] = str(directory / table[key])
    return document


def _config(document: dict[str, Any]) -> Config:
    for name in document:
        if name not in TABLES:
            tables = [table for table in TABLES if "." not in table]
            raise ConfigError(f"[{name}] is not known{nearest(name, tables)}: the tables are {', '.join(tables)}")
    upstreams = _each_once(tuple(UpstreamAddress(**table) for table in _upstreams(document)))
    catalog = _catalog(document)
    if upstreams and catalog is None:
        raise ConfigError("[[upstream]] needs [catalog]: the Iceberg catalog that this Spark uses, with its name there")
    if catalog is not None and not upstreams:
        raise ConfigError("[catalog] needs [[upstream]]: the Spark that Viewgate starts itself has its own catalog")
    if upstreams and "embedded" in document:
        raise ConfigError("[embedded] and [[upstream]] exclude each other: Spark is either started here or elsewhere")
    timeouts = dict(_table(document, "timeouts"))
    catalog_timeout = timeouts.pop("catalog", Config.catalog_timeout)
    return Config(
        _listen(document),
        upstreams,
        catalog,
        _pipeline(document, bool(upstreams)),
        _embedded(document),
        _authentication(document),
        timeouts,
        _table(document, "limits"),
        catalog_timeout,
        ConsoleSettings(**_table(document, "console")),
        _journal(document),
    )


def _listen(document: dict[str, Any]) -> Listen:
    table = dict(_table(document, "server"))
    files = table.pop("tls", None)
    _checked("server.ports", table.get("ports", {}))
    if files is None:
        return Listen(**table)
    _checked("server.tls", files)
    _needs("server.tls", files, certificate="server.pem", key="server.key")
    required = files.get("required", TlsFiles.required)
    return Listen(**table, tls=TlsFiles(Path(files["certificate"]), Path(files["key"]), required))


def _authentication(document: dict[str, Any]) -> AuthenticationSettings:
    table = _table(document, "authentication")
    for name in ("ldap", "jwt", "kerberos", "proxy_users"):
        _checked(f"authentication.{name}", table.get(name, {}))
    ldap, jwt, kerberos, passwords = (table.get(name) for name in ("ldap", "jwt", "kerberos", "passwords"))
    if ldap is not None:
        _needs("authentication.ldap", ldap, url="ldaps://ldap.example.org")
        if ("user_dn" in ldap) == ("base" in ldap):
            raise ConfigError("[authentication.ldap] needs user_dn, where users are, or base, below which to search")
        for key in ("user_dn", "filter"):
            if "{user}" not in ldap.get(key, "{user}"):
                raise ConfigError(f"[authentication.ldap] {key} is {ldap[key]!r}: it must contain {{user}}")
    if jwt is not None:
        _needs("authentication.jwt", jwt, keys="keys.json")
    if kerberos is not None:
        _needs("authentication.kerberos", kerberos, keytab="viewgate.keytab")
    if passwords is not None and ldap is not None:
        raise ConfigError("[authentication] passwords and [authentication.ldap] exclude each other")
    allowed = {name: frozenset(users) for name, users in table.get("proxy_users", {}).items()}
    operators = frozenset(table.get("operators", ()))
    return AuthenticationSettings(Path(passwords) if passwords else None, ldap, jwt, kerberos, allowed, operators)


def _journal(document: dict[str, Any]) -> JournalSettings:
    table = dict(_table(document, "journal"))
    file = table.pop("file", None)
    return JournalSettings(**table, file=None if file is None else Path(file))


def _needs(name: str, table: Mapping[str, Any], /, **examples: str) -> None:
    for key, example in examples.items():
        if key not in table:
            raise ConfigError(f'[{name}] needs {key}, for example {key} = "{example}"')


def _upstreams(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tables = document.get("upstream", [])
    if not isinstance(tables, list):
        raise ConfigError("[upstream] must be written [[upstream]]: there can be more than one")
    for table in tables:
        if "host" not in _checked("upstream", table):
            raise ConfigError("[[upstream]] needs host: the name or address of a Spark Thrift Server")
        yield table


def _each_once(upstreams: tuple[UpstreamAddress, ...]) -> tuple[UpstreamAddress, ...]:
    places = [(upstream.host, upstream.port) for upstream in upstreams]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None:
        raise ConfigError(f"[[upstream]] {twice[0]}:{twice[1]} is there twice: give it a greater weight instead")
    return upstreams


def _catalog(document: dict[str, Any]) -> CatalogSettings | None:
    if "catalog" not in document:
        return None
    properties = {key: _text(value) for key, value in _table(document, "catalog").items()}
    _needs("catalog", properties, name="lake", type="sql")
    return CatalogSettings(properties.pop("name"), properties)


def _pipeline(document: dict[str, Any], elsewhere: bool) -> PipelineSettings:
    table = dict(_table(document, "pipeline"))
    if "spark" not in table:
        return PipelineSettings(**table)
    settings = {key: _text(value) for key, value in table.pop("spark").items()}
    if not elsewhere:
        raise ConfigError(
            "[pipeline.spark] needs [[upstream]]: the Spark that Viewgate starts itself runs the jobs, too, and "
            "[embedded.spark] has its settings"
        )
    if MASTER in settings and REMOTE in settings:
        raise ConfigError(f"[pipeline.spark] {MASTER} and {REMOTE} exclude each other: jobs run on one of them")
    return PipelineSettings(**table, spark=settings)


def _embedded(document: dict[str, Any]) -> EmbeddedSettings:
    table = _table(document, "embedded")
    settings = {key: _text(value) for key, value in table.get("spark", {}).items()}
    return EmbeddedSettings(Path(table.get("data", EmbeddedSettings.data)), settings)


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    return _checked(name, document.get(name, {}))


def _checked(name: str, table: Any) -> dict[str, Any]:
    """Return the table, if each of its values is allowed."""
    shown = f"[[{name}]]" if name == "upstream" else f"[{name}]"
    if not isinstance(table, dict):
        raise ConfigError(f"{name} is {table!r}: it must be a table, {shown}")
    kinds = TABLES[name]
    for key, value in table.items():
        kind = kinds.get(key) or kinds.get("*")
        if kind is None:
            raise ConfigError(f"{shown} {key} is not known{nearest(key, kinds)}: the keys are {', '.join(kinds)}")
        if not kind.accepts(value):
            raise ConfigError(f"{shown} {key} is {value!r}: it must be {kind.allowed}")
    return table


def _text(value: str | float) -> str:
    """Return a value as pyiceberg and Spark take it.

    >>> _text(True), _text(3), _text("x")
    ('true', '3', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
