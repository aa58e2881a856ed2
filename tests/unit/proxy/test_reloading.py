"""Reading the settings file again: which keys take effect at once, which later, and which changes are refused."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trustme

from proxy import admission, config, serving
from proxy.commands import Reloaded
from proxy.composing import adopt
from proxy.effective import Effective
from proxy.hs2 import SqlError
from proxy.options import Options
from proxy.reloading import Reloading
from proxy.upstream import Terms, Upstream, Upstreams

REMOTE = "[[upstream]]\nhost = 'h'\n[catalog]\nname = 'lake'\ntype = 'sql'\nuri = 'sqlite://'\n"


class Running:
    """The parts of a Viewgate that the settings control, and the settings file."""

    def __init__(self, folder: Path, text: str) -> None:
        self.file = folder / "gate.toml"
        self.file.write_text(text)
        read = config.load(self.file)
        self.effective = Effective(read)
        self.upstreams = Upstreams([Upstream("h", 10000)])
        self.own = Upstreams([Upstream("h", 10000, "viewgate", "")])
        service: Any = SimpleNamespace(upstreams=self.upstreams)
        self.service = service
        tls = admission.tls(read.server.tls) if read.server.tls else None
        self.tls, self.console = tls, admission.console_tls(read.console)
        surroundings: Any = SimpleNamespace(own=self.own)
        adopted = partial(serving._adopt, self.effective, tls, self.console, partial(adopt, surroundings, service))
        self._reload = Reloading(Options(self.file), read, lambda: self.effective.settings, adopted)

    def read(self, text: str) -> Reloaded:
        self.file.write_text(text)
        return self._reload()


def within_loop(test: Callable[[], None]) -> None:
    async def run() -> None:
        test()

    asyncio.run(run())


def test_the_upstreams_of_the_file_are_taken_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def test() -> None:
        running = Running(tmp_path, REMOTE)
        more = REMOTE.replace("host = 'h'", "host = 'h'\ndraining = true\n[[upstream]]\nhost = 'green'\nweight = 3")
        told = running.read(more).message
        assert told == "settings reloaded: upstream.h:10000.draining, upstream.green:10000"
        assert told in caplog.text
        for pool in (running.upstreams, running.own):
            old, new = pool.places
            assert (old.upstream.host, old.terms) == ("h", Terms(draining=True))
            assert (new.upstream.host, new.terms) == ("green", Terms(weight=3))
        assert running.own.places[1].upstream.user == "viewgate"
        assert running.read(more).message == "settings reloaded: no key has changed"
        for wrong in ("", "[[upstream]]\nhost = 1", REMOTE + "[upstream.tls]\nca = 'none'\n"):
            refused = running.read(wrong)
            assert refused.refused
            assert refused.message.startswith("the settings were not reloaded: ")
        assert [place.terms.draining for place in running.upstreams.places] == [True, False]

    with caplog.at_level("INFO"):
        within_loop(test)


def test_who_may_operate_and_act_for_whom(tmp_path: Path) -> None:
    def test() -> None:
        running = Running(tmp_path, REMOTE)
        people = "[authentication]\noperators = ['olga']\n[authentication.proxy_users]\nbi = ['ann']\n"
        told = running.read(REMOTE + people).message
        assert told == "settings reloaded: authentication.operators, authentication.proxy_users.bi"
        assert running.effective.operators == {"olga"}
        assert running.service.proxy_users.acting("bi", "ann") == "ann"
        running.read(REMOTE)
        assert running.effective.operators == frozenset()
        with pytest.raises(SqlError, match="bi may not act for ann"):
            running.service.proxy_users.acting("bi", "ann")

    within_loop(test)


def test_what_needs_a_restart_is_told_until_then(tmp_path: Path) -> None:
    def test() -> None:
        running = Running(tmp_path, REMOTE)
        text = "[server]\nport = 7\n[journal]\nliterals = false\n" + REMOTE.replace("'h'", "'h'\nweight = 2")
        waiting = "; at the next start: server.port, journal.literals"
        assert running.read(text).message == f"settings reloaded: upstream.h:10000.weight{waiting}"
        assert running.read(text).message == f"settings reloaded: no key has changed{waiting}"
        assert running.effective.settings.server.port == 10000

    within_loop(test)


@pytest.mark.parametrize("table", ["server.tls", "console.tls"])
def test_a_renewed_certificate_is_shown_to_new_connections(tmp_path: Path, table: str) -> None:
    def issue(authority: trustme.CA, days: int) -> None:
        until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
        issued = authority.issue_cert("localhost", not_after=until)
        issued.private_key_pem.write_to_path(tmp_path / "server.key")
        issued.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")

    async def shown(running: Running, trusted: trustme.CA) -> bool:
        tls = running.tls or running.console
        assert tls is not None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusted.configure_trust(context)
        async with await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=tls.context
        ) as server:
            port = server.sockets[0].getsockname()[1]
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="localhost")
            except ssl.SSLCertVerificationError:
                return False
            writer.transport.abort()
            return True

    async def test() -> None:
        old, new = trustme.CA(), trustme.CA()
        issue(old, 3)
        text = f"[{table}]\ncertificate = 'server.pem'\nkey = 'server.key'\n" + REMOTE
        running = Running(tmp_path, text)
        assert (await shown(running, old), await shown(running, new)) == (True, False)
        issue(new, 5)
        tls = running.tls or running.console
        assert tls is not None
        before = tls.expires
        assert not running.read(text).refused
        assert tls.expires != before
        assert (await shown(running, old), await shown(running, new)) == (False, True)
        (tmp_path / "server.pem").write_text("broken")
        assert running.read(text).message.startswith(f"the settings were not reloaded: [{table}]")
        assert await shown(running, new)

    asyncio.run(test())


def test_another_kind_of_spark_needs_a_restart(tmp_path: Path) -> None:
    unchanged = "; the former settings stay in effect"
    assert Running(tmp_path, REMOTE).read("").message == (
        "the settings were not reloaded: [[upstream]] was removed since the start: restart Viewgate to change to its "
        f"own Spark{unchanged}"
    )
    assert Running(tmp_path, "").read(REMOTE).message == (
        "the settings were not reloaded: [[upstream]] was added since the start: restart Viewgate to change to the "
        f"servers of [[upstream]]{unchanged}"
    )


def test_without_a_file_there_is_nothing_to_read() -> None:
    async def test() -> Reloaded:
        return await Effective(config.parse("")).reload()

    assert asyncio.run(test()) == Reloaded(
        "Viewgate was started without a settings file: restart Viewgate with --config FILE", refused=True
    )


def test_new_processes_go_by_the_file_but_for_where_they_listen(tmp_path: Path) -> None:
    running = Running(tmp_path, REMOTE)
    running.file.write_text("[server]\nport = 7\n[journal]\nliterals = false\n" + REMOTE.replace("'h'", "'g'"))
    anew = running._reload.anew()
    assert (anew.server.port, anew.journal.literals, anew.upstreams[0].host) == (10000, False, "g")
    running.file.write_text("[server]\nport = 'x'\n")
    with pytest.raises(config.ConfigError, match="port is 'x'"):
        running._reload.anew()
