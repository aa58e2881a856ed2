"""How the views are kept at hand."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest

from proxy.answering import Answers
from proxy.catalog import Catalog
from rewriter import Definitions
from rewriter.model import MaterializedView


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
        answers = Answers(cast("Catalog", catalog))
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
