"""Settings: one TOML file, checked at the start; paths in it are relative to its directory.

    [server]                      # the address at which clients connect
    host = "0.0.0.0"              # "::" accepts IPv6 clients, too
    port = 10000
    workers = 1                   # processes that share the port; more than one needs [[upstream]]

    [server.ports]                # additional ports, each for only one transport: sasl, nosasl, http
    http = 10001

    [[upstream]]                  # a running Spark Thrift Server; repeat the table for several servers
    host = "spark.example.org"
    port = 10000
    weight = 1                    # relative share of the sessions that this server gets
    sessions = 450                # most sessions at a time; further sessions wait, or replace idle sessions
    statements = 100              # most statements that run at a time; further statements wait
    draining = false              # true: no new sessions; idle sessions move to others (SIGHUP reloads this file)
    transport = "http"            # "sasl" (default), "http" (hive.server2.transport.mode) or "nosasl"
    path = "cliservice"           # the path of the HTTP URL (hive.server2.thrift.http.path)
    basic = true                  # HTTP basic authentication; false: no login except by `headers`
    impersonate = true            # send the client's user as hive.server2.proxy.user; default with Kerberos
    [upstream.headers]            # additional HTTP headers, such as a gateway in front of the server needs
    "X-Tenant" = "sales"
    [upstream.kerberos]           # log in with Kerberos tickets (needs the system's libgssapi_krb5)
    principal = "hive/_HOST@EXAMPLE.ORG" # the server's principal; _HOST stands for `host`
    keytab = "viewgate.keytab"    # has the keys of `client` (default: the first principal in the keytab)
    client = "viewgate@EXAMPLE.ORG"
    [upstream.tls]                # connect to the server over TLS (hive.server2.use.SSL)
    ca = "ca.pem"                 # the trusted authorities; default: the authorities that this machine trusts
    certificate = "client.pem"    # client certificate, for a server that requires one, with its private `key`
    key = "client.key"
    server_name = "spark"         # the host name in the server's certificate, if it differs from `host`

    [catalog]                     # the Iceberg catalog that this Spark uses; for several, repeat [[catalog]]
    name = "lake"                 # the name in Spark
    type = "sql"                  # or "rest" or "hive"; all further keys are properties of the pyiceberg catalog
    uri = "postgresql+psycopg2://user:password@db.example.org/iceberg"

    [pipeline]                    # the login at Spark for refresh jobs: `user` and `password`
    user = "viewgate"
    background = 2                # most background refreshes at once (default: 2; with [pipeline.spark]: 4)

    [pipeline.spark]              # run refresh jobs on another Spark: on a cluster, with this process as the driver
    "spark.master" = "spark://cluster.example.org:7077"
                                  # or on a Spark Connect server: "spark.remote" = "sc://connect.example.org:15002"

    [timeouts]                    # seconds; for Spark: connect, handshake, open, call, work, close
    call = 60                     # for a reply of Spark; `work` is for calls in which Spark may compute rows
    health = 10                   # interval between checks whether Spark opens sessions
    park = 300                    # idle time after which a session frees its slot on Spark
    catalog = 10                  # longest wait of a statement for the catalog; then Spark runs the statement unchanged

    [console]                     # web pages, /metrics, /healthz and /readyz, for operators
    host = "127.0.0.1"            # pages need a login if SQL does; /metrics, which names the views, never does
    port = 10081
    enabled = true
    [console.tls]                 # serve HTTPS
    certificate = "console.pem"   # with its chain
    key = "console.key"

    [journal]                     # where statements and refreshes are recorded
    file = "journal.jsonl"        # a line of JSON for each statement and refresh, in addition to the log
    table = "ops.statements"      # an Iceberg table that gets a row for each statement; for several catalogs, begin
                                  # with the name of one of them: "lake.ops.statements"
    refresh_table = "ops.refreshes" # an Iceberg table that gets a row for each refresh
    log = "text"                  # format of the log lines: "text" or "json"
    literals = true               # false: replace literals by ? in all records, in the log and in SHOW VIEWGATE

    [tracing]                     # OpenTelemetry spans of statements and refreshes (needs viewgate[tracing])
    endpoint = "http://otel.example.org:4318/v1/traces" # the collector's URL for OTLP over HTTP
    ratio = 1.0                   # traced share (0 to 1) of refreshes, and of statements without a traceparent
    [tracing.headers]             # additional HTTP headers, such as an API key for the collector
    "X-Api-Key" = "secret"

Authentication of clients, and their limits:

    [server.tls]                  # TLS, on the same ports as connections without TLS
    certificate = "server.pem"    # with its chain
    key = "server.key"
    required = true               # false (default): connections without TLS are accepted, too

    [authentication]              # without this table, any user name is accepted, as by default in Spark
    passwords = "passwords"       # a file of lines that `viewgate password NAME` prints
    operators = ["ann"]           # users who may see and end the statements of all users, and pause upstreams

    [authentication.ldap]         # check passwords by LDAP instead of a file (needs viewgate[ldap])
    url = "ldaps://ldap.example.org"
    user_dn = "uid={user},ou=people,dc=example,dc=org"
                                  # or base, filter, bind_dn, bind_password; also start_tls, ca_file, timeout

    [authentication.kerberos]     # also accept Kerberos tickets (needs the system's libgssapi_krb5)
    keytab = "viewgate.keytab"    # has the keys of the service; `principal`: accept only tickets for this principal
                                  # auth_to_local in krb5.conf maps principals to user names; sasl.qop is auth

    [authentication.jwt]          # also accept JSON Web Tokens, over HTTP (needs viewgate[jwt])
    keys = "keys.json"            # a JSON Web Key Set, a public key in PEM, or a shared secret
    audience = "viewgate"         # required audience; also `issuer`, and `claim`, which names the user (default "sub")

    [authentication.proxy_users]  # for each user, the users for whom this user may open sessions ("*": all)
    superset = ["*"]

    [limits]                      # seconds: handshake, idle (sessions over HTTP), grace, close, retire; and sizes:
    message = 104857600           # bytes of a message
    string = 104857600            # bytes of a string in a message
    container = 1000000           # elements of a list, set or map in a message; `nesting` (32): depth of nested values
    buffers = 1073741824          # bytes of all messages that have not arrived completely
    logins = 1000                 # connections without a login; a further one closes the oldest not being checked
    sessions = 20000              # open sessions of clients; those of operators (viewgate.system) count, too
    configuration = 65536         # bytes of the login and the settings with which a client opens a session

Without [[upstream]], Viewgate starts a Spark of its own, with a catalog `lake` in addition to each [[catalog]].
[embedded] configures this Spark:

    [embedded]
    data = ".viewgate"            # data directory of this Spark
    [embedded.spark]              # settings of this Spark
    "spark.driver.memory" = "8g"
"""

from proxy.config.kinds import Count, ListenPort, Workers, checked
from proxy.config.load import ConfigError, check_workers, load, parse
from proxy.config.tables import (
    DEFAULT_PORT,
    MASTER,
    OWN_CATALOG,
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
    "OWN_CATALOG",
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
    "check_workers",
    "checked",
    "load",
    "parse",
]
