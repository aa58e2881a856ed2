"""Every answer is the original's at one point in time, whatever is written and refreshed meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from proxy.embedded import catalog_properties
from tests.integration.gate import Gate
from tests.integration.race import Race

# VIEWGATE_RACE=SECONDS,SEED runs it for longer than CI does; `make race` does so.
SECONDS, SEED = (int(n) for n in os.environ.get("VIEWGATE_RACE", "12,0").split(","))
# Of the statements of five minutes. In the first seconds Spark compiles what each of them needs, and rows are deleted.
LEAST_SHARE = 0.8 if SECONDS >= 300 else 0.01


def test_answers_are_those_of_one_moment(gate: Gate, data: Path) -> None:
    race = Race(gate.port, gate.spark_port, catalog_properties(data), SEED)
    wrong = race.run(SECONDS)
    sys.stdout.write(f"{race}\n")
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.share() >= LEAST_SHARE, str(race)
