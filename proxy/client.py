"""The commands that log in to a running Viewgate as a client: `health`, `views`, and `explain` without a script."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from proxy.hs2 import LoginRefused, Query, ResultSet, SqlError
from proxy.hs2.status import own_words
from proxy.process import silent_log
from proxy.upstream import Link, Timeouts, Tls, Upstream, in_session
from proxy.wire import Transport
from proxy.wire.tls import TLS_ONLY

PASSWORD = "VIEWGATE_PASSWORD"  # noqa: S105  # the name of an environment variable, which `ps` does not show
_UNREACHABLE, _UNHEALTHY, _LOGIN_FAILED = 1, 3, 4  # exit codes, documented in docs/reference.md
_CONNECT_S = 5.0
_OPEN_S = 10.0
_PATIENT = Timeouts(open=2 * _OPEN_S)  # so that _OPEN_S, whose message is better, is reached first
_WAITING = (
    "its upstreams are busy, or paused: run RESUME VIEWGATE UPSTREAM in a session with the database viewgate.system, "
    "or send SIGHUP; if Viewgate's log has no new lines, the process hangs: restart Viewgate"
)
# The columns of SHOW VIEWGATE VIEWS that fit on a terminal; --wide prints all.
_NARROW = frozenset(
    ["view", "status", "lag_seconds", "considered", "chosen", "failed", "saved_milliseconds", "rows", "bytes"]
)


@dataclass(frozen=True)
class Trust:
    """The TLS options of a command; each of these options turns TLS on.

    Only the certificate authorities in the file `ca` are trusted (None: the authorities that this machine trusts).
    `server_name` is the host name in the server's certificate (None: the host to which the command connects).
    """

    tls: bool = False
    ca: Path | None = None
    server_name: str | None = None

    @cached_property
    def settings(self) -> Tls | None:
        """The TLS settings; None without TLS. Raises ConfigError if the file `ca` cannot be loaded."""
        if not (self.tls or self.ca or self.server_name):
            return None
        try:
            return Tls(ssl.create_default_context(cafile=self.ca), self.server_name)
        except OSError as error:
            from proxy.config import ConfigError  # importing it takes 0.2 s of processor time

            raise ConfigError(f"--ca {self.ca} cannot be loaded: {error.strerror or error}; give a PEM file") from error


class _Viewgate(Upstream):
    """A running Viewgate as the server to which a command connects.

    The error message for a wrong transport names an option of the command, such as --tls, instead of a setting.
    """

    def other_transport(self, answered: Transport) -> str:
        remedy = "give --tls" if answered is Transport.TLS else "give the port for SQL with --port"
        return f"{self.named} answers by {answered.value}: {remedy}"


@dataclass(frozen=True)
class Login:
    """The address of a running Viewgate, and the user to log in as (None: a connection without login).

    The password is read from the environment variable VIEWGATE_PASSWORD.
    """

    host: str
    port: int
    user: str | None = None
    trust: Trust = Trust()

    @property
    def upstream(self) -> Upstream:
        """The address and login of the running Viewgate, as an `Upstream`: the type of a Thrift server to
        connect to.
        """
        password, link = os.environ.get(PASSWORD) or None, Link(tls=self.trust.settings)
        return _Viewgate(self.host, self.port, self.user, password, what="Viewgate", link=link)


class Refused(Exception):
    """The error raised if a running Viewgate opens no session.

    `state` is the reason in one or two words, such as "login required"; `code` is the exit code for the command.
    """

    def __init__(self, code: int, state: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.state = state


async def health(login: Login, *, as_json: bool = False) -> int:
    """Open a session and query the state of the workers; print the result, and return the exit code.

    The exit code is 0 if a session was opened and all workers run. It is also 0 if the server requires a login but
    `login` has no user: the server has answered. With `as_json`, print the result as JSON.
    """
    named = login.upstream.named
    code, state, told = 0, "healthy", f"{named} is healthy: a session was opened"
    try:
        async with session(login) as query:
            await _check_workers(query)
    except SqlError as error:
        code, state, told = _UNHEALTHY, "unhealthy", f"{named} is unhealthy: {error.message}"
    except Refused as refused:
        code, state, told = refused.code, refused.state, str(refused)
        if state == "login required":
            code = 0
    if as_json:
        print(json.dumps({"healthy": state == "healthy", "state": state, "message": told}, ensure_ascii=False))
    elif code:
        print(told, file=sys.stderr)
    else:
        print(told)
    return code


async def views(login: Login, *, wide: bool = False, as_json: bool = False) -> int:
    """Print each materialized view with its freshness, use and size, or with all columns if `wide`.

    For each view whose metadata cannot be read, print the reason to standard error. Return the exit code: 0, or the
    code of the failed login or connection. With `as_json`, print the rows as JSON.
    """
    try:
        result = await _result(login, ["SHOW VIEWGATE VIEWS"])
    except Refused as refused:
        return _tell(refused)
    rows = _named(result)
    if as_json:
        print(_json(rows))
        return 0
    names = [column.name for column in result.columns if wide or column.name in _NARROW]
    _print_table(names, [[row[name] for name in names] for row in rows])
    for row in rows:
        if row["status"] == "unreadable":
            print(f"{row['view']} is unreadable: {row['reason']}", file=sys.stderr)
    return 0


async def explain(
    login: Login, query: str, namespace: str | None = None, *, as_json: bool = False, require: bool = False
) -> int:
    """Print the result of EXPLAIN REWRITE for a query on a running Viewgate, and return the exit code.

    `namespace` (`catalog.namespace`) is the namespace of table names that are written without a namespace. With
    `require`, the exit code is NOT_REWRITTEN if no view answers the query. With `as_json`, print the rows as JSON.
    `login` is the address of the running Viewgate and the user.
    """
    from proxy import explaining

    statements = [f"USE {namespace}"] if namespace else []
    try:
        result = await _result(login, [*statements, f"EXPLAIN REWRITE {query}"])
    except Refused as refused:
        return _tell(refused)
    rows = _named(result)
    print(_json(rows) if as_json else explaining.prose(rows))
    return explaining.NOT_REWRITTEN if require and not explaining.answering(rows) else 0


@asynccontextmanager
async def session(login: Login) -> AsyncIterator[Query]:
    """Yield a function that runs statements in a new session; raise Refused if no session can be opened."""
    with silent_log():
        await _check_reachable(login.upstream)
        async with AsyncExitStack() as opened:
            try:
                async with asyncio.timeout(_OPEN_S):
                    query = await opened.enter_async_context(in_session(login.upstream, "viewgate", _PATIENT))
            except LoginRefused as error:
                raise _refused(login, error) from error
            except SqlError as error:
                told = f"{login.upstream.named} is unhealthy: {error.message}"
                raise Refused(_UNHEALTHY, "unhealthy", told) from error
            except TimeoutError as error:
                told = f"{login.upstream.named} is unhealthy: no session was opened within {_OPEN_S:g} s: {_WAITING}"
                raise Refused(_UNHEALTHY, "unhealthy", told) from error
            yield query


def _refused(login: Login, error: LoginRefused) -> Refused:
    named, reason = login.upstream.named, error.message.partition(": ")[2]
    if reason == TLS_ONLY:
        trust = "--ca with the file of its authority if this machine does not trust it"
        told = f"{named} requires TLS: give --tls, and {trust}"
        return Refused(_LOGIN_FAILED, "TLS required", told)
    if login.user is None:
        told = f"{named} is listening; health not verified: login required, give --user ({reason})"
        return Refused(_LOGIN_FAILED, "login required", told)
    told = f"{named} refuses the login of {login.user}: {reason}; the password is read from {PASSWORD}"
    return Refused(_LOGIN_FAILED, "login failed", told)


async def _check_reachable(upstream: Upstream) -> None:
    """Raise Refused if no connection to the running Viewgate can be opened or, if TLS is configured, the TLS handshake
    fails.

    `upstream` is the address of the running Viewgate.
    """
    tls = upstream.link.tls
    context, name = (None, None) if tls is None else (tls.context, tls.server_name or upstream.host)
    try:
        async with asyncio.timeout(_CONNECT_S):
            opening = asyncio.open_connection(upstream.host, upstream.port, ssl=context, server_hostname=name)
            _, writer = await opening
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that DNS cannot have, such as one of 64 letters
        raise Refused(_UNREACHABLE, "unreachable", f"{upstream.named} is unreachable: {_why(error)}") from error
    writer.transport.abort()  # unlike close, it leaves nothing for TLS to do


def _why(error: OSError | UnicodeError) -> str:
    """Return the reason why no connection can be opened, with the remedy, as text."""
    match error:
        case ssl.SSLCertVerificationError():
            return (
                f"its certificate is not trusted: {error.verify_message.rstrip('.')}; give the file of its authority "
                "with --ca, or the name in the certificate with --server-name"
            )
        case ssl.SSLError() | ConnectionResetError():
            reason = getattr(error, "reason", None) or error.strerror or "the server closed the connection"
            return f"the TLS handshake failed: {reason}; leave out --tls and --ca if this Viewgate does not use TLS"
        case ConnectionRefusedError():
            return "no process listens there; start Viewgate with `viewgate serve`, or correct --host and --port"
        case TimeoutError():
            return f"no answer within {_CONNECT_S:g} s; check --host, --port and firewalls between here and there"
        case socket.gaierror() | UnicodeError():
            return "no address is known for this host name; check --host"
    return f"{getattr(error, 'strerror', None) or error}; check --host and --port"


async def _check_workers(query: Query) -> None:
    for number, state, *_ in (await query("SHOW VIEWGATE WORKERS")).rows:
        if state == "down":
            raise SqlError(f"worker {number} is down and is being restarted: see Viewgate's log for the reason")


async def _result(login: Login, statements: list[str]) -> ResultSet:
    """Run statements in one session, and return the result of the last one.

    Raise SqlError with the server's message if a statement fails.
    """
    async with session(login) as query:
        try:
            for statement in statements:
                result = await query(statement)
        except SqlError as error:
            raise SqlError(own_words(error.message), error.sql_state) from error
    return result


def _tell(refused: Refused) -> int:
    print(refused, file=sys.stderr)
    return refused.code


def _named(result: ResultSet) -> list[dict[str, Any]]:
    names = [column.name for column in result.columns]
    return [dict(zip(names, row, strict=True)) for row in result.rows]


def _json(rows: list[dict[str, Any]]) -> str:
    return json.dumps(rows, indent=2, ensure_ascii=False)


def _print_table(names: list[str], values: list[list[Any]]) -> None:
    """Print the rows as a table if standard output is a terminal; otherwise print one line per row, with tabs between
    values.
    """
    from rich.console import Console  # importing it takes 0.1 s of processor time
    from rich.table import Table
    from rich.text import Text

    console = Console()
    rows = [["" if value is None else str(value) for value in row] for row in values]
    if not console.is_terminal:
        for row in (names, *rows):
            print("\t".join(row))
        return
    table = Table(*names)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)
