"""The command line; with `serving` and `composing`, the only place that wires objects together."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import select
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from proxy import config, demo, explaining, logs
from proxy.options import settled

# What a command needs is imported when it runs: all of it takes 2 s of processor time, `viewgate --help` 0.25 s.
if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from proxy.hs2 import Query

    Commands = _SubParsersAction[argparse.ArgumentParser]

_PASSWORD = "VIEWGATE_PASSWORD"  # noqa: S105  # the name of an environment variable, which `ps` does not show
_UNREACHABLE, _UNHEALTHY, _LOGIN_FAILED = 1, 3, 4  # exit codes of `viewgate health`; 2 is argparse's
_CONNECT_S = 5.0

# The exit code that shells give to a command that SIGPIPE has ended.
_NOT_READ = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the process's exit code."""
    options = arguments().parse_args(argv)
    logs.begin()
    try:
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            code: int | None = runner.run(options.run(options))
        sys.stdout.flush()
    except _refusals() as refusal:
        if isinstance(refusal, BrokenPipeError) and not _is_read(sys.stdout):
            return _NOT_READ
        print(f"viewgate: {refusal}", file=sys.stderr)
        return 1
    return code or 0


def _refusals() -> tuple[type[Exception], ...]:
    """Return the exceptions whose message says all that the user needs; imported when one is raised."""
    from proxy import embedded, jars, preflight
    from proxy.catalog import CatalogError
    from proxy.hs2 import SqlError
    from rewriter.script import ScriptError

    return (
        *(config.ConfigError, preflight.Missing, jars.Unfetched, embedded.StartError, embedded.SparkLost),
        *(CatalogError, SqlError, ScriptError, OSError),
    )


def _is_read(output: TextIO) -> bool:
    """Whether somebody still reads what is printed, unlike `head` behind a pipe; where nobody does, no more is."""
    watched = select.poll()
    watched.register(output.fileno(), 0)
    gone = bool(watched.poll(0))
    if gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return not gone


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop, which relays a call in about half the time; Python's own where there is none for the system."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="viewgate", description="A SQL proxy for Spark with materialized views.")
    parser.add_argument("--version", action="version", version=f"viewgate {version('viewgate')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_serve, _check_config, _doctor, _version, _work, _refresh, _health, _explain, _password):
        add(commands)
    return parser


def _takes_settings(
    command: argparse.ArgumentParser, told: str = "settings in TOML; without: a Spark of its own"
) -> None:
    command.add_argument("--config", type=Path, metavar="FILE", help=told)
    command.add_argument("--data", type=Path, metavar="DIR", help="where its own Spark keeps all (default .viewgate)")


def _takes_json(command: argparse.ArgumentParser, printed: str) -> None:
    command.add_argument("--json", action="store_true", help=f"print {printed}, for programs")


def _serve(commands: Commands) -> None:
    command = commands.add_parser("serve", help="listen for HiveServer2 clients until SIGTERM or Ctrl-C")
    _takes_settings(command)
    command.add_argument("--port", type=int, help="where to listen (default 10000; 0 takes a free port)")
    command.add_argument(
        "--workers", type=int, metavar="N", help="processes on that port (default 1), with [[upstream]]"
    )
    command.add_argument(
        "--demo",
        nargs="?",
        type=int,
        const=demo.ROWS,
        metavar="ROWS",
        help=f"make demo tables and views that are not there yet (default {demo.ROWS:,} sales)",
    )
    command.set_defaults(run=serve)


def _check_config(commands: Commands) -> None:
    command = commands.add_parser(
        "check-config",
        help="read a settings file, start nothing: 0 if it is valid",
        epilog="Exit codes: 0 valid; 1 not valid: the message names the table, the key and what is allowed.",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="settings in TOML, those of `serve`")
    _takes_json(command, "one JSON object")
    command.set_defaults(run=check_config)


def _doctor(commands: Commands) -> None:
    command = commands.add_parser(
        "doctor",
        help="check Java, Spark, catalog, ports, permissions and clocks before a start: what is wrong, what to do",
        epilog="Exit codes: 0 all is well; 1 something is wrong.",
    )
    _takes_settings(command)
    _takes_json(command, "a JSON array")
    command.set_defaults(run=diagnose, demo=None, port=None, workers=None)


def _version(commands: Commands) -> None:
    command = commands.add_parser("version", help="print the version of Viewgate and of what it runs on")
    _takes_json(command, "one JSON object")
    command.set_defaults(run=show_version)


def _work(commands: Commands) -> None:
    # Without a help text, so that the list of commands leaves it out: the supervisor alone starts workers.
    commands.add_parser("work").set_defaults(run=work)


def _refresh(commands: Commands) -> None:
    command = commands.add_parser(
        "refresh", help="refresh materialized views, for cron and its like: 0 if all went well"
    )
    command.add_argument("names", nargs="*", metavar="NAME", help="a view: namespace.name")
    command.add_argument("--all", action="store_true", help="all views")
    command.add_argument("--stale", action="store_true", help="those that are stale, of all or of the names")
    command.add_argument("--full", action="store_true", help="compute anew even if nothing has changed")
    command.add_argument("--where", default="", metavar="CONDITION", help="rows of the view, as in REFRESH … WHERE")
    _takes_settings(command, "settings in TOML, those of `serve`")
    command.set_defaults(run=refresh, demo=None, port=None, workers=None)


def _health(commands: Commands) -> None:
    command = commands.add_parser(
        "health",
        help="log in to a running viewgate and open a session: 0 if that works",
        epilog=f"Exit codes: 0 healthy, or a login is required and no user was given; {_UNREACHABLE} unreachable; "
        f"{_UNHEALTHY} unhealthy (no session, or a worker is down); {_LOGIN_FAILED} login failed.",
    )
    command.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1")
    command.add_argument("--port", type=int, default=config.DEFAULT_PORT, help=f"default {config.DEFAULT_PORT}")
    command.add_argument("--user", help=f"whom to log in; the password is read from the variable {_PASSWORD}")
    command.set_defaults(run=health)


def _explain(commands: Commands) -> None:
    command = commands.add_parser("explain", help="what would become of a query, from a script alone: no server")
    explaining.add_arguments(command)
    command.set_defaults(run=explaining.explain)


def _password(commands: Commands) -> None:
    command = commands.add_parser("password", help="ask for a password, print its line for [authentication] passwords")
    command.add_argument("user")
    command.set_defaults(run=password)


async def serve(options: argparse.Namespace) -> int:
    """Listen for clients until a signal; return the exit code."""
    from proxy import serving

    return await serving.serve(options)


async def work(options: argparse.Namespace) -> None:
    """Run one worker process."""
    from proxy import serving

    await serving.work(options)


async def check_config(options: argparse.Namespace) -> int:
    """Read a settings file and print whether it is valid; return the exit code."""
    wrong = None
    try:
        _check(config.load(options.file))
    except config.ConfigError as error:
        wrong = str(error)
    if options.json:
        print(json.dumps({"file": str(options.file), "valid": wrong is None, "error": wrong}, ensure_ascii=False))
    elif wrong is not None:
        print(f"viewgate: {wrong}", file=sys.stderr)
    else:
        print(f"{options.file} is valid")
    return 0 if wrong is None else 1


def _check(settings: config.Config) -> None:
    """Refuse settings that `serve` refuses; only settings with logins, TLS or workers load the modules for these."""
    if settings.server.workers > 1:
        from proxy import workers

        workers.check(settings)
    if settings.server.tls is not None or not settings.authentication.open_to_all:
        from proxy import admission

        admission.entrance(settings)


async def diagnose(options: argparse.Namespace) -> int:
    """Print what is wrong with this machine and the settings; return the exit code."""
    from proxy import doctor

    logging.getLogger("proxy").setLevel(logging.CRITICAL)  # findings are printed once, below
    found = await doctor.findings(settled(options))
    if options.json:
        print(json.dumps([finding.as_json() for finding in found], indent=2, ensure_ascii=False))
    else:
        print(*found, sep="\n")
    return 0 if all(finding.ok for finding in found) else 1


async def show_version(options: argparse.Namespace) -> None:
    """Print the versions of Viewgate, Python and the packages that decide its behaviour."""
    from importlib.metadata import PackageNotFoundError

    found = {"viewgate": version("viewgate"), "python": ".".join(map(str, sys.version_info[:3]))}
    for package in ("pyiceberg", "sqlglot", "pyspark"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pyspark is an extra
            continue
    print(json.dumps(found) if options.json else "\n".join(f"{name} {number}" for name, number in found.items()))


async def refresh(options: argparse.Namespace) -> int:
    """Refresh the views that are asked for, on the Spark of the settings or on one of our own; the exit code."""
    from proxy import embedded, progress_bar, refreshing
    from proxy.composing import surround
    from proxy.pipeline import Asked, Begun, Pipeline

    if options.names and options.all:
        raise config.ConfigError("say which views to refresh: their names or --all, not both")
    if not (options.names or options.all or options.stale):
        raise config.ConfigError("say which views to refresh: their names, --all or --stale")
    if options.where and (options.stale or not options.names):
        raise config.ConfigError("--where is a condition over the columns of a view: say its name")
    settings = settled(options)
    if settings.catalog is None and not embedded.has_data(settings.embedded.data):
        raise config.ConfigError(
            f"there is nothing to refresh in {settings.embedded.data}, on which no Viewgate was started yet: "
            "name its directory with --data, or a settings file with --config"
        )
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        wanted = refreshing.Wanted(tuple(options.names), options.stale, Asked(options.full, options.where))
        pipeline = Pipeline(surroundings.catalog, surroundings.runner)
        begun = running.enter_context(Begun())
        say = await running.enter_async_context(progress_bar.drawn(begun))
        return await refreshing.refresh(surroundings.catalog, pipeline, wanted, say)


async def health(options: argparse.Namespace) -> int:
    """Connect as a client does, and ask for the workers; without --user, a login that is refused is no failure."""
    from proxy.commands import show_workers
    from proxy.composing import in_session
    from proxy.hs2 import LoginRefused, SqlError
    from proxy.upstream import Timeouts, Upstream

    async def look(query: Query) -> None:
        for number, state, *_ in (await query(show_workers.EXAMPLE)).rows:
            if state != "running":
                raise SqlError(
                    f"worker {number} of {where.named} is down, and is being started again: the log says why"
                )

    user, password = options.user, os.environ.get(_PASSWORD, "")
    where = Upstream(options.host, options.port, user, password or None, what="Viewgate")
    logging.getLogger("proxy").setLevel(logging.CRITICAL)  # what is wrong is said once, at the end
    if (refused := await _unreachable(options.host, options.port)) is not None:
        print(f"viewgate: {where.named} is unreachable: {refused}", file=sys.stderr)
        return _UNREACHABLE
    try:
        await in_session(where, "health", look, Timeouts(open=10))
    except SqlError as error:
        if not isinstance(error, LoginRefused):
            print(f"viewgate: {where.named} is unhealthy: {error.message}", file=sys.stderr)
            return _UNHEALTHY
        reason = error.message.partition(": ")[2]
        if user is not None:
            told = f"{where.named} refuses the login of {user}: {reason}; the password is read from {_PASSWORD}"
            print(f"viewgate: {told}", file=sys.stderr)
            return _LOGIN_FAILED
        print(f"{where.named} is listening; health not verified: login required, give --user ({reason})")
        return 0
    print(f"{where.named} is healthy: a session was opened")
    return 0


async def _unreachable(host: str, port: int) -> OSError | None:
    """Return why no connection can be made; None where one can."""
    try:
        async with asyncio.timeout(_CONNECT_S):
            _, writer = await asyncio.open_connection(host, port)
    except OSError as error:  # TimeoutError is one
        return error if str(error) else TimeoutError(f"no answer within {_CONNECT_S:g} s")
    writer.close()
    return None


async def password(options: argparse.Namespace) -> None:
    """Print the line of a user for a file of passwords; the password comes from the terminal or from a pipe."""
    from getpass import getpass

    from proxy.authentication import PasswordFile

    given = getpass(f"Password of {options.user}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    if not given or not options.user or ":" in options.user:
        raise config.ConfigError("a user, without a colon, and a password that is not empty are needed")
    print(PasswordFile.line(options.user, given))


if __name__ == "__main__":
    sys.exit(main())
