from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    lake = Lake(tmp_path)
    yield House(lake)
    lake.close()
