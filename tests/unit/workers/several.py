"""What the tests of several workers share."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy.hs2.generated import ttypes
from tests.integration.gate import Gate
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import RawClient

LOST = "The session is lost: the worker process of Viewgate that had it has ended."


def settings(folder: Path, *ports: int) -> str:
    """Write a settings file for upstreams at these ports."""
    upstreams = "".join(f'[[upstream]]\nhost = "127.0.0.1"\nport = {port}\n' for port in ports)
    return f'{upstreams}[catalog]\nname = "lake"\ntype = "sql"\nuri = "sqlite:///{folder}/catalog.db"\n'


@dataclass
class Several:
    """A running Viewgate, the Spark behind it, and its settings file."""

    gate: Gate
    spark: FakeSpark
    file: Path

    async def said(self, text: str) -> None:
        """Wait until it has logged this text."""
        await asyncio.to_thread(self.gate.until, re.escape(text), patience=20)


@contextlib.asynccontextmanager
async def on_each(several: Several) -> AsyncIterator[list[tuple[RawClient, Any]]]:
    """Return a client and its session for each of the workers, by worker number."""
    async with contextlib.AsyncExitStack() as open_ones:
        found: dict[int, tuple[RawClient, Any]] = {}
        while len(found) < 2:  # the kernel chooses who gets a connection
            client = await open_ones.enter_async_context(RawClient(several.gate.port))
            session = await client.open_session()
            found.setdefault(session.sessionId.guid[-1], (client, session))
        yield [client for _, client in sorted(found.items())]


async def processes(client: RawClient, session: Any) -> list[tuple[str, int | None]]:
    """Return the state and process id of each worker, as a client sees them."""
    operation = (await client.execute(session, "SHOW VIEWGATE WORKERS")).operationHandle
    await client.end(operation)
    _, states, ids, *_ = (await client.fetch(operation)).results.columns
    missing = ids.i32Val.nulls[0] if ids.i32Val.nulls else 0
    known = [None if missing >> at & 1 else value for at, value in enumerate(ids.i32Val.values)]
    return list(zip(states.stringVal.values, known, strict=True))


async def ran(client: RawClient, session: Any, sql: str) -> list[Any]:
    """Return the first column of a statement's rows."""
    operation = (await client.execute(session, sql)).operationHandle
    assert (await client.end(operation)).operationState == ttypes.TOperationState.FINISHED_STATE
    return await client.first_column(operation)


async def kill(several: Several, client: RawClient, session: Any, number: int) -> None:
    """Kill a worker, like a crash."""
    _, process = (await processes(client, session))[number - 1]
    assert process is not None
    os.kill(process, signal.SIGKILL)
    await several.said(f"worker ended worker={number} how=SIGKILL")


async def close(client: RawClient, session: Any) -> Any:
    request = ttypes.TCloseSessionReq(sessionHandle=session)
    return await client.ask("CloseSession", request, ttypes.TCloseSessionResp)
