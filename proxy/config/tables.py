"""The tables of the settings file as pydantic models: their keys, allowed values and defaults."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from proxy.config.kinds import (
    Bytes,
    CatalogType,
    Count,
    Depth,
    File,
    Headers,
    HttpPath,
    HttpUrl,
    ListenPort,
    LogForm,
    Password,
    Port,
    Ratio,
    Scalar,
    Scalars,
    Seconds,
    Share,
    TableId,
    Text,
    Texts,
    TransportName,
    Truth,
    Workers,
)
from proxy.hs2.status import nearest

DEFAULT_PORT = 10000
OWN_CATALOG = "lake"  # the catalog of the Spark that Viewgate starts itself
# Spark's own settings that say where refresh jobs run.
MASTER, REMOTE = "spark.master", "spark.remote"
_URIS = {
    "sql": "postgresql+psycopg2://user:password@db.example.org/iceberg",
    "rest": "https://catalog.example.org",
    "hive": "thrift://metastore.example.org:9083",
}
_SQLITE = re.compile(r"sqlite:///([^/:?][^?]*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Table(BaseModel):
    """A table of the settings file.

    Values of a wrong type, unknown keys and missing required keys raise an error. The message for a missing required
    key has an example of a value.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @property
    def given(self) -> dict[str, Any]:
        """The keys that the settings file sets, with their values."""
        return self.model_dump(exclude_unset=True)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        known = {str(field.validation_alias or name): field for name, field in cls.model_fields.items()}
        if cls.model_config.get("extra") == "forbid":
            for key in table:
                if key not in known and key not in cls.model_fields:
                    raise ValueError(cls._unknown(key, list(known)))
        for key, field in known.items():
            if field.is_required() and key not in table:
                (example,) = field.examples or ["…"]
                raise ValueError(f'{key} is missing: add it, for example {key} = "{example}"')
        return table

    @classmethod
    def _unknown(cls, key: str, known: list[str]) -> str:
        return f"{key} is not known{nearest(key, known)}: the keys are {', '.join(known)}"


class Certificate(Table):
    """The files of a certificate (with its chain) and of its private key."""

    certificate: File = Field(examples=["server.pem"])
    key: File = Field(examples=["server.key"])


class TlsFiles(Certificate):
    """The certificate of the SQL port. If `required` is true, connections without TLS are refused."""

    required: Truth = False


class Ports(Table):
    """Additional ports, each for only one transport; None if a transport has no such port."""

    sasl: Port | None = None
    nosasl: Port | None = None
    http: Port | None = None


class Listen(Table):
    """The addresses and ports at which clients connect, and the number of worker processes."""

    host: Text = "127.0.0.1"
    port: ListenPort = DEFAULT_PORT
    workers: Workers = 1
    ports: Ports = Ports()
    tls: TlsFiles | None = None


class ConsoleSettings(Table):
    """The address of the console's pages, metrics and health checks.

    Without `port`, the console listens on port 10081 (CONSOLE_PORT), or is off if this port is
    taken. A `port` that is taken is an error.
    """

    host: Text = "127.0.0.1"
    port: ListenPort | None = None
    enabled: Truth = True
    tls: Certificate | None = None


class JournalSettings(Table):
    """The settings of the journal of statements and refreshes: the places where records are stored, and their form.

    Records are appended to `file`, and to the Iceberg tables `table` (statements) and `refresh_table` (refreshes);
    without these three, records are only kept in memory and logged. `log` is the format of all lines in Viewgate's log.
    If `literals` is false, the literals in statements are replaced by `?` in all records.
    """

    file: File | None = None
    table: TableId | None = None
    refresh_table: TableId | None = None
    log: LogForm = "text"
    literals: Truth = True

    @model_validator(mode="after")
    def _check_two_tables(self) -> Self:
        if self.table is not None and self.table == self.refresh_table:
            raise ValueError("table and refresh_table must name two different tables, because their columns differ")
        return self


class TracingSettings(Table):
    """The OpenTelemetry collector that gets spans, at `endpoint`, with additional HTTP headers.

    `ratio` is the traced share (0 to 1) of refreshes, and of statements for which the client has not started a trace.
    """

    endpoint: HttpUrl = Field(examples=["http://127.0.0.1:4318/v1/traces"])
    headers: Headers = Field(default={}, repr=False)
    ratio: Ratio = 1.0


class LdapSettings(Table):
    """An LDAP directory that checks passwords, and the rule by which a user's entry is found in the directory."""

    url: Text = Field(examples=["ldaps://ldap.example.org"])
    user_dn: Text | None = None
    base: Text | None = None
    filter: Text | None = None
    bind_dn: Text | None = None
    bind_password: Password | None = None
    ca_file: File | None = None
    start_tls: Truth = False
    timeout: Seconds | None = None

    @model_validator(mode="after")
    def _check_search(self) -> Self:
        if (self.user_dn is None) == (self.base is None):
            problem = "is missing" if self.base is None else "cannot be combined with base"
            raise ValueError(
                f"user_dn {problem}: set either user_dn (the pattern of a user's entry) or base (the entry below which "
                "users are searched)"
            )
        for key, pattern in (("user_dn", self.user_dn), ("filter", self.filter)):
            if pattern is not None and "{user}" not in pattern:
                raise ValueError(f"{key} is {pattern!r}: it must contain {{user}}")
        return self


class JwtSettings(Table):
    """The file with the keys that verify JSON Web Tokens, and the claims that a token must have."""

    keys: File = Field(examples=["keys.json"])
    audience: Text | None = None
    issuer: Text | None = None
    claim: Text | None = None


class KerberosSettings(Table):
    """The keytab of the service, and the principal whose tickets are accepted (None: all principals in the keytab)."""

    keytab: File = Field(examples=["viewgate.keytab"])
    principal: Text | None = None


class AuthenticationSettings(Table):
    """The settings of logins (by default, no login is checked) and impersonation, and the users who may operate
    Viewgate.

    `proxy_users` maps each user to the users for whom this user may act.
    """

    passwords: File | None = None
    ldap: LdapSettings | None = None
    jwt: JwtSettings | None = None
    kerberos: KerberosSettings | None = None
    proxy_users: dict[str, Texts] = {}
    operators: Texts = frozenset()

    @property
    def open_to_all(self) -> bool:
        """Whether any user name is accepted without a check."""
        return not (self.passwords or self.ldap or self.jwt or self.kerberos)

    @model_validator(mode="after")
    def _check_one_source(self) -> Self:
        if self.passwords is not None and self.ldap is not None:
            raise ValueError(
                "passwords (a password file) and [authentication.ldap] cannot be combined: remove one of them"
            )
        return self


class TimeoutSettings(Table):
    """The time limits for Spark and the catalog, in seconds; None selects the default in `Timeouts`."""

    connect: Seconds | None = None
    handshake: Seconds | None = None
    open: Seconds | None = None
    call: Seconds | None = None
    work: Seconds | None = None
    close: Seconds | None = None
    health: Seconds | None = None
    park: Seconds | None = None
    catalog: Seconds = 10.0

    @property
    def upstream(self) -> dict[str, float]:
        """The configured time limits for Spark, in seconds."""
        return {key: seconds for key, seconds in self.given.items() if key != "catalog"}


class LimitSettings(Table):
    """The limits on messages (bytes, elements) and connections (seconds); None selects the default in `Limits`."""

    message: Bytes | None = None
    string: Bytes | None = None
    container: Count | None = None
    nesting: Depth | None = None
    buffers: Bytes | None = None
    logins: Count | None = None
    sessions: Count | None = None
    configuration: Bytes | None = None
    handshake: Seconds | None = None
    idle: Seconds | None = None
    grace: Seconds | None = None
    close: Seconds | None = None
    retire: Seconds | None = None


class UpstreamTls(Table):
    """TLS to an upstream: the trusted authorities, the client's certificate, and the name in the server's certificate.

    If `ca` is None, the authorities that this machine trusts are trusted; without `certificate`, Viewgate sends no
    client certificate; if `server_name` is None, the server's certificate must have the upstream's host name.
    """

    ca: File | None = None
    certificate: File | None = None
    key: File | None = None
    server_name: Text | None = None

    @model_validator(mode="after")
    def _check_pair(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            missing = "key" if self.key is None else "certificate"
            raise ValueError(f"{missing} is missing: set both certificate and key, or none of them")
        return self


class UpstreamKerberos(Table):
    """The Kerberos principal of the server, and the keytab with which Viewgate logs in.

    `client` selects the principal in the keytab (None: the first principal).
    """

    principal: Text = Field(examples=["hive/_HOST@EXAMPLE.ORG"])
    keytab: File = Field(examples=["viewgate.keytab"])
    client: Text | None = None


class UpstreamAddress(Table):
    """A Spark Thrift Server: its address and transport, Viewgate's login, and the limits on its use.

    Without `user`, `password` and `kerberos`, Viewgate logs in with the client's own user name.
    """

    host: Text = Field(examples=["spark.example.org"])
    port: Port = 10000
    user: Text | None = None
    password: Password | None = None
    weight: Share = 1.0
    sessions: Count = 450
    statements: Count = 100
    draining: Truth = False
    transport: TransportName = "sasl"
    path: HttpPath = "cliservice"
    headers: Headers = Field(default={}, repr=False)
    basic: Truth = True
    impersonate: Truth | None = None
    kerberos: UpstreamKerberos | None = None
    tls: UpstreamTls | None = None

    @model_validator(mode="after")
    def _check_login(self) -> Self:
        if self.kerberos is not None and (self.user or self.password):
            raise ValueError(
                f"{'user' if self.user else 'password'} cannot be combined with [upstream.kerberos]: remove one of them"
            )
        if self.kerberos is not None and self.transport == "nosasl":
            raise ValueError('[upstream.kerberos] needs a transport with a login: set transport to "sasl" or "http"')
        return self

    @model_validator(mode="after")
    def _check_transport(self) -> Self:
        over_http = next((key for key in ("path", "headers", "basic") if key in self.model_fields_set), None)
        if over_http and self.transport != "http":
            raise ValueError(f'{over_http} is used only over HTTP: set transport = "http", or remove {over_http}')
        return self


class CatalogSettings(Table):
    """An Iceberg catalog: its name in Spark, and all other keys of the table, which are properties of the pyiceberg
    catalog.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Scalar] = Field(init=False)

    @model_validator(mode="before")
    @classmethod
    def _locate(cls, table: Any, info: ValidationInfo) -> Any:
        """Make relative paths of a SQL catalog absolute, starting from the directory of the settings file.

        The paths are the SQLite file in `uri`, and `warehouse`; other URIs are returned unchanged.
        """
        directory: Path | None = (info.context or {}).get("directory")
        if directory is None or not isinstance(table, dict) or str(table.get("type")).lower() != "sql":
            return table
        uri, warehouse = table.get("uri"), table.get("warehouse")
        located = {}
        if isinstance(uri, str) and (found := _SQLITE.fullmatch(uri)):
            located["uri"] = f"sqlite:///{directory.absolute() / found[1]}"
        if isinstance(warehouse, str) and warehouse and not _SCHEME.match(warehouse):
            located["warehouse"] = str(directory.absolute() / warehouse)
        return table | located

    name: Text = Field(examples=["lake"])
    type: CatalogType = Field(examples=["sql"])

    @property
    def properties(self) -> dict[str, str]:
        """The properties for pyiceberg: `type`, and all keys but `name`."""
        return {"type": self.type, **(self.model_extra or {})}

    @model_validator(mode="after")
    def _check_uri(self) -> Self:
        """Raise ValueError for a catalog without a URI: pyiceberg cannot open a catalog of any of these types then."""
        if not self.properties.get("uri"):
            raise ValueError(f'uri is missing: add it, for example uri = "{_URIS[self.type.lower()]}"')
        return self


class PipelineSettings(Table):
    """The Spark login of refresh jobs; `spark`, if set, has the settings of a separate Spark for refresh jobs.

    `background` is the largest number of simultaneous background refreshes (those for which no statement waits); None
    selects the default.
    """

    user: Text = "viewgate"
    password: Password = ""
    background: Count | None = None
    spark: Scalars | None = None

    @field_validator("spark")
    @classmethod
    def _check_one_place(cls, settings: dict[str, str] | None) -> dict[str, str] | None:
        if settings and MASTER in settings and REMOTE in settings:
            raise ValueError(
                f"{MASTER} and {REMOTE} cannot be combined: keep the setting of the Spark that should run refresh jobs"
            )
        return settings


class EmbeddedSettings(Table):
    """The Spark that Viewgate starts itself: its data directory, and its Spark settings."""

    data: File = Path(".viewgate")
    spark: Scalars = {}


def _listed(table: Any) -> Any:
    """Return `[catalog]`, the form for a single catalog, as a list of one table; return any other value unchanged."""
    return table if isinstance(table, list | tuple) else [table]


class Config(Table):
    """All settings. Without upstreams, Viewgate starts its own Spark, with an Iceberg catalog of its own."""

    server: Listen = Listen()
    console: ConsoleSettings = ConsoleSettings()
    journal: JournalSettings = JournalSettings()
    tracing: TracingSettings | None = None
    authentication: AuthenticationSettings = AuthenticationSettings()
    timeouts: TimeoutSettings = TimeoutSettings()
    limits: LimitSettings = LimitSettings()
    upstreams: tuple[UpstreamAddress, ...] = Field(default=(), validation_alias="upstream", strict=False)
    catalogs: Annotated[tuple[CatalogSettings, ...], BeforeValidator(_listed)] = Field(
        default=(), validation_alias="catalog", strict=False
    )
    pipeline: PipelineSettings = PipelineSettings()
    embedded: EmbeddedSettings = EmbeddedSettings()

    model_config = ConfigDict(validate_by_name=True)

    @property
    def starts_spark(self) -> bool:
        """Whether Viewgate starts a Spark of its own, because there are no upstreams."""
        return not self.upstreams

    @property
    def catalog_names(self) -> tuple[str, ...]:
        """The names of all catalogs in Spark; the catalog of Viewgate's own Spark, if there is one, comes first."""
        return (*((OWN_CATALOG,) if self.starts_spark else ()), *(catalog.name for catalog in self.catalogs))

    @classmethod
    def _unknown(cls, key: str, known: list[str]) -> str:
        return f"[{key}] is not known{nearest(key, known)}: the tables are {', '.join(known)}"

    @model_validator(mode="after")
    def _check_each_once(self) -> Self:
        places = [(upstream.host, upstream.port) for upstream in self.upstreams]
        for host, port in places:
            if places.count((host, port)) > 1:
                raise ValueError(
                    f"[[upstream]] {host}:{port} is listed twice: list this server once, with a greater weight"
                )
        names = [catalog.name for catalog in self.catalogs]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(
                f"[[catalog]] {twice} is listed twice: remove one of the two, or give it the name of another catalog "
                "of Spark"
            )
        if self.starts_spark and OWN_CATALOG in names:
            raise ValueError(
                f"[catalog] name is {OWN_CATALOG!r}, the name of the catalog of the Spark that Viewgate starts itself: "
                "choose another name, or configure [[upstream]], the Spark that has this catalog"
            )
        return self

    @model_validator(mode="after")
    def _check_warehouses(self) -> Self:
        """Raise ValueError for a SQL catalog without a warehouse in the Spark that Viewgate starts itself.

        Iceberg's JDBC catalog does not start without one: each statement over the catalog would fail in Spark.
        """
        for catalog in self.catalogs if self.starts_spark else ():
            given = catalog.properties.get("warehouse") or self.embedded.spark.get(
                f"spark.sql.catalog.{catalog.name}.warehouse"
            )
            if catalog.type.lower() == "sql" and not given:
                raise ValueError(
                    f"[catalog] warehouse of {catalog.name} is missing: the Spark that Viewgate starts itself needs it "
                    'for a catalog of type sql; add it, for example warehouse = "warehouse", the folder of new tables'
                )
        return self

    @model_validator(mode="after")
    def _check_catalog_of_journal(self) -> Self:
        if len(self.catalog_names) == 1:
            return self
        for key in ("table", "refresh_table"):
            table: str | None = getattr(self.journal, key)
            if table is not None and (table.split(".")[0] not in self.catalog_names or table.count(".") < 2):
                raise ValueError(
                    f"[journal] {key} is {table!r}: with several catalogs it must have the form "
                    f"catalog.namespace.table, with one of the catalogs {', '.join(self.catalog_names)}"
                )
        return self

    @model_validator(mode="after")
    def _check_names_handed_on(self) -> Self:
        """Raise ValueError if Viewgate would pass user names to Spark that no login has checked.

        This is the case if [upstream.kerberos] is set, so that Viewgate acts for the client's user by default, but
        [authentication] is not configured.
        """
        handed = any(one.kerberos is not None and one.impersonate is None for one in self.upstreams)
        if handed and self.authentication.open_to_all:
            raise ValueError(
                "[upstream.kerberos] would pass unchecked user names to Spark: configure [authentication], or set "
                "`impersonate = true` in [[upstream]]"
            )
        return self

    @model_validator(mode="after")
    def _check_one_spark(self) -> Self:
        if self.upstreams and not self.catalogs:
            raise ValueError(
                "[[upstream]] needs [catalog]: add [catalog], the Iceberg catalog of this Spark, with the name that it "
                "has in Spark"
            )
        if self.upstreams and "embedded" in self.model_fields_set:
            raise ValueError(
                "[embedded] and [[upstream]] cannot be combined: Viewgate either starts Spark or connects to "
                "running servers; remove one of the two"
            )
        if self.pipeline.spark is not None and not self.upstreams:
            raise ValueError(
                "[pipeline.spark] needs [[upstream]]: without [[upstream]], Viewgate starts a Spark of its own, which "
                "also runs the refresh jobs; move the settings to [embedded.spark], or configure [[upstream]]"
            )
        return self
