"""The cache of view definitions is kept current."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from proxy.answering import Answers, Decision
from proxy.answering.answers import KnownViews
from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.session import ClientSession
from rewriter import Definitions, Recent
from rewriter.model import MaterializedView, Session
from rewriter.model.settings import REWRITE_IS_OFF


class Views:
    plain = ()

    """A catalog in which a view is made."""

    def __init__(self) -> None:
        self.views: tuple[MaterializedView, ...] = ()

    async def definitions(self) -> tuple[MaterializedView, ...]:
        return self.views


def test_views_are_read_once_and_while_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served, reads = threading.Event(), 0

    def read(definitions: Definitions) -> None:
        nonlocal reads
        reads += 1
        assert served.wait(30), "nobody is served while views are read"

    monkeypatch.setattr(Definitions, "read", read)

    async def asked_twice() -> None:
        catalog = Views()
        answers = Answers(cast("Catalogs", catalog))
        before = await answers.definitions()
        catalog.views = (cast("MaterializedView", object()),)
        asked = [asyncio.create_task(answers.definitions()) for _ in range(2)]
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(served.set)
        first, second = await asyncio.gather(*asked)
        assert first is second is not before
        assert first.views == catalog.views

    asyncio.run(asked_twice())
    assert reads == 1


def decided(monkeypatch: pytest.MonkeyPatch, sql: str, *, rewrite: bool, views: int = 0) -> Decision:
    """Return the decision about a statement in a session, after other statements were answered."""

    async def facts(_answers: Answers, _session: Any) -> Session:
        return Session("lake", ("demo",), off="" if rewrite else REWRITE_IS_OFF)

    async def decide() -> Decision:
        catalog = Views()
        catalog.views = tuple(cast("MaterializedView", object()) for _ in range(views))
        session: Any = SimpleNamespace(facts=SimpleNamespace(problem=""))
        return await Answers(cast("Catalogs", catalog)).decide(session, sql)

    monkeypatch.setattr(Answers, "facts", facts)
    monkeypatch.setattr(Definitions, "read", lambda definitions: None)
    return asyncio.run(decide())


def test_what_reads_no_table_needs_no_look_at_session_or_catalog() -> None:
    nothing: Any = None  # neither is there
    for sql in ("SELECT 1", "SELECT 'pool' AS alive"):
        assert asyncio.run(Answers(nothing).decide(nothing, sql)) == Decision(None, sql)


def test_our_hint_never_reaches_spark() -> None:
    nothing: Any = None
    sql = "SELECT /*+ VIEWGATE(max_staleness =\n '10 minutes') */ 1"
    decision = asyncio.run(Answers(nothing).decide(nothing, sql))
    assert decision.sql == decision.original
    assert decision.sql is not None
    assert (len(decision.sql), decision.sql.split()) == (len(sql), ["SELECT", "1"])
    assert decision.sql.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("max_stale = '1 day'", "the hint VIEWGATE has no option max_stale; write"),
        ("max_staleness = = 5", "cannot be parsed at"),
        ("use", "the option use of the hint VIEWGATE has no value; write"),
        ("max_staleness = 'soon'", "max_staleness is 'soon': it must be a number of seconds"),
        ("off, use = 'demo.daily'", "both names a view to use and turns views off; write"),
    ],
)
def test_a_wrong_hint_says_what_to_write(options: str, said: str) -> None:
    nothing: Any = None
    with pytest.raises(SqlError, match=said):
        asyncio.run(Answers(nothing).decide(nothing, f"SELECT /*+ VIEWGATE({options}) */ 1"))


def test_a_long_statement_is_read_while_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served, real = threading.Event(), Recent._ask

    def ask(recent: Recent, sql: str, session: Session) -> Any:
        asyncio.run_coroutine_threadsafe(_set(served), loops[0])
        assert served.wait(30), "nobody is served while a long statement is read"
        return real(recent, sql, session)

    loops: list[asyncio.AbstractEventLoop] = []
    known = KnownViews.recent

    async def noting_the_loop(views: KnownViews) -> Recent:
        loops.append(asyncio.get_running_loop())
        return await known(views)

    monkeypatch.setattr(Recent, "_ask", ask)
    monkeypatch.setattr(KnownViews, "recent", noting_the_loop)
    listed = ", ".join(map(str, range(5000)))
    assert decided(monkeypatch, f"SELECT a FROM t WHERE n IN ({listed})", rewrite=True).sql is None


async def _set(event: threading.Event) -> None:
    event.set()


def test_what_nobody_wants_rewritten_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Recent, "_ask")
    monkeypatch.setattr(Recent, "__init__", lambda recent, definitions: setattr(recent, "definitions", definitions))
    unread = decided(monkeypatch, "SELECT a FROM t", rewrite=False, views=2)
    assert unread.lines() == ("Viewgate: no view used: the session has SET viewgate.rewrite = off",)


@pytest.mark.parametrize(("name", "said"), [("lake", 0), ("lakee", 1)])
def test_a_catalog_that_spark_does_not_know_is_told_of_once(
    name: str, said: int, caplog: pytest.LogCaptureFixture
) -> None:
    class Facts:
        settings: ClassVar[dict[str, str]] = {"viewgate.rewrite": "on"}

        async def read(self, _query: object) -> Session:
            return Session("spark_catalog", ("default",), catalogs=frozenset({"lake", "spark_catalog"}))

    async def scenario() -> None:
        answers = Answers(cast("Catalogs", SimpleNamespace(names=(name,))))
        for _ in range(2):
            session = SimpleNamespace(facts=Facts(), upstream=SimpleNamespace(query=None))
            await answers.facts(cast("ClientSession", session))

    asyncio.run(scenario())
    assert len(caplog.messages) == said
    assert all(
        "catalog unknown to Spark catalog=lakee spark_catalogs=lake,spark_catalog: no view of " in text
        for text in caplog.messages
    )
