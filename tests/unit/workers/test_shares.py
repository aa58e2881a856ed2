from __future__ import annotations

import pytest

from proxy import config
from proxy.workers import share

REMOTE = "[[upstream]]\nhost = 'spark'\n{upstream}[catalog]\nname = 'lake'\ntype = 'sql'\nuri = 'sqlite://'\n{more}"


def settings(upstream: str = "", more: str = "", workers: int = 3) -> config.Config:
    server = f"[server]\nworkers = {workers}\n"
    return config.parse(server + REMOTE.format(upstream=upstream, more=more))


def test_all_parts_together_are_the_whole() -> None:
    whole = settings("sessions = 10\nstatements = 5\n", "[limits]\nbuffers = 300000\nsessions = 9\ngrace = 1\n")
    parts = [share(whole, number) for number in (1, 2, 3)]
    assert [part.upstreams[0].sessions for part in parts] == [4, 3, 3]
    assert [part.upstreams[0].statements for part in parts] == [2, 2, 1]
    assert [part.limits.given for part in parts] == [{"buffers": 100000, "logins": 333, "sessions": 3, "grace": 1}] * 3
    assert [part.server for part in parts] == [whole.server] * 3


def test_the_default_of_what_is_not_set_is_divided_too() -> None:
    assert share(settings(), 1).limits.given == {"buffers": 1024**3 // 3, "logins": 333, "sessions": 20_000 // 3}
    assert share(settings(more="[limits]\nbuffers = 65536\nsessions = 1\n"), 1).limits.given == {
        "buffers": 65536,
        "logins": 333,
        "sessions": 1,
    }


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            config.Config(server=config.Listen(workers=2)),
            "[server] workers = 2 needs [[upstream]], because the Spark that Viewga",
        ),
        (
            settings("sessions = 2\n"),
            "[[upstream]] sessions of spark is 2: it must be 3 or more, one for each of [server]",
        ),
        (settings("statements = 1\n"), "[[upstream]] statements of spark is 1: it must be 3 or more"),
        (
            settings(more="[pipeline.spark]\n'spark.master' = 'local'\n"),
            "cannot be combined, unless [pipeline.spark] sets spark.remote",
        ),
        (settings(more="[journal]\nfile = '/dev/stdout'\n"), "[journal] file = '/dev/stdout' cannot be combined"),
    ],
)
def test_what_cannot_be_divided_is_refused(wrong: config.Config, said: str) -> None:
    with pytest.raises(config.ConfigError) as refused:
        config.check_workers(wrong)
    assert said in str(refused.value)


def test_jobs_on_a_spark_connect_server_are_anybodys() -> None:
    config.check_workers(settings(more="[pipeline.spark]\n'spark.remote' = 'sc://h'\n"))
