"""The commands that log in to a running Viewgate: `health`, `views`, and `explain` without a script."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from proxy import __main__ as program
from proxy import client
from proxy.authentication import Authentication
from proxy.hs2 import ResultSet, SqlError
from proxy.ports import TlsSettings
from proxy.session import Local, Log
from proxy.upstream import Steering
from tests.unit.support.proxied import Planned, Proxied, until, with_proxy


def test_health_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert program.main(["health", "--port", str(port)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"Viewgate at 127.0.0.1:{port} is unreachable: no process listens there; start Viewgate")
    for host in ("nowhere.invalid", "spark..example.org", "a" * 64):
        assert program.main(["health", "--host", host]) == 1
        assert capsys.readouterr().err.endswith("no address is known for this host name; check --host\n")
    assert program.main(["health", "--port", "70000"]) == 2


class Nobody:
    def version(self, user: str) -> str:
        return ""

    def check(self, user: str, password: str) -> bool:
        return False


def health(*states: str) -> int:
    """Return what `viewgate health` prints for a Viewgate with workers in these states."""

    async def workers(_log: Log) -> ResultSet:
        return ResultSet.of("worker int", "state", rows=list(enumerate(states, 1)))

    async def test(proxied: Proxied) -> int:
        return await asyncio.to_thread(program.main, ["health", "--port", str(proxied.port)])

    return with_proxy(test, planned=Planned({"SHOW VIEWGATE WORKERS": Local(workers)}))


def test_health_of_a_viewgate_that_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert health("running", "running") == 0
    assert "is healthy: a session was opened" in capsys.readouterr().out


def test_health_of_a_viewgate_that_lets_nobody_in_without_a_password(capsys: pytest.CaptureFixture[str]) -> None:
    async def test(proxied: Proxied) -> int:
        return await asyncio.to_thread(program.main, ["health", "--port", str(proxied.port)])

    assert with_proxy(test, authentication=Authentication(Nobody())) == 0
    said = capsys.readouterr().out
    assert said.endswith(
        "health not verified: login required, give --user (Error validating the login: "
        "the user name or the password is wrong)\n"
    )


@pytest.mark.parametrize(("password", "code"), [("secret", 0), ("wrong", 4)])
def test_health_for_a_user_with_a_password(
    password: str, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ann(Nobody):
        def check(self, user: str, password: str) -> bool:
            return (user, password) == ("ann", "secret")

    async def workers(_log: Log) -> ResultSet:
        return ResultSet.of("worker int", "state", rows=[(1, "running")])

    async def test(proxied: Proxied) -> int:
        return await asyncio.to_thread(program.main, ["health", "--port", str(proxied.port), "--user", "ann"])

    monkeypatch.setenv("VIEWGATE_PASSWORD", password)
    planned = Planned({"SHOW VIEWGATE WORKERS": Local(workers)})
    assert with_proxy(test, planned=planned, authentication=Authentication(Ann())) == code
    assert ("refuses the login of ann" in capsys.readouterr().err) == (code == 4)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> tuple[TlsSettings, Path]:
    """A certificate for localhost with TLS required, and the file of its authority."""
    authority, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    return TlsSettings(context, required=True), file


def over_tls(tls: TlsSettings | None, *options: str, host: str = "localhost") -> int:
    """Run `viewgate health` with these options against a Viewgate with this certificate; return the exit code."""

    async def workers(_log: Log) -> ResultSet:
        return ResultSet.of("worker int", "state", rows=[(1, "running")])

    async def test(proxied: Proxied) -> int:
        arguments = ["health", "--host", host, "--port", str(proxied.port), *options]
        return await asyncio.to_thread(program.main, arguments)

    return with_proxy(test, planned=Planned({"SHOW VIEWGATE WORKERS": Local(workers)}), tls=tls)


def test_health_over_tls(secured: tuple[TlsSettings, Path], capsys: pytest.CaptureFixture[str]) -> None:
    tls, authority = secured
    assert over_tls(tls, "--tls", "--ca", str(authority)) == 0
    assert "is healthy: a session was opened" in capsys.readouterr().out
    assert over_tls(tls, "--ca", str(authority), "--server-name", "localhost", host="127.0.0.1") == 0
    assert "is healthy: a session was opened" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--user", "ann"), 4, "requires TLS: give --tls, and --ca with the file of its authority if this machine"),
        ((), 4, "requires TLS: give --tls, and --ca with the file of its authority if this machine"),
        (("--tls",), 1, "is not trusted: unable to get local issuer certificate; give the file of its authority wi"),
        (("--ca", "{ca}", "--server-name", "x"), 1, "is not trusted: Hostname mismatch, certificate is not valid for"),
        (
            ("--ca", "nowhere.pem"),
            1,
            "viewgate: --ca nowhere.pem cannot be loaded: No such file or directory; give a PEM file",
        ),
    ],
)
def test_what_tls_lacks_is_told(
    options: tuple[str, ...],
    code: int,
    told: str,
    secured: tuple[TlsSettings, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    tls, authority = secured
    assert over_tls(tls, *(option.format(ca=authority) for option in options)) == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("greeting", "told"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "answers by HTTP: give the port for SQL with --port\n"),
        (b"\x15\x03\x03\x00\x02\x02\x0a", "answers by TLS: give --tls\n"),
    ],
)
def test_health_of_another_port(greeting: bytes, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.read(1):
            writer.write(greeting)
        writer.close()

    async def test() -> int:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = str(server.sockets[0].getsockname()[1])
            return await asyncio.to_thread(program.main, ["health", "--port", port])

    assert asyncio.run(test()) == 3
    assert capsys.readouterr().err.endswith(told)


def test_tls_with_a_viewgate_that_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert over_tls(None, "--tls") == 1
    assert "the TLS handshake failed: " in (said := capsys.readouterr().err)
    assert said.endswith("; leave out --tls and --ca if this Viewgate does not use TLS\n")


def test_health_of_a_viewgate_whose_spark_is_down(capsys: pytest.CaptureFixture[str]) -> None:
    async def test(proxied: Proxied) -> int:
        await proxied.spark.end()
        return await asyncio.to_thread(program.main, ["health", "--port", str(proxied.port)])

    assert with_proxy(test) == 3
    assert re.search(r"^Viewgate at 127.0.0.1:\d+ is unhealthy: Spark at ", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("steering", "why"),
    [
        (Steering.DRAIN, "all upstreams are being drained: try again when an operator has resumed one"),
        (Steering.PAUSE, "no session was opened within 0.5 s: its upstreams are busy, or paused: run RESUME"),
    ],
)
def test_health_of_a_viewgate_whose_spark_is_taken_out(
    steering: Steering, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(proxied: Proxied) -> int:
        upstreams = proxied.server.service.upstreams
        (place,) = upstreams.places
        upstreams.steer(str(place.upstream), steering)
        code = await asyncio.to_thread(program.main, ["health", "--port", str(proxied.port)])
        await until(lambda: not upstreams.waiting)  # the client has left
        return code

    monkeypatch.setattr(client, "_OPEN_S", 0.5)
    assert with_proxy(test) == 3
    said = capsys.readouterr().err
    assert re.match(rf"Viewgate at 127.0.0.1:\d+ is unhealthy: {why}", said)
    assert said.count("Viewgate at") == 1


def test_health_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert program.main(["health", "--port", str(port), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["healthy"], said["state"]) == (False, "unreachable")


def ask(words: list[str], answers: dict[str, ResultSet], **more: Any) -> int:
    """Run a command against a Viewgate that has these answers."""

    def local(result: ResultSet) -> Local:
        async def answer(_log: Log) -> ResultSet:
            return result

        return Local(answer)

    async def test(proxied: Proxied) -> int:
        return await asyncio.to_thread(program.main, [*words, "--port", str(proxied.port)])

    return with_proxy(test, planned=Planned({sql: local(result) for sql, result in answers.items()}), **more)


VIEWS = ResultSet.of(
    *("view", "chosen bigint", "last_way", "status"),
    rows=[("lake.demo.v", 3, "full", "fresh"), ("lake.demo.w", 0, None, None)],
)


def test_the_views_of_a_running_viewgate(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(["views"], {"SHOW VIEWGATE VIEWS": VIEWS}) == 0
    assert capsys.readouterr().out == "view\tchosen\tstatus\nlake.demo.v\t3\tfresh\nlake.demo.w\t0\t\n"
    assert ask(["views", "--wide"], {"SHOW VIEWGATE VIEWS": VIEWS}) == 0
    assert capsys.readouterr().out.startswith("view\tchosen\tlast_way\tstatus\nlake.demo.v\t3\tfull\tfresh\n")
    assert ask(["views", "--json"], {"SHOW VIEWGATE VIEWS": VIEWS}) == 0
    first, _ = json.loads(capsys.readouterr().out)
    assert first == {"view": "lake.demo.v", "chosen": 3, "last_way": "full", "status": "fresh"}


def test_why_a_view_cannot_be_read_stands_below_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("lake.demo.v", "fresh", None), ("lake.demo.w", "unreadable", "no JSON; restore it")]
    listed = ResultSet.of("view", "status", "reason", rows=rows)
    assert ask(["views"], {"SHOW VIEWGATE VIEWS": listed}) == 0
    said = capsys.readouterr()
    assert said.out == "view\tstatus\nlake.demo.v\tfresh\nlake.demo.w\tunreadable\n"
    assert said.err == "lake.demo.w is unreadable: no JSON; restore it\n"


def test_views_where_a_login_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(["views"], {}, authentication=Authentication(Nobody())) == 4
    assert "login required, give --user" in capsys.readouterr().err


def test_a_query_is_explained_by_a_running_viewgate(capsys: pytest.CaptureFixture[str]) -> None:
    found = ResultSet.of("view", "verdict", rows=[("lake.demo.v", "chosen")])
    answers = {"USE lake.demo": ResultSet(()), "EXPLAIN REWRITE SELECT 1": found}
    assert ask(["explain", "SELECT 1", "--namespace", "lake.demo", "--json"], answers) == 0
    assert json.loads(capsys.readouterr().out) == [{"view": "lake.demo.v", "verdict": "chosen"}]


EXPLAINED = ("view", "verdict", "rule", "reason", "detail", "block")


def test_what_a_running_viewgate_explains_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    missed = ("lake.demo.v", "missed", "", "SHAPE", "no groups", "SELECT 1")
    detail = "-- a new view lake.demo.w, like lake.demo.v, would answer the query:\nCREATE\nMATERIALIZED VIEW w"
    change = ("lake.demo.w", "suggested", "", "", detail, "")
    answers = {"EXPLAIN REWRITE SELECT 1": ResultSet.of(*EXPLAINED, rows=[missed, change])}
    assert ask(["explain", "SELECT 1"], answers) == 0
    assert capsys.readouterr().out == (
        "not rewritten\n\nlake.demo.v missed, SHAPE: the view has another form: no groups\n\n"
        "a new view lake.demo.w, like lake.demo.v, would answer the query:\nCREATE\nMATERIALIZED VIEW w\n"
    )
    assert ask(["explain", "SELECT 1", "--require"], answers) == 5


def test_a_running_viewgate_that_rewrites(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ("lake.demo.v", "chosen", "roll_up", "", "", "SELECT 1")
    answers = {"EXPLAIN REWRITE SELECT 1": ResultSet.of(*EXPLAINED, rows=[chosen])}
    assert ask(["explain", "SELECT 1", "--require"], answers) == 0
    said = "answered from lake.demo.v\n\nlake.demo.v chosen, by the rule roll_up\n"
    assert capsys.readouterr().out == said


def test_health_of_a_viewgate_that_lacks_a_worker(capsys: pytest.CaptureFixture[str]) -> None:
    assert health("running", "down") == 3
    assert re.search(r"^Viewgate at 127.0.0.1:\d+ is unhealthy: worker 2 is down", capsys.readouterr().err)


def test_an_error_of_spark_is_told_in_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    async def refuse(_log: Log) -> ResultSet:
        raise SqlError(
            "org.apache.hive.service.cli.HiveSQLException: Error running query: [PARSE_SYNTAX_ERROR] "
            "org.apache.spark.sql.catalyst.parser.ParseException: \n[PARSE_SYNTAX_ERROR] Syntax error at or near "
            "'SELEC'. SQLSTATE: 42601 (line 1, pos 0)\n\n== SQL ==\nSELEC 1\n^^^\n\n\tat org.apache.A.b(C.scala:1)\n",
            "42601",
        )

    async def test(proxied: Proxied) -> int:
        return await asyncio.to_thread(program.main, ["explain", "SELEC 1", "--port", str(proxied.port)])

    assert with_proxy(test, planned=Planned({"EXPLAIN REWRITE SELEC 1": Local(refuse)})) == 1
    told = "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. SQLSTATE: 42601 (line 1, pos 0)"
    assert capsys.readouterr().err == f"viewgate: {told}\n\n== SQL ==\nSELEC 1\n^^^\n"
