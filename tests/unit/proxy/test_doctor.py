from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from proxy import __main__ as program
from proxy import doctor, ports
from proxy.config import ConfigError, UpstreamAddress
from proxy.hs2 import Query, ResultSet
from rewriter.model import TableName
from tests.unit.catalog.lake import Lake

REMOTE = "[server]\nport = {}\n[[upstream]]\nhost = '127.0.0.1'\nport = {}\n[catalog]\nname = 'lake'\ntype = 'sql'\n"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_every_fault_is_found_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gate.toml"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken, silent = listener.getsockname()[1], free_port()
        file.write_text(
            REMOTE.format(taken, silent) + f"uri = 'sqlite:///{tmp_path}/none/catalog.db'\n[console]\nenabled = false\n"
        )
        assert program.main(["doctor", "--config", str(file), "--json"]) == 1
    found = {each["check"]: each for each in json.loads(capsys.readouterr().out)}
    assert [name for name, each in found.items() if each["ok"]] == ["settings"]
    assert f"cannot listen on port {taken}" in found["ports"]["says"]
    assert found["catalog lake"]["says"].startswith("uri is ")
    assert f"127.0.0.1:{silent}" in found[f"upstream 127.0.0.1:{silent}"]["says"]


def test_a_catalog_that_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gate.toml"
    uri = f"sqlite:///{tmp_path}/catalog.db"
    SqlCatalog("lake", uri=uri).close()
    file.write_text(REMOTE.format(0, free_port()) + f"uri = '{uri}'\n")
    program.main(["doctor", "--config", str(file)])
    warning = "warn  catalog lake: answers; 0 materialized views, and no namespaces: unless the catalog is new, check"
    assert warning in capsys.readouterr().out
    iceberg = SqlCatalog("lake", uri=uri)
    iceberg.create_namespace("demo")
    iceberg.close()
    program.main(["doctor", "--config", str(file)])
    assert "ok    catalog lake: answers; 0 materialized views\n" in capsys.readouterr().out


def test_a_view_that_cannot_be_read_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = Lake(tmp_path)
    lake.put_view(TableName(("lake", "demo", "odd")), b"no json")
    lake.close()
    file = tmp_path / "gate.toml"
    file.write_text(REMOTE.format(0, free_port()) + f"uri = 'sqlite:///{tmp_path}/catalog.db'\n")
    program.main(["doctor", "--config", str(file)])
    told = capsys.readouterr().out
    assert (
        "warn  catalog lake: answers; 0 materialized views; views that cannot be used, because their metadata cannot "
        "be read (1): "
    ) in told
    assert "DROP MATERIALIZED VIEW lake.demo.odd" in told


@pytest.mark.parametrize(
    ("ahead", "ok", "says"), [(0, True, "opens sessions"), (90, False, "ahead of"), (-90, False, "behind")]
)
def test_clocks(ahead: int, ok: bool, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def query(_sql: str) -> ResultSet:
        return ResultSet.of("t bigint", rows=[(int(time.time()) + ahead,)])

    @asynccontextmanager
    async def in_session(_where: Any, _user: str, _timeouts: Any) -> AsyncIterator[Query]:
        yield query

    monkeypatch.setattr("proxy.upstream.in_session", in_session)
    found = asyncio.run(doctor._finding("upstream", lambda: doctor._upstream(UpstreamAddress(host="spark"))))
    assert found.ok == ok
    assert says in found.says


def test_a_slow_answer_does_not_tell_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_700_000_000.0]
    monkeypatch.setattr("proxy.doctor.time.time", lambda: now[0])

    async def query(_sql: str) -> ResultSet:
        read = int(now[0])
        now[0] += 18  # Spark has read its clock at once, and answers late
        return ResultSet.of("t bigint", rows=[(read,)])

    @asynccontextmanager
    async def in_session(_where: Any, _user: str, _timeouts: Any) -> AsyncIterator[Query]:
        yield query

    monkeypatch.setattr("proxy.upstream.in_session", in_session)
    says = asyncio.run(doctor._upstream(UpstreamAddress(host="spark")))
    assert says == "opens sessions; clocks differ by 8 s; Spark took 18 s to answer, so this is only an estimate"


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is not writable by this user"):
        doctor._data(tmp_path / "file" / "data")
    assert doctor._data(tmp_path / "new" / "data").endswith("can be written")


@pytest.mark.parametrize(
    ("table", "others"),
    [("embedded", ""), ("pipeline", REMOTE.format(0, free_port()) + "uri = 'sqlite://'")],
    ids=["embedded", "pipeline"],
)
def test_a_credential_on_the_command_line_of_the_jvm_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, others: str
) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(f"""{others}
        [{table}.spark]
        "spark.hadoop.fs.s3a.secret.key" = "hidden"
        "spark.jars.repositories" = "https://ann:opensesame@repo.example.org"
        "spark.driver.extraJavaOptions" = "-Dx.password=opensesame"
    """)
    program.main(["doctor", "--config", str(file)])
    told = capsys.readouterr().out
    said = f"[{table}.spark] spark.jars.repositories, spark.driver.extraJavaOptions: all users of this machine can read"
    assert f"warn  settings: {said}" in told
    assert "opensesame" not in told


def test_a_journal_that_cannot_be_written_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(REMOTE.format(0, free_port()) + "uri = 'sqlite://'\n[journal]\nfile = 'none/journal.jsonl'\n")
    program.main(["doctor", "--config", str(file)])
    assert f"warn  journal: {tmp_path}/none/journal.jsonl cannot be written" in capsys.readouterr().out
    (tmp_path / "none").mkdir()
    program.main(["doctor", "--config", str(file)])
    assert f"ok    journal: {tmp_path}/none/journal.jsonl can be written" in capsys.readouterr().out


def test_a_console_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gate.toml"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        file.write_text(REMOTE.format(0, free_port()) + f"uri = 'sqlite://'\n[console]\nport = {taken}\n")
        assert program.main(["doctor", "--config", str(file)]) == 1
    assert f"WRONG console: cannot listen on port {taken} of 127.0.0.1" in capsys.readouterr().out


def test_a_default_console_port_that_is_taken_is_a_warning(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        monkeypatch.setattr(doctor, "CONSOLE_PORT", taken)
        monkeypatch.setattr(ports, "CONSOLE_PORT", taken)
        monkeypatch.setattr(
            doctor, "_checks", lambda settings: [("console", partial(asyncio.to_thread, doctor._console, settings))]
        )
        file = tmp_path / "gate.toml"
        file.write_text(REMOTE.format(free_port(), free_port()) + "uri = 'sqlite://'\n")
        assert program.main(["doctor", "--config", str(file)]) == 0
        assert capsys.readouterr().out.startswith(f"warn  console: port {taken} is in use, so Viewgate starts without")
        assert program.main(["doctor", "--config", str(file), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["warning"]) == (True, True)
    assert caplog.messages == []
