"""Settings: one TOML file, checked at the start; paths in it are relative to its directory.

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
    transport = "http"            # hive.server2.transport.mode; "sasl" is the default, and there is "nosasl"
    path = "cliservice"           # of HTTP (hive.server2.thrift.http.path)
    basic = true                  # log in by basic authentication; false: not at all, but for `headers`
    impersonate = true            # hand on the client's name as hive.server2.proxy.user; [upstream.kerberos] does
    [upstream.headers]            # more headers of HTTP, for a gateway before the server
    "X-Tenant" = "sales"
    [upstream.kerberos]           # log in by tickets (needs the system's libgssapi_krb5)
    principal = "hive/_HOST@EXAMPLE.ORG" # of the server; _HOST is `host`
    keytab = "viewgate.keytab"    # with the keys of `client`, or of whom it has first
    client = "viewgate@EXAMPLE.ORG"
    [upstream.tls]                # the server speaks TLS (hive.server2.use.SSL)
    ca = "ca.pem"                 # whose certificates are trusted; without, those that this machine trusts
    certificate = "client.pem"    # shown to a server that wants one, with its `key`
    key = "client.key"
    server_name = "spark"         # the name that its certificate has, if that is not `host`

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

    [console]                     # pages in a browser, /metrics, /healthz and /readyz, for those who operate Viewgate
    host = "127.0.0.1"            # pages ask for a login where SQL does; metrics, with the names of views, do not
    port = 10081
    enabled = true
    [console.tls]                 # over HTTPS
    certificate = "console.pem"   # with its chain
    key = "console.key"

    [journal]                     # what is kept of each statement and refresh
    file = "journal.jsonl"        # a line of JSON for each, besides the log
    table = "ops.statements"      # and a row for each statement in an Iceberg table of the catalog
    refresh_table = "ops.refreshes" # and one for each refresh in another
    log = "text"                  # or json: how the lines of the log are written
    literals = true               # false: ? in their place, in the file, the log, SHOW VIEWGATE and the system tables

    [tracing]                     # spans of each statement for OpenTelemetry (needs viewgate[tracing])
    endpoint = "http://otel.example.org:4318/v1/traces" # where the collector takes OTLP over HTTP
    ratio = 1.0                   # of the statements whose client sends no traceparent
    [tracing.headers]             # more headers, such as a key of the collector's
    "X-Api-Key" = "secret"

Authentication of clients, and their limits:

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

    [limits]                      # seconds: handshake, idle (over HTTP), grace, close, retire; and bytes:
    message = 104857600           # of one message
    string = 104857600            # of a text in it
    container = 1000000           # elements of a list or map in it; nesting: how deep values are in one another (32)
    buffers = 1073741824          # of all messages that are not whole yet

Without [[upstream]], Viewgate starts a Spark of its own, which [embedded] configures:

    [embedded]
    data = ".viewgate"            # its directory
    [embedded.spark]              # and any setting of Spark
    "spark.driver.memory" = "8g"
"""

from proxy.config.kinds import Count, ListenPort, Workers, checked
from proxy.config.load import ConfigError, load, parse
from proxy.config.tables import (
    DEFAULT_PORT,
    MASTER,
    REMOTE,
    AuthenticationSettings,
    CatalogSettings,
    Certificate,
    Config,
    ConsoleSettings,
    EmbeddedSettings,
    JournalSettings,
    JwtSettings,
    KerberosSettings,
    LdapSettings,
    LimitSettings,
    Listen,
    PipelineSettings,
    Ports,
    Table,
    TimeoutSettings,
    TlsFiles,
    TracingSettings,
    UpstreamAddress,
    UpstreamKerberos,
    UpstreamTls,
)

CONSOLE_PORT = 10081  # browsers refuse 10080: https://fetch.spec.whatwg.org/#port-blocking

__all__ = [
    "CONSOLE_PORT",
    "DEFAULT_PORT",
    "MASTER",
    "REMOTE",
    "AuthenticationSettings",
    "CatalogSettings",
    "Certificate",
    "Config",
    "ConfigError",
    "ConsoleSettings",
    "Count",
    "EmbeddedSettings",
    "JournalSettings",
    "JwtSettings",
    "KerberosSettings",
    "LdapSettings",
    "LimitSettings",
    "Listen",
    "ListenPort",
    "PipelineSettings",
    "Ports",
    "Table",
    "TimeoutSettings",
    "TlsFiles",
    "TracingSettings",
    "UpstreamAddress",
    "UpstreamKerberos",
    "UpstreamTls",
    "Workers",
    "checked",
    "load",
    "parse",
]
