"""Each metric has its row in the docs, and the Grafana dashboard uses no metric that does not exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.console.http import get, listening
from tests.unit.pipeline.house import House
from tests.unit.support.proxied import Proxied, RawClient, with_proxy

ROOT = Path(__file__).parents[3]
DASHBOARD = ROOT / "docker" / "grafana" / "viewgate.json"


def names(house: House) -> set[str]:
    """Return the names of the metric families in a scrape."""

    async def test(proxied: Proxied) -> set[str]:
        proxied.server.service.catalogs = house.catalogs
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            await client.execute(await client.open_session(), "SELECT 1")
            _, text = await get(port, "/metrics")
        return {
            family.name + ("_total" if family.type == "counter" else "")
            for family in text_string_to_metric_families(text)
        }

    return with_proxy(test)


def test_the_docs_list_every_figure_of_viewgate_and_no_other(house: House) -> None:
    listed = re.findall(r"^\| `(viewgate_\w+)` \|", (ROOT / "docs" / "operate.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(name for name in names(house) if name.startswith("viewgate_"))


def alerted() -> set[str]:
    """Return the metrics that the alerts in the docs ask for."""
    page = (ROOT / "docs" / "operate.md").read_text()
    alerts = re.search(r"### What to be alerted of\n(.*?)\n## ", page, re.DOTALL)
    assert alerts is not None
    return set(re.findall(r"\bviewgate_\w+", alerts[1]))


def test_the_alerts_ask_for_what_there_is(house: House) -> None:
    assert alerted() <= names(house)


def test_the_dashboard_asks_for_what_there_is_and_shows_what_alerts_are_about(house: House) -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = {
        name.removesuffix("_bucket")
        for panel in panels
        for target in panel["targets"]
        for name in re.findall(r"\b(?:viewgate|process)_\w+", target["expr"])
    }
    assert alerted() <= asked <= names(house)


def test_each_panel_is_described() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert [panel["title"] for panel in panels if not panel["description"]] == []
    assert len({panel["id"] for panel in panels}) == len(panels)
