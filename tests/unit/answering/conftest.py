from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.catalog.lake import Lake
from tests.unit.pipeline.house import House


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake(tmp_path)
    yield made
    made.close()


@pytest.fixture
def house(lake: Lake) -> House:
    """A house with a view over sales."""
    return House(lake)
