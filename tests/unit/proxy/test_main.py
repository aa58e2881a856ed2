from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trustme

from proxy import __main__ as program
from proxy import config, demo, options, ports, serving
from proxy.authentication import PasswordFile
from proxy.composing import never
from proxy.hs2 import SqlError
from proxy.upstream import Upstream, Upstreams
from tests.unit.catalog.lake import AGG, MATERIALIZED, Lake, view_document

KERBEROS = "[upstream.kerberos]\nprincipal = 'hive/h'\nkeytab = 'none'\n"
REMOTE = "[server]\nport = 1\n[[upstream]]\nhost = 'h'\n[catalog]\nname = 'lake'\ntype = 'sql'\nuri = 'sqlite://'\n"


def settled(*words: str) -> config.Config:
    return options.settled(given(*words))


def given(*words: str) -> options.Options:
    """Return the options that `serve` is started with."""
    taken = []

    async def serve(these: options.Options) -> None:
        taken.append(these)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "serve", serve)
        assert program.main(["serve", *words]) == 0
    return taken[0]


def test_without_arguments_everything_is_as_documented() -> None:
    assert settled() == config.Config()


def test_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[server]\nport = 10001\nhost = '0.0.0.0'\n[embedded]\ndata = '/a'\n")
    settings = settled("--config", str(tmp_path / "gate.toml"), "--port", "0", "--data", "/b")
    assert settings.server == config.Listen(host="0.0.0.0", port=0)
    assert settings.embedded.data == Path("/b")


@pytest.mark.parametrize("words", [["--demo"], ["--data", "d"]])
def test_what_is_for_its_own_spark_is_refused_before_another(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "gate.toml").write_text(REMOTE)
    with pytest.raises(config.ConfigError, match=f"{words[0]} is only for Viewgate's own Spark"):
        settled("--config", str(tmp_path / "gate.toml"), *words)


def test_a_port_out_of_range(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["serve", "--port", "70000"]) == 1
    assert capsys.readouterr().err == (
        "viewgate: the option --port is 70000: it must be a whole number from 0 (any free port) to 65535\n"
    )


def test_a_port_that_is_taken_is_refused_before_spark_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert program.main(["serve", "--port", str(port), "--data", "/nowhere"]) == 1
    assert f"viewgate: cannot listen on port {port} of 127.0.0.1: " in capsys.readouterr().err


def test_the_demo_is_ready_before_its_session_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    @contextlib.asynccontextmanager
    async def session(*_: object) -> AsyncIterator[str]:
        yield "query"
        await asyncio.Event().wait()

    async def make(rows: int, query: str) -> None:
        made.append((rows, query))

    async def story() -> None:
        async with contextlib.AsyncExitStack() as running, asyncio.timeout(20):
            await serving._make_demo(Upstream("h", 1), 7, running)

    monkeypatch.setattr(serving, "in_session", session)
    monkeypatch.setattr(demo, "make", make)
    asyncio.run(story())
    assert made == [(7, "query")]


def test_ctrl_c_before_the_signals_are_handled_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "serve", serve)
    assert program.main(["serve"]) == 130
    assert capsys.readouterr().err == "viewgate: interrupted\n"


def test_a_port_that_is_taken_while_spark_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        async def start() -> None:
            await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", port)

        server: Any = SimpleNamespace(start=start)
        with pytest.raises(config.ConfigError, match=f"on port {port} of .*give another port with --port"):
            asyncio.run(serving._listening(server, config.Config(server=config.Listen(port=port))))


def test_a_console_port_that_is_taken(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setattr(ports, "CONSOLE_PORT", port)
        with ports.console_place(config.Config()) as place:
            assert place is None
        assert (
            f"the console and the metrics are not available: Viewgate cannot listen on port {port} of 127.0.0.1"
            in caplog.text
        )
        remedy = (
            "; set another `port` in the table [console] of the settings file (option --config), or stop the process "
            "that listens there"
        )
        assert caplog.messages[-1].endswith(remedy)
        given = config.Config(console=config.ConsoleSettings(port=port))
        with pytest.raises(config.ConfigError, match=re.escape(remedy)), ports.console_place(given):
            pass


def test_where_the_console_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with ports.console_place(config.Config(server=config.Listen(port=0))) as place:
        assert place is not None
        assert place.getsockname()[1] not in (0, config.CONSOLE_PORT)
    with ports.console_place(config.Config(console=config.ConsoleSettings(enabled=False))) as place:
        assert place is None


def test_a_bad_configuration_stops_the_start_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gate.toml").write_text("[server]\nport = 'x'\n")
    assert program.main(["serve", "--config", str(tmp_path / "gate.toml")]) == 1
    assert capsys.readouterr().err == (
        f"viewgate: {tmp_path}/gate.toml: [server] port is 'x': it must be a whole number from 0 (any free port) to "
        "65535\n"
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("viewgate ")


HEAVY = ("duckdb", "networkx", "opentelemetry", "proxy.service", "pyarrow", "pyiceberg", "pyspark", "sqlglot")


@pytest.mark.parametrize(
    "words",
    [["--help"], ["serve", "--help"], ["--version"], ["version"], ["check-config", "gate.toml"], ["refresh", "--help"]],
)
def test_commands_that_need_little_import_little(words: list[str], tmp_path: Path) -> None:
    settings = REMOTE.replace("port = 1", "port = 1\nworkers = 2")
    (tmp_path / "users").write_text(PasswordFile.line("ann", "secret") + "\n")
    issued = trustme.CA().issue_cert("localhost")
    issued.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "own.pem"))
    encrypted = "".join(f"[{at}.tls]\ncertificate = 'own.pem'\nkey = 'own.pem'\n" for at in ("server", "console"))
    (tmp_path / "gate.toml").write_text(f'{settings}{encrypted}[authentication]\npasswords = "users"\n')
    code = (
        "import sys\nfrom proxy.__main__ import main\ntry: code = main(sys.argv[1:])\n"
        f"except SystemExit as ended: code = ended.code\nprint(code, [m for m in {HEAVY} if m in sys.modules])"
    )
    words = [str(tmp_path / word) if word.endswith(".toml") else word for word in words]
    command = [sys.executable, "-c", code, *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.stdout.endswith("\n0 []\n"), answer.stdout + answer.stderr


def test_doctor_does_without_the_server(tmp_path: Path) -> None:
    heavy = [module for module in HEAVY if module != "pyspark"]
    (tmp_path / "gate.toml").write_text("[server]\nport = 0\n")
    code = (
        "import sys\nfrom proxy.__main__ import main\ntry: main(['doctor', '--config', sys.argv[1]])\n"
        f"except SystemExit: pass\nprint([m for m in {heavy} if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "gate.toml")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.endswith("\n[]\n"), answer.stdout


def test_doctor_reads_a_catalog_without_the_engine_and_pyarrow(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.put_view(AGG, view_document(1, **MATERIALIZED))
    lake.close()
    (tmp_path / "gate.toml").write_text(
        f"upstream = [{{host = '127.0.0.1', port = 1}}]\n[server]\nport = 0\n[console]\nenabled = false\n"
        f"[catalog]\nname = 'lake'\ntype = 'sql'\nuri = 'sqlite:///{tmp_path}/catalog.db'\n"
    )
    code = (
        "import sys\nfrom proxy.__main__ import main\ntry: main(['doctor', '--config', sys.argv[1]])\n"
        "except SystemExit: pass\nprint([m for m in ('rewriter.engine', 'pyarrow') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "gate.toml")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "catalog lake: answers; 1 materialized view" in answer.stdout
    assert answer.stdout.endswith("\n[]\n"), answer.stdout


def test_a_query_is_explained_without_the_catalog_and_graphs(tmp_path: Path) -> None:
    heavy = [module for module in HEAVY if module != "sqlglot"]
    (tmp_path / "shop.sql").write_text("CREATE TABLE t (a INT);\nCREATE MATERIALIZED VIEW v AS SELECT a FROM t;")
    code = (
        "import pathlib, sys\nfrom proxy.explaining import explain\n"
        "explain(pathlib.Path(sys.argv[1]), 'SELECT a FROM t')\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "shop.sql")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.endswith("\n[]\n"), answer.stdout


def test_commands_that_ask_a_running_viewgate_load_no_engine() -> None:
    heavy = ("rich", "pydantic", *HEAVY)
    code = f"import sys\nimport proxy.client\nprint([m for m in {heavy} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_the_version_names_what_viewgate_runs_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["version", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"viewgate", "python", "pyiceberg", "sqlglot"} <= found.keys()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (REMOTE, None),
        ("[server]\nport = 'x'\n", "[server] port is 'x': it must be a whole number from 0"),
        ("[server]\nprot = 1\n", "port"),
        ("[server]\nworkers = 2\n", "needs [[upstream]]"),
        ("[authentication]\npasswords = 'none'\n", "none cannot be read: No such file or directory; check"),
        ("[server.tls]\ncertificate = 'none'\nkey = 'none'\n", "none cannot be read: No such file or directory; check"),
        ("[server.tls]\ncertificate = 'gate.toml'\nkey = 'none'\n", "gate.toml is not a certificate in PEM format"),
        (REMOTE + "[upstream.tls]\nca = 'none'\n", "[upstream.tls] of h:10000 cannot be used: "),
        (REMOTE + "[upstream.tls]\ncertificate = 'mine'\n", "[upstream.tls] key is missing: set both"),
        (REMOTE + "[upstream.tls]\nverify = false\n", "[upstream.tls] verify is not known"),
        (
            REMOTE + "[upstream.kerberos]\nkeytab = 'k'\n",
            '[upstream.kerberos] principal is missing: add it, for example principal = "hive',
        ),
        (REMOTE + KERBEROS, "[upstream.kerberos] would pass unchecked user names"),
        (REMOTE.replace("[cat", "impersonate = true\n[cat") + KERBEROS, "[upstream.kerberos] of h: the keytab"),
        (
            REMOTE.replace("[cat", "user = 'u'\n[cat") + "[upstream.kerberos]\nprincipal = 'hive/h'\nkeytab = 'k'\n",
            "[[upstream]] user cannot be combined with [upstream.kerberos]",
        ),
        (
            REMOTE.replace("[cat", "transport = 'thrift'\n[cat"),
            "[[upstream]] transport is 'thrift': it must be one of sasl,",
        ),
        (REMOTE.replace("[cat", "path = 'cliservice'\n[cat"), "[[upstream]] path is used only over HTTP"),
        (REMOTE.replace("[cat", "transport = 'http'\npath = 'a b'\n[cat"), "it must be a URL path"),
        (
            REMOTE.replace("[cat", "transport = 'http'\nheaders = {a = \"b\\r\\nc\"}\n[cat"),
            "[[upstream]] headers must be a table of HTTP headers",
        ),
        (
            REMOTE.replace("[cat", "transport = 'http'\nheaders = {'a b' = 'c'}\n[cat"),
            "[[upstream]] headers must be a table of HTTP headers",
        ),
        (REMOTE.replace("[cat", "transport = 'http'\nheaders = {a = 'b'}\n[cat"), None),
        (
            REMOTE.replace("uri = ", "url = "),
            '[catalog] uri is missing: add it, for example uri = "postgresql+psycopg2://',
        ),
    ],
)
def test_settings_are_checked_without_a_start(
    text: str, wrong: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(text)
    code = 0 if wrong is None else 1
    assert program.main(["check-config", str(file)]) == code
    said = capsys.readouterr()
    if wrong is None:
        assert (said.out, said.err) == (f"{file} is valid\n", "")
    else:
        assert said.out == ""
        assert said.err.startswith("viewgate: ")
        assert wrong in said.err
    assert program.main(["check-config", str(file), "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert answer["valid"] == (wrong is None)
    assert (answer["error"] is None) == (wrong is None)


def test_output_that_nobody_reads_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a INT);")
    command: list[str | Path] = [sys.executable, "-m", "proxy", "explain"]
    command += ["--schema", tmp_path / "schema.sql", "SELECT a FROM t"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert (running.stderr.read(), running.wait()) == (b"", 141)


@pytest.mark.parametrize(
    ("words", "to", "code"), [("version", "/dev/full", 1), ("--help", "/dev/full", 1), ("-", "", 0)]
)
def test_output_that_cannot_be_written_is_told_in_one_line(words: str, to: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a INT);")
    explained = f"explain --schema {tmp_path / 'schema.sql'} 'SELECT a FROM t'"
    command = f"{sys.executable} -m proxy {words if to else explained} >{to or '&-'}"
    answer = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert answer.returncode == code
    assert answer.stderr == ("viewgate: [Errno 28] No space left on device\n" if code else "")


def test_output_is_utf8_in_each_locale(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a INT);")
    command = [sys.executable, "-m", "proxy", "explain", "--json", "--schema", str(tmp_path / "schema.sql")]
    query = "SELECT a FROM t WHERE a = 'é\udcff'"
    given = {**os.environ, "PYTHONIOENCODING": "ascii"}
    answer = subprocess.run([*command, query], capture_output=True, env=given, check=True)
    assert json.loads(answer.stdout)["sql"] == query


def test_work_is_no_command_of_users(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^│ serve ", shown, re.MULTILINE)
    assert not re.search(r"^│ work ", shown, re.MULTILINE)


@pytest.mark.parametrize(
    "words", [["nope"], ["serve", "--port", "x"], ["health", "--port", "70000"], ["check-config"], []]
)
def test_a_command_line_that_cannot_be_read(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(words) == 2
    assert "Usage: viewgate" in "".join(capsys.readouterr())


def test_a_shell_completes_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in {"_VIEWGATE_COMPLETE": "complete_bash", "COMP_WORDS": "viewgate re", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    program.main([])
    assert capsys.readouterr().out.strip() == "refresh"


def test_workers_are_asked_for_in_the_file_or_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gate.toml").write_text(REMOTE.replace("port = 1", "workers = 3"))
    assert settled("--config", str(tmp_path / "gate.toml")).server.workers == 3
    assert settled("--config", str(tmp_path / "gate.toml"), "--workers", "2").server.workers == 2
    assert program.main(["serve", "--workers", "0"]) == 1
    assert capsys.readouterr().err == "viewgate: the option --workers is 0: it must be a whole number from 1 to 64\n"
    assert program.main(["serve", "--workers", "2"]) == 1
    assert "[server] workers = 2 needs [[upstream]]" in capsys.readouterr().err


def test_work_is_given_up_when_we_are_told_to_stop() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def stop_in_the_middle() -> None:
        stopping = asyncio.Event()
        giving_up = asyncio.create_task(serving._unless(stopping, work()))
        await asyncio.sleep(0)
        stopping.set()
        await giving_up

    asyncio.run(stop_in_the_middle())
    assert ended == ["cancelled"]


def test_ready_is_said_when_an_upstream_answers_and_until_then_what_is_missing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        upstreams, said = Upstreams([Upstream("h", 10000)]), asyncio.Event()
        upstreams.failed(upstreams.places[0], SqlError("Spark at h:10000 cannot be reached: refused", "08S01"))
        waiting = asyncio.create_task(serving._ready(upstreams, said.set, never, pause=0.01))
        while caplog.text.count("not ready: Spark at h:10000 cannot be reached: refused") < 2:
            await asyncio.sleep(0.01)
        assert not said.is_set()
        upstreams.well(upstreams.places[0])
        await waiting
        assert said.is_set()

    asyncio.run(test())


def test_a_spark_of_ours_that_is_lost_before_it_answers_is_an_error() -> None:
    async def lost() -> None:
        raise OSError("Spark has ended")

    async def test() -> None:
        with pytest.raises(OSError, match="Spark has ended"):
            await serving._ready(Upstreams([Upstream("h", 10000)]), print, lost)

    asyncio.run(test())


def test_work_that_fails_is_not_given_up_silently() -> None:
    async def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(serving._unless(asyncio.Event(), work()))


def test_a_line_for_a_file_of_passwords(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("se:cret\n"))
    assert program.main(["password", "ann"]) == 0
    (tmp_path / "passwords").write_text(capsys.readouterr().out)
    users = PasswordFile(tmp_path / "passwords")
    assert users.check("ann", "se:cret")
    assert not users.check("ann", "secret")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert program.main(["password", "ann"]) == 1


@pytest.mark.parametrize(
    ("user", "password", "told"),
    [
        ("#ann", "x", "must not begin with #"),
        (" ann", "x", "a space"),
        ("ann\nbob:$argon2", "x", "must not contain a colon"),
        ("ann\nbob", "x", "control characters"),
        ("ann", "\udcff", "the password is not UTF-8 text"),
    ],
)
def test_no_line_that_a_file_of_passwords_cannot_have(
    user: str, password: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    assert program.main(["password", user]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert told in said.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[authentication]\npasswords = '/nowhere'",
            "[authentication] passwords: /nowhere cannot be read: No such file or directory; check the path",
        ),
        ("[server.tls]\ncertificate = '/nowhere'\nkey = '/nowhere'", "[server.tls]: /nowhere cannot be read: No such"),
        ("[authentication.jwt]\nkeys = '/nowhere'", "[authentication.jwt]: /nowhere cannot be read: No such"),
    ],
)
def test_what_cannot_be_loaded_stops_the_start_before_spark_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (tmp_path / "gate.toml").write_text(f"{text}\n[server]\nport = 0\n")
    assert program.main(["serve", "--config", str(tmp_path / "gate.toml"), "--data", "/nowhere"]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("words", "rows"), [([], None), (["--demo"], demo.ROWS), (["--demo", "1000"], 1000)])
def test_the_demo_has_as_many_rows_as_are_asked_for(words: list[str], rows: int | None) -> None:
    assert given(*words).demo == rows


def test_a_demo_without_rows_is_refused() -> None:
    with pytest.raises(config.ConfigError, match="the option --demo is 0: it must be a whole number, 1 or more"):
        settled("--demo", "0")


def test_the_demo_needs_an_open_door(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[authentication]\npasswords = 'p'\n")
    with pytest.raises(
        config.ConfigError, match=r"--demo loads its data without a password .*but .*gate.toml has \[authentication\]"
    ):
        settled("--config", str(tmp_path / "gate.toml"), "--demo")


def test_a_port_of_one_transport_that_is_taken_is_refused_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(
            config.ConfigError, match=rf"port {port} of 127.0.0.1: .* another port with \[server.ports\]"
        ):
            ports.refuse_taken_port(config.Listen(port=0, ports=config.Ports(http=port)))
