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


def test_nothing_set_means_the_embedded_spark_on_the_usual_port():
    settings = config.parse("")
    assert settings == config.Config()
    assert (settings.server.host, settings.server.port, settings.upstreams) == ("127.0.0.1", 10000, ())


def test_a_remote_spark_with_any_property_of_its_catalog():
    settings = config.parse(REMOTE)
    assert settings.upstreams == (
        config.UpstreamAddress("spark", 10000),
        config.UpstreamAddress("spark2", 10009, "gate"),
    )
    assert settings.catalog == config.CatalogSettings(
        "lake",
        {
            "type": "sql",
            "uri": "sqlite:///x.db",
            "echo": "true",
            "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
        },
    )


def test_the_embedded_spark_takes_any_spark_setting():
    settings = config.parse('[embedded]\ndata = "d"\n[embedded.spark]\n"spark.driver.memory" = "8g"\n"x.y" = false')
    assert settings.embedded == config.EmbeddedSettings(Path("d"), {"spark.driver.memory": "8g", "x.y": "false"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nport = 70000", "[server] port is 70000: it must be a whole number from 0 (any free port) to 65535"),
        ("[server]\nport = true", "[server] port is True: it must be a whole number"),
        ("[server]\nhost = ''", "[server] host is '': it must be a text that is not empty"),
        ("[server]\nhots = 'x'", "[server] hots is not known: the keys are host, port"),
        ("[serve]\n", "[serve] is not known: the tables are server, upstream, catalog, pipeline, embedded"),
        ("server = 3", "server is 3: it must be a table, [server]"),
        ("[upstream]\nhost = 'x'", "[upstream] must be written [[upstream]]"),
        ("[[upstream]]\nport = 1", "[[upstream]] needs host"),
        ("[[upstream]]\nhost = 'x'\nport = 0", "[[upstream]] port is 0: it must be a whole number from 1 to 65535"),
        ("[[upstream]]\nhost = 'x'", "[[upstream]] needs [catalog]"),
        ("[catalog]\nname = 'x'\ntype = 'sql'", "[catalog] needs [[upstream]]"),
        ("[catalog]\ntype = 'sql'", '[catalog] needs name, for example name = "lake"'),
        ("[catalog]\nname = 'x'\ntype = 'sql'\nuri = ['a']", "[catalog] uri is ['a']: it must be a text, a number"),
        (REMOTE + "[embedded]\n", "[embedded] and [[upstream]] exclude each other"),
        ("[embedded.spark]\nmemory = [1]", "[embedded] spark is {'memory': [1]}: it must be a table of texts"),
        ("[server", "is not TOML"),
    ],
)
def test_what_is_refused_and_how(text, said):
    with pytest.raises(config.ConfigError) as refused:
        config.parse(text, "gate.toml")
    assert str(refused.value).startswith("gate.toml")
    assert said in str(refused.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(config.ConfigError, match=r"no\.toml cannot be read"):
        config.load(tmp_path / "no.toml")


def test_a_file(tmp_path):
    (tmp_path / "gate.toml").write_text("[pipeline]\nuser = 'batch'\n")
    assert config.load(tmp_path / "gate.toml").pipeline == config.PipelineSettings("batch")


def test_the_example_in_the_docstring_is_accepted():
    blocks = [block for block in (config.__doc__ or "").split("\n\n") if block.startswith("    [")]
    assert config.parse("\n\n".join(blocks[:-1])).catalog is not None
    assert config.parse(blocks[-1]).embedded.spark == {"spark.driver.memory": "8g"}
