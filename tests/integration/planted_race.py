"""Checks that the race finds bugs; run by `make race`, not by CI, because it takes a minute."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proxy.embedded import catalog_properties
from tests.integration.gate import Gate, settings_beside
from tests.integration.planted import BUGS
from tests.integration.race import Race

SECONDS = 15
ROUNDS = 4


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(gate: Gate, data: Path, tmp_path: Path, bug: str) -> None:
    settings = settings_beside(gate, data, "", tmp_path / "viewgate.toml")
    program = (sys.executable, "-m", "tests.integration.planted", bug)
    with Gate("--config", settings, program=program) as wrong:
        for seed in range(ROUNDS):
            race = Race(wrong.port, gate.spark_port, catalog_properties(data), seed)
            found = race.run(SECONDS)
            sys.stdout.write(f"{bug}: {len(found)} of {race}\n")
            if found:
                return
    pytest.fail(f"{bug} was not found in {ROUNDS} races of {SECONDS} s")
