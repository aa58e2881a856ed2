"""Counts the modules of the proxy that a statement enters, from the bytes of its ExecuteStatement to those of the
reply.

    python benchmarks/walk.py [--list]

Three statements with new texts are sent to a proxy before a stand-in for Spark, in a session that has run others: over
a table that no view reads, over a table whose view cannot answer, and over a table whose view answers. A module counts
if one of its functions is called meanwhile, in any thread. The stand-in and the client share modules with the proxy;
they run in a thread of their own, whose calls do not count.

The goals: at most 25 modules for a statement that no view concerns, at most 20 more for a rewritten one. With `--fail`
the program ends with status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.answering import Answers, Defaults, SessionFacts
from proxy.catalog import Catalog, Catalogs
from proxy.catalog.stores import SqlStore
from proxy.commands import Planner, find
from proxy.hs2 import ResultSet, SqlError
from proxy.server import Entrance, Limits, Server
from proxy.service import Service
from proxy.upstream import Upstream, Upstreams
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import RawClient

FORWARDED, REWRITTEN = 25, 20  # the goals; the second one is of modules more
VIEW = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"
# Each twice: what is read once for all texts alike has been read when the second one is sent.
STATEMENTS = {
    "no view reads its table": "SELECT name, {} FROM people",
    "no view can answer it": "SELECT region, min(amount + {}) FROM sales GROUP BY region",
    "rewritten": "SELECT region, sum(amount), {} FROM sales GROUP BY region",
}

_PROXY = str(Path(__file__).parents[1] / "proxy") + "/"
_STATE = ResultSet.of("catalog", "namespace", "zone", rows=[["lake", "demo", "UTC"]])
_SETTINGS = ResultSet.of("key", "value", rows=[["spark.sql.ansi.enabled", "false"]])
_COLUMNS = ResultSet.of(
    "col_name", "data_type", "comment",
    rows=[["region", "string", None], ["sum(amount)", "bigint", None], ["{}", "int", None]],
)  # fmt: skip


class Walk:
    """The modules of the proxy that were entered, in order."""

    def __init__(self) -> None:
        self._away = threading.local()
        self._entered: dict[str, int] = {}
        self._watching = False

    @contextmanager
    def watched(self) -> Iterator[dict[str, int]]:
        """Return the modules entered within the context, with the number of calls."""
        self._entered, self._watching = {}, True
        try:
            yield self._entered
        finally:
            self._watching = False

    def leave_out(self) -> None:
        """Exclude the calls of this thread."""
        self._away.yes = True

    def called(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record a call; the callback of `sys.setprofile`."""
        if event != "call" or not self._watching or getattr(self._away, "yes", False):
            return
        code = frame.f_code
        if code.co_filename.startswith(_PROXY) and code.co_name != "<module>":
            module = code.co_filename.removeprefix(_PROXY)
            self._entered[module] = self._entered.get(module, 0) + 1


def answered(sql: str) -> ResultSet | SqlError | None:
    """Return the stand-in's answer to a statement."""
    if sql.startswith("SET"):
        return _SETTINGS
    if sql.startswith("SELECT current_catalog()"):
        return _STATE
    return _COLUMNS if sql.startswith("DESCRIBE QUERY") else ResultSet.of("a", rows=[["1"]])


def measured(directory: Path) -> dict[str, tuple[str, ...]]:
    """Return the modules that each of the statements enters."""
    lake = Lake(directory)
    house = House(lake)
    asyncio.run(house.run(VIEW))
    walk = Walk()
    sys.setprofile(walk.called)
    threading.setprofile(walk.called)  # of the threads that are started from now on
    try:
        return asyncio.run(_measured(walk, house))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        lake.close()


async def _measured(walk: Walk, house: House) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    aside = Aside(walk)
    spark = await aside.run(FakeSpark(answered).__aenter__())
    upstreams = Upstreams([Upstream("127.0.0.1", spark.port)])
    # Its views are looked for as often as in production.
    catalogs = Catalogs([Catalog(SqlStore(house.lake.iceberg))])
    answers = Answers(catalogs)
    context = replace(
        house.context,
        catalogs=catalogs,
        answers=answers,
        upstreams=lambda: upstreams,
    )
    defaults = Defaults()
    service = Service(
        upstreams, Planner(context, find), lambda _user, configuration: SessionFacts(configuration, defaults)
    )
    server = Server(Entrance(service, limits=Limits(grace=0)), port=0)
    client = RawClient(await server.start())
    session = await aside.run(_session(client))
    for kind, text in STATEMENTS.items():
        await aside.run(_executed(client, session, text.format(1)))
        with walk.watched() as entered:
            await aside.run(_executed(client, session, text.format(2)))
        found[kind] = tuple(entered)
    await aside.run(client.__aexit__())
    await server.stop()
    await aside.run(spark.end())
    aside.stop()
    return found


class Aside:
    """An event loop in a thread of its own, in which the stand-in and the client run."""

    def __init__(self, walk: Walk) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(walk,), daemon=True)
        self._thread.start()

    def _run(self, walk: Walk) -> None:
        walk.leave_out()
        self._loop.run_forever()

    async def run(self, work: Any) -> Any:
        """Return the result of a coroutine that runs in that loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def stop(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


async def _session(client: RawClient) -> Any:
    await client.__aenter__()
    return await client.open_session()


async def _executed(client: RawClient, session: Any, sql: str) -> None:
    response = await client.execute(session, sql)
    assert response.status.statusCode == 0, response.status.errorMessage


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the modules, too")
    parser.add_argument("--fail", action="store_true", help="more than the goals is an error")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        found = measured(Path(directory))
    forwarded, *_, rewritten = found.values()
    for kind, modules in found.items():
        print(f"{kind:<32} {len(modules):>3} modules")
        if options.list:
            print("\n".join(f"    {module}" for module in modules))
    more = len(rewritten) - len(forwarded)
    print(f"goals: {len(forwarded)} of at most {FORWARDED}; {more} more of at most {REWRITTEN}")
    return int(options.fail and (len(forwarded) > FORWARDED or more > REWRITTEN))


if __name__ == "__main__":
    sys.exit(main())
