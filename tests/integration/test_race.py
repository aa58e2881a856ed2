"""Every answer is the original's at one point in time, whatever is written and refreshed meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from proxy.embedded import catalog_properties
from tests.integration.gate import Gate
from tests.integration.race import Race

# VIEWGATE_RACE=SECONDS,SEED runs it for longer than CI does; `make race` does so.
SECONDS, SEED = (int(n) for n in os.environ.get("VIEWGATE_RACE", "60,0").split(","))
LONG = SECONDS >= 300
# In CI's minute, readers pause between statements, so that the replays of all answers take less time than the race.
PAUSE_S = 0.05 if LONG else 2
# The least share of statements that views answer. After a DELETE or UPDATE, tables answer until views are refreshed.
LEAST_SHARE = 0.8


def test_answers_are_those_of_one_moment(gate: Gate, data: Path) -> None:
    race = Race(gate.port, gate.spark_port, catalog_properties(data), SEED, pause_s=PAUSE_S)
    wrong = race.run(SECONDS)
    sys.stdout.write(f"{race}\n")
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.share() >= LEAST_SHARE, str(race)
    if LONG:  # in a minute, all tries of its only DELETE may lose
        assert race.done["delete"], str(race)
        assert race.done["update"], str(race)
