from __future__ import annotations

from pathlib import Path

import pytest

from proxy import config

REMOTE = """
[[upstream]]
host = "spark"
[[upstream]]
host = "spark2"
port = 10009
user = "gate"
[catalog]
name = "lake"
type = "sql"
uri = "sqlite:///x.db"
echo = true
"py-io-impl" = "pyiceberg.io.fsspec.FsspecFileIO"
"""
SALES = '[[catalog]]\nname = "sales"\ntype = "rest"\nuri = "http://catalog"\n'


def test_nothing_set_means_the_embedded_spark_on_the_usual_port() -> None:
    settings = config.parse("")
    assert settings == config.Config()
    assert (settings.server.host, settings.server.port, settings.upstreams) == ("127.0.0.1", 10000, ())


def test_a_remote_spark_with_any_property_of_its_catalog() -> None:
    settings = config.parse(REMOTE)
    assert settings.upstreams == (
        config.UpstreamAddress(host="spark", port=10000),
        config.UpstreamAddress(host="spark2", port=10009, user="gate"),
    )
    (catalog,) = settings.catalogs
    assert catalog.name == "lake"
    assert catalog.properties == {
        "type": "sql",
        "uri": f"sqlite:///{Path('x.db').absolute()}",
        "echo": "true",
        "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
    }


def test_several_catalogs() -> None:
    settings = config.parse(REMOTE.replace("[catalog]", "[[catalog]]") + SALES)
    assert [(catalog.name, catalog.type) for catalog in settings.catalogs] == [("lake", "sql"), ("sales", "rest")]
    assert settings.catalog_names == ("lake", "sales")
    assert config.parse(SALES + "[journal]\ntable = 'sales.ops.statements'").catalog_names == ("lake", "sales")


def test_the_warehouse_of_a_sql_catalog_may_be_a_setting_of_the_own_spark() -> None:
    shop = "[catalog]\nname = 'shop'\ntype = 'sql'\nuri = 'sqlite:///shop.db'\n"
    spark = "[embedded.spark]\n'spark.sql.catalog.shop.warehouse' = 'shop'\n"
    for text in (f"{shop}warehouse = 'shop'\n", shop + spark):
        assert config.parse(text).catalog_names == ("lake", "shop")


def test_jobs_may_have_a_spark_of_their_own() -> None:
    settings = config.parse(
        REMOTE + '[pipeline]\nuser = "u"\n[pipeline.spark]\n"spark.remote" = "sc://h"\n"x.y" = true\n'
    )
    assert settings.pipeline == config.PipelineSettings(user="u", spark={"spark.remote": "sc://h", "x.y": "true"})
    assert config.parse(REMOTE).pipeline.spark is None


def test_the_embedded_spark_takes_any_spark_setting() -> None:
    settings = config.parse('[embedded]\ndata = "d"\n[embedded.spark]\n"spark.driver.memory" = "8g"\n"x.y" = false')
    assert settings.embedded == config.EmbeddedSettings(
        data=Path("d"), spark={"spark.driver.memory": "8g", "x.y": "false"}
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nport = 70000", "[server] port is 70000: it must be a whole number from 0 (any free port) to 65535"),
        ("[server]\nport = true", "[server] port is True: it must be a whole number"),
        ("[server]\nhost = ''", "[server] host is '': it must be a text that is not empty"),
        (
            "[server]\nhots = 'x'",
            "[server] hots is not known (did you mean host?): the keys are host, port, workers, ports, tls",
        ),
        (
            "[serve]\n",
            "[serve] is not known (did you mean server?): the tables are server, console, journal, tracing",
        ),
        ("server = 3", "server must be a table, [server]"),
        ("[upstream]\nhost = 'x'", "[upstream] must be written [[upstream]]"),
        ("[[upstream]]\nport = 1", "[[upstream]] host is missing"),
        ("[[upstream]]\nhost = 'x'\nport = 0", "[[upstream]] port is 0: it must be a whole number from 1 to 65535"),
        ("[[upstream]]\nhost = 'x'", "[[upstream]] needs [catalog]"),
        ("[[upstream]]\nhost = 'x'\n[[upstream]]\nhost = 'x'", "[[upstream]] x:10000 is listed twice"),
        (
            "[catalog]\nname = 'lake'\ntype = 'sql'\nuri = 'sqlite://'",
            "[catalog] name is 'lake', the name of the catalog of the Spark that",
        ),
        (
            "[catalog]\nname = 'shop'\ntype = 'sql'\nuri = 'sqlite:///shop.db'",
            "[catalog] warehouse of shop is missing: the Spark that Viewgate starts itself needs it",
        ),
        (REMOTE.replace("[catalog]", "[[catalog]]") + SALES + SALES, "[[catalog]] sales is listed twice"),
        (REMOTE + SALES, "is not TOML"),
        (
            SALES + "[journal]\ntable = 'ops.statements'",
            "[journal] table is 'ops.statements': with several catalogs it",
        ),
        ("[catalog]\ntype = 'sql'", '[catalog] name is missing: add it, for example name = "lake"'),
        ("[catalog]\nname = 'x'\ntype = 'sql'\nuri = ['a']", "[catalog] uri must be a text, a number"),
        (REMOTE.replace('"sql"', '"sqll"'), "[catalog] type is 'sqll': it must be sql, rest or hive"),
        (
            REMOTE.replace("[catalog]", "[[catalog]]") + SALES.replace("rest", "glue"),
            "[[catalog]] sales: type is 'glue': it must be sql, rest or hive",
        ),
        (REMOTE.replace("uri", "url"), '[catalog] uri is missing: add it, for example uri = "postgresql+psycopg2://'),
        (
            REMOTE.replace("[catalog]", "[[catalog]]") + SALES.replace("http://catalog", ""),
            '[[catalog]] sales: uri is missing: add it, for example uri = "https://catalog.example.org"',
        ),
        ("[catalog]\nname = 'shop'\ntype = 'Hive'", 'uri is missing: add it, for example uri = "thrift://'),
        (SALES + '[[catalog]]\ntype = "rest"', '[catalog] name is missing: add it, for example name = "lake"'),
        (REMOTE + "[embedded]\n", "[embedded] and [[upstream]] cannot be combined"),
        ('[pipeline.spark]\n"spark.master" = "local[2]"', "[pipeline.spark] needs [[upstream]]"),
        (
            REMOTE + '[pipeline.spark]\n"spark.master" = "local[2]"\n"spark.remote" = "sc://h"\n',
            "[pipeline.spark] spark.master and spark.remote cannot be combined",
        ),
        ("[embedded.spark]\nmemory = [1]", "[embedded] spark must be a table of texts"),
        ("[server", "is not TOML"),
        ("[server]\ntls = 1", "[server] tls must be a table"),
        ("[server.tls]\ncertificate = 'c'", '[server.tls] key is missing: add it, for example key = "server.key"'),
        ("[server.tls]\ncertificate = 'c'\nkey = 'k'\nrequired = 'no'", "required is 'no': it must be true or false"),
        ("[authentication]\npasswords = 'p'\n[authentication.ldap]\nurl = 'u'\nbase = 'b'", "cannot be combined"),
        ("[authentication.ldap]\nbase = 'b'", "[authentication.ldap] url is missing"),
        (
            "[authentication.ldap]\nurl = 'u'",
            "user_dn is missing: set either user_dn (the pattern of a user's entry) or base (the entry below",
        ),
        ("[authentication.ldap]\nurl = 'u'\nuser_dn = 'uid=x'", "user_dn is 'uid=x': it must contain {user}"),
        ("[authentication.jwt]\naudience = 'a'", "[authentication.jwt] keys is missing"),
        ("[authentication.kerberos]\nprincipal = 'p'", "[authentication.kerberos] keytab is missing"),
        ("[authentication.proxy_users]\nbi = 'ann'", "[authentication.proxy_users] bi is 'ann': it must be a list of"),
        (
            "[server.ports]\nhttps = 1",
            "[server.ports] https is not known (did you mean http?): the keys are sasl, nosasl, http",
        ),
        ("[timeouts]\ncall = 0", "[timeouts] call is 0: it must be a number of seconds over 0"),
        ("[journal]\ntable = 'statements'", "[journal] table is 'statements': it must be a namespace and a name"),
        (
            "[tracing]\nratio = 0.5",
            '[tracing] endpoint is missing: add it, for example endpoint = "http://127.0.0.1:4318/v1/traces"',
        ),
        ("[tracing]\nendpoint = 'otel:4318'", "[tracing] endpoint is 'otel:4318': it must be a URL that begins with"),
        (
            "[journal]\ntable = 'o.s'\nrefresh_table = 'o.s'",
            "[journal] table and refresh_table must name two different tables",
        ),
        ("[limits]\nnesting = 8", "[limits] nesting is 8: it must be a whole number from 9"),
        ("[limits]\nmessage = 10", "[limits] message is 10: it must be a whole number of bytes, 65536 or more"),
    ],
)
def test_what_is_refused_and_how(text: str, said: str) -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.parse(text, "gate.toml")
    assert str(refused.value).startswith("gate.toml")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[catalog]\nname = lake # ours", '`name = lake # ours`; text needs quotes, as in name = "…"'),
        ("host = 10.0.0.1", '`host = 10.0.0.1`; text needs quotes, as in host = "…"'),
        ("draining = True", "true and false are lower case"),
        ('data = "C:\\data"', '`data = "C:\\data"`'),
        ("password = hidden", '`password = …`; text needs quotes, as in password = "…"'),
        ("port =\nhost = 1", "`port =`"),
        ('upstream = [{host="h", password="hidden" port=1}]', "`upstream = …`"),
        ('{host: "h", password: "hidden", port=1}', ": `…`"),
        ('ldap = {url="ldaps://h", bind_password="hidden"\n', "`ldap = …`"),
        ("endpoint = http://ann:hidden@h", '`endpoint = …`; text needs quotes, as in endpoint = "…"'),
    ],
)
def test_a_line_that_is_not_toml_is_quoted_with_a_remedy(text: str, said: str) -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.parse(text, "gate.toml")
    assert str(refused.value).startswith("gate.toml is not TOML: ")
    assert said in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_all_that_is_wrong_is_told_at_once_and_no_credential() -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.parse("[server]\nport = -1\n[pipeline]\npassword = 12345\n[limits]\nmesage = 1", "gate.toml")
    first, second, third = str(refused.value).splitlines()
    assert first.startswith("gate.toml: [server] port is -1")
    assert second.startswith("gate.toml: [limits] mesage is not known (did you mean message?)")
    assert third == "gate.toml: [pipeline] password must be a text"


@pytest.mark.parametrize(
    "text",
    [
        '[catalog]\nname = "x"\ntype = "rest"\n[catalog.auth]\nbasic = {username="u", password="hidden"}',
        '[catalog]\nname = "x"\ntype = "rest"\n"s3.secret-access-key" = ["hidden"]',
        '[catalog]\nname = {password="hidden"}',
        'catalog = [{password="hidden"}]',
        '[authentication]\nldap = "ldaps://ann:hidden@h"',
        '[pipeline]\nspark = {"a.password" = ["hidden"]}',
    ],
)
def test_no_refusal_quotes_a_credential(text: str) -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.parse(text, "gate.toml")
    assert "hidden" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(config.ConfigError, match=r"no\.toml cannot be read"):
        config.load(tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("setting", "allowed"),
    [
        ("weight = 0", "a number over 0"),
        ("sessions = 0", "a whole number, 1 or more"),
        ("statements = 1.5", "a whole number, 1 or more"),
        ("draining = 1", "true or false"),
    ],
)
def test_an_upstream_is_given_something_or_nothing(setting: str, allowed: str) -> None:
    with pytest.raises(config.ConfigError, match=rf"\[\[upstream\]\] {setting.split()[0]} is .*: it must be {allowed}"):
        config.parse(f"[[upstream]]\nhost = 'h'\n{setting}\n")


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[pipeline]\nuser = 'batch'\n")
    assert config.load(tmp_path / "gate.toml").pipeline == config.PipelineSettings(user="batch")


def test_the_examples_in_the_docstring_are_accepted() -> None:
    """Each example stands for itself, because some of them cannot be combined."""
    documented = [block for block in (config.__doc__ or "").split("\n\n") if block.startswith("    [")]
    by_name = {block.split("]")[0].strip().lstrip("["): block for block in documented}
    assert config.parse(by_name.pop("embedded")).embedded.spark == {"spark.driver.memory": "8g"}
    ldap = by_name.pop("authentication.ldap")
    settings = config.parse("\n".join(by_name.values()))
    assert [catalog.name for catalog in settings.catalogs] == ["lake"]
    assert settings.server.tls == config.TlsFiles(certificate=Path("server.pem"), key=Path("server.key"), required=True)
    assert settings.authentication.proxy_users == {"superset": frozenset({"*"})}
    assert settings.timeouts.upstream == {"call": 60, "health": 10, "park": 300}
    assert settings.timeouts.catalog == 10
    assert config.parse(ldap).authentication.ldap is not None
    assert config.parse("").authentication.open_to_all
    assert not settings.authentication.open_to_all


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(
        """
        [server.tls]
        certificate = "server.pem"
        key = "/etc/server.key"
        [authentication]
        passwords = "passwords"
        [authentication.jwt]
        keys = "keys.json"
        [authentication.kerberos]
        keytab = "viewgate.keytab"
        [embedded]
        data = "../data"
        """
    )
    settings = config.load(tmp_path / "gate.toml")
    assert settings.server.tls == config.TlsFiles(certificate=tmp_path / "server.pem", key=Path("/etc/server.key"))
    assert settings.authentication.passwords == tmp_path / "passwords"
    assert settings.authentication.jwt == config.JwtSettings(keys=tmp_path / "keys.json")
    assert settings.authentication.kerberos == config.KerberosSettings(keytab=tmp_path / "viewgate.keytab")
    assert settings.embedded.data == tmp_path / ".." / "data"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ('type = "sql"\nuri = "sqlite:///catalog.db"\nwarehouse = "files/lake"',
         {"uri": "sqlite:///{}/catalog.db", "warehouse": "{}/files/lake"}),
        ('type = "SQL"\nuri = "sqlite:////data/catalog.db"\nwarehouse = "s3://lake/files"',
         {"uri": "sqlite:////data/catalog.db", "warehouse": "s3://lake/files"}),
        ('type = "sql"\nuri = "postgresql+psycopg2://db/iceberg"\nwarehouse = "file:/data"',
         {"uri": "postgresql+psycopg2://db/iceberg", "warehouse": "file:/data"}),
        ('type = "sql"\nuri = "sqlite:///:memory:"\nwarehouse = "/data"',
         {"uri": "sqlite:///:memory:", "warehouse": "/data"}),
        ('type = "rest"\nuri = "http://catalog"\nwarehouse = "lake"', {"uri": "http://catalog", "warehouse": "lake"}),
    ],
)  # fmt: skip
def test_the_paths_of_a_sql_catalog_are_relative_to_the_file(given: str, read: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "viewgate.toml"
    file.write_text(f'[[upstream]]\nhost = "spark"\n[catalog]\nname = "lake"\n{given}\n')
    (catalog,) = config.load(file).catalogs
    properties = catalog.properties
    assert {key: properties[key] for key in read} == {key: value.format(tmp_path) for key, value in read.items()}


def test_the_ca_file_of_a_directory_is_relative_to_the_file(tmp_path: Path) -> None:
    ldap = '[authentication.ldap]\nurl = "ldaps://h"\nbase = "dc=x"\nca_file = "ca.pem"\n'
    (tmp_path / "gate.toml").write_text(ldap)
    found = config.load(tmp_path / "gate.toml").authentication.ldap
    assert found is not None
    assert found.ca_file == tmp_path / "ca.pem"


def test_without_a_path_in_the_file_data_is_where_viewgate_is_started(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[server]\nport = 0\n")
    assert config.load(tmp_path / "gate.toml").embedded.data == Path(".viewgate")
