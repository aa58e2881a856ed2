"""The command line: parses options, and imports the modules of a command only when the command runs.

Importing all modules takes 2 s of processor time; `viewgate --help` takes 0.3 s.
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn, TextIO, get_type_hints

import typer

from proxy import demo
from proxy.process import begin_log, silent_log

if TYPE_CHECKING:
    import asyncio

    from proxy.client import Login
    from proxy.options import Options, Selection

_NOT_READ = 141  # the exit code that shells report for a command ended by SIGPIPE
_INTERRUPTED = 130  # the exit code that shells report for a command ended by Ctrl-C, and that typer gives
_SETTINGS = "settings file in TOML; without one, Viewgate starts its own Spark"
_PORT = 10000  # equals `config.DEFAULT_PORT`, whose import would load the settings

_REFUSALS = (
    ("proxy.catalog", "CatalogError"),
    ("proxy.config", "ConfigError"),
    ("proxy.embedded", "SparkLost"),
    ("proxy.embedded", "StartError"),
    ("proxy.hs2", "SqlError"),
    ("proxy.jars", "Unfetched"),
    ("proxy.preflight", "Missing"),
    ("rewriter.script", "ScriptError"),
)

SettingsFile = Annotated[Path | None, typer.Option("--config", metavar="FILE", help=_SETTINGS)]
DataDirectory = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="directory for the data of Viewgate's own Spark (default .viewgate)",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON, for programs")]


class Address(NamedTuple):
    """The options of the commands that log in to a running Viewgate: its address, the user, and TLS."""

    host: Annotated[str, typer.Option(help="host on which Viewgate runs")] = "127.0.0.1"
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="port on which Viewgate listens")] = _PORT
    user: Annotated[
        str | None, typer.Option(help="user name; the password is read from the environment variable VIEWGATE_PASSWORD")
    ] = None
    tls: Annotated[bool, typer.Option("--tls", help="connect over TLS; implied by --ca and --server-name")] = False
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="trust only the certificate authorities in this PEM file"),
    ] = None
    server_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="host name in the server's certificate, if it differs from --host"),
    ] = None

    def login(self) -> Login:
        """Return the login to the running Viewgate."""
        from proxy import client

        return client.Login(self.host, self.port, self.user, client.Trust(self.tls, self.ca, self.server_name))


def _logs_in(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with one option for each field of `Address` in place of the parameter `at`.

    When the new command is called, `at` gets an Address made of these options.
    """
    hints = get_type_hints(Address, include_extras=True)
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        for name, default in Address._field_defaults.items()
    ]
    own = signature(command, eval_str=True).parameters
    places = [each for name, old in own.items() for each in (options if name == "at" else [old])]

    @wraps(command)
    def run(**given: Any) -> None:
        command(at=Address(**{name: given.pop(name) for name in Address._fields}), **given)

    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in places]
    run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]  # read by typer
    run.__annotations__ = {each.name: each.annotation for each in keywords}
    return run


app = typer.Typer(
    name="viewgate",
    help="A SQL proxy for Spark with materialized views.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` names (None: the arguments of the process), and return the exit code."""
    words = _with_rows(list(sys.argv[1:] if argv is None else argv))
    if isinstance(sys.stdout, TextIOWrapper):  # JSON is UTF-8, and so are "…" and names in the other texts
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        typer.main.get_command(app).main(args=words, prog_name="viewgate")
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:
            print("viewgate: interrupted", file=sys.stderr)
        return ended.code if isinstance(ended.code, int) else 0
    except OSError as error:  # of --help and --version, which typer prints itself
        return _code_of(error)
    return 0


def _with_rows(words: list[str]) -> list[str]:
    """Add the default number of rows to an option `--demo` without a value; typer does not support optional values.

    >>> _with_rows(["serve", "--demo", "7"]), _with_rows(["serve", "--demo", "--port", "1"])
    (['serve', '--demo', '7'], ['serve', '--demo=25000000', '--port', '1'])
    """
    following = [*words, ""][1:]
    alone = [word == "--demo" and not after.isdigit() for word, after in zip(words, following, strict=True)]
    return [f"--demo={demo.ROWS}" if lacks else word for word, lacks in zip(words, alone, strict=True)]


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"viewgate {version('viewgate')}")
        raise typer.Exit


@app.callback()
def _top(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Handle the options that precede the name of a command, such as `--version`."""


@app.command()
def serve(
    config: SettingsFile = None,
    data: DataDirectory = None,
    port: Annotated[
        int | None, typer.Option(help="port on which to listen (default 10000; 0 takes a free port)")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help=r"processes on that port (default 1), with \[\[upstream]]")
    ] = None,
    demo: Annotated[
        int | None,
        typer.Option(
            metavar="[ROWS]", help=f"create demo tables and views if they are missing (default {demo.ROWS:,} sales)"
        ),
    ] = None,
) -> None:
    """Listen for HiveServer2 clients until SIGTERM or Ctrl-C."""
    from proxy import serving
    from proxy.options import Options

    _run(serving.serve(Options(config, data, port, workers, demo)))


@app.command(hidden=True)
def work() -> None:
    """Run one worker process. Only `viewgate serve`, with several workers, starts this command."""
    from proxy import serving

    _run(serving.work())


@app.command("check-config", epilog="Exit codes: 0 valid; 1 not valid: the message names the key and what is allowed.")
def check_config(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="settings file in TOML")],
    as_json: AsJson = False,
) -> None:
    """Check a settings file without starting a server, and print each problem with the remedy."""
    _run(_check_config(file, as_json=as_json))


async def _check_config(file: Path, *, as_json: bool) -> int:
    from proxy import admission
    from proxy.config import ConfigError, load

    wrong = None
    try:
        admission.check(load(file))
    except ConfigError as error:
        wrong = str(error)
    if as_json:
        print(json.dumps({"file": str(file), "valid": wrong is None, "error": wrong}, ensure_ascii=False))
    elif wrong is not None:
        print(f"viewgate: {wrong}", file=sys.stderr)
    else:
        print(f"{file} is valid")
    return 0 if wrong is None else 1


@app.command(epilog="Exit codes: 0 all is well; 1 something is wrong.")
def doctor(config: SettingsFile = None, data: DataDirectory = None, as_json: AsJson = False) -> None:
    r"""Check whether Viewgate can start, and print each problem with the remedy.

    The command checks the settings, whether the ports of the settings are free and, if Viewgate starts Spark itself,
    Java, pyspark and the data directory.

    If the settings have a \[catalog] and \[\[upstream]], the command also checks the catalog, opens a session on
    each upstream server, and compares the clock of each server with the clock of this machine.
    """
    _run(_doctor(config, data, as_json=as_json))


async def _doctor(config: Path | None, data: Path | None, *, as_json: bool) -> int:
    from proxy.doctor import findings
    from proxy.options import Options, settled

    settings = settled(Options(config, data))
    with silent_log():
        found = await findings(settings)
    if as_json:
        print(json.dumps([finding.as_json() for finding in found], indent=2, ensure_ascii=False))
    else:
        print(*found, sep="\n")
    return 0 if all(finding.ok for finding in found) else 1


@app.command("version")
def show_version(as_json: AsJson = False) -> None:
    """Print the versions of Viewgate, Python and the packages that determine its behaviour."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"viewgate": version("viewgate"), "python": ".".join(map(str, sys.version_info[:3]))}
    for package in ("pyiceberg", "sqlglot", "pyspark"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pyspark is optional
            continue
    _leave(lambda: print(json.dumps(found) if as_json else "\n".join(map(" ".join, found.items()))))


@app.command(
    epilog="Exit codes: 0 all views are up to date; 1 no refresh was started; 3 a view could not be refreshed."
)
def refresh(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="views: namespace.name")] = None,
    every: Annotated[bool, typer.Option("--all", help="all views")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="only the stale views, of all views or of those named")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="recompute all rows even if nothing has changed")] = False,
    where: Annotated[
        str, typer.Option(metavar="CONDITION", help="refresh only these rows, as in REFRESH … WHERE")
    ] = "",
    config: SettingsFile = None,
    data: DataDirectory = None,
    as_json: AsJson = False,
) -> None:
    """Refresh materialized views, for cron and similar schedulers."""
    from proxy.options import Options, Selection

    selection = Selection(tuple(names or ()), every, stale, full, where)
    _run(_refresh(selection, Options(config, data), as_json=as_json))


async def _refresh(selection: Selection, options: Options, *, as_json: bool) -> int:
    selection.check()
    from proxy import refreshing

    return await refreshing.run(selection, options, as_json=as_json)


@app.command(
    epilog="Exit codes: 0 healthy, or a login is required and no user was given; 1 unreachable; "
    "3 unhealthy (no session, or a worker is down); 4 login failed."
)
@_logs_in
def health(at: Address, as_json: AsJson = False) -> None:
    """Log in to a running Viewgate, open a session, and check that all workers run; report the health by
    the exit code.
    """
    from proxy import client

    _run(client.health(at.login(), as_json=as_json))


@app.command(epilog="Exit codes: 0 listed; 1 unreachable; 3 unhealthy; 4 login failed, or required.")
@_logs_in
def views(
    at: Address,
    wide: Annotated[bool, typer.Option("--wide", help="print all columns of SHOW VIEWGATE VIEWS")] = False,
    as_json: AsJson = False,
) -> None:
    """List a running Viewgate's materialized views: freshness, use and size."""
    from proxy import client

    _run(client.views(at.login(), wide=wide, as_json=as_json))


@app.command(
    epilog="Exit codes: 0 explained; 1 the script or the query cannot be used, or no Viewgate is reached; "
    "3 unhealthy (Viewgate opens no session); 4 login failed, or required; 5 not rewritten, with --require."
)
@_logs_in
def explain(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="a SELECT; - reads it from standard input")],
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.sql",
            help="SQL script with CREATE TABLE and CREATE MATERIALIZED VIEW statements; all views count as fresh",
        ),
    ] = None,
    *,
    at: Address,
    namespace: Annotated[
        str | None, typer.Option(metavar="CATALOG.NAMESPACE", help="namespace of the names that give none")
    ] = None,
    require: Annotated[bool, typer.Option("--require", help="exit with code 5 if no view answers the query")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the views that answer a query, and for each other view the reason why the view cannot answer.

    With --schema, the views are those of a SQL script; otherwise a running Viewgate is asked.
    """
    text = sys.stdin.read().strip() if query == "-" else query
    if schema is not None:
        # Saves 0.1 of 0.75 s while the engine is imported (python -X importtime): no garbage collection, no event loop.
        gc.disable()
        from proxy import explaining

        _leave(lambda: explaining.explain(schema, text, as_json=as_json, require=require))
    from proxy import client

    _run(client.explain(at.login(), text, namespace, as_json=as_json, require=require))


@app.command()
def password(user: Annotated[str, typer.Argument()]) -> None:
    r"""Ask for a user's password, and print the line `user:hash` for the file in \[authentication] passwords."""
    _run(_password(user))


async def _password(user: str) -> None:
    """Read a user's password from the terminal or standard input, and print the line `user:hash` for a password file.

    Raise ConfigError for an empty password or a password that is not UTF-8, and for a user name that is empty or that
    a password file cannot have.
    """
    from getpass import getpass

    from proxy.authentication import PasswordFile
    from proxy.config import ConfigError

    given = getpass(f"Password of {user}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    if not given or not user or ":" in user:
        raise ConfigError(
            "the user name and the password must not be empty, and the user name must not contain a colon"
        )
    if user != user.strip() or user.startswith("#") or not user.isprintable():
        raise ConfigError(
            f"the user name {user!r} cannot stand in a password file: it must not begin with # or a space, end with a "
            "space, or contain control characters"
        )
    try:
        line = PasswordFile.line(user, given)
    except UnicodeEncodeError as error:
        raise ConfigError("the password is not UTF-8 text: give the password in UTF-8") from error
    print(line)


def _run(work: Coroutine[Any, Any, int | None]) -> NoReturn:
    """Run a command's coroutine, and exit the process with the exit code that the coroutine returns (None: 0)."""
    import asyncio

    with asyncio.Runner(loop_factory=_new_loop) as runner:
        _leave(lambda: runner.run(work))


def _leave(work: Callable[[], int | None]) -> NoReturn:
    """Call `work`, and exit the process with the exit code that `work` returns (None counts as 0).

    If `work` raises an error whose message is meant for users (see `_loaded_refusals`), print the message and exit
    with code 1.
    """
    begin_log()
    try:
        code = work()
        if sys.stdout is not None:  # None if the process was started with a closed standard output
            sys.stdout.flush()
    except _loaded_refusals() as refusal:
        raise typer.Exit(_code_of(refusal)) from None
    raise typer.Exit(code or 0)


def _code_of(refusal: Exception) -> int:
    """Print the message of an error, and return the exit code: 1, or 141 if no process reads the output any more."""
    if isinstance(refusal, BrokenPipeError) and not _is_read(sys.stdout):
        return _NOT_READ
    print(f"viewgate: {refusal}", file=sys.stderr)
    return 1


def _loaded_refusals() -> tuple[type[Exception], ...]:
    """Return the exception classes whose messages are meant for users: OSError, and the classes named in `_REFUSALS`
    whose modules are loaded.
    """
    loaded = [(sys.modules[module], name) for module, name in _REFUSALS if module in sys.modules]
    return (OSError, *(getattr(module, name) for module, name in loaded))


def _is_read(output: TextIO) -> bool:
    """Return whether a process still reads the output; if not, as in `viewgate views | head`, discard all further
    output.
    """
    watched = select.poll()
    watched.register(output.fileno(), 0)
    gone = bool(watched.poll(0))
    if gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return not gone


def _new_loop() -> asyncio.AbstractEventLoop:
    """Return a new event loop: uvloop's if installed, because it relays a call in half the time, otherwise asyncio's
    own.
    """
    try:
        import uvloop
    except ImportError:
        import asyncio

        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    sys.exit(main())
